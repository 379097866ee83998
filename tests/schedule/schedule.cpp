// tests/schedule/schedule.cpp - what a schedule is, and warm-up
#include "regimen/schedule/schedule.hpp"

#include <catch2/catch_test_macros.hpp>
#include <vector>

#include "regimen/schedule/constant.hpp"
#include "regimen/schedule/cosine.hpp"
#include "regimen/schedule/linear.hpp"

namespace rg = regimen;

namespace schedule_tests {
std::vector<double> warmed(std::int64_t w, std::int64_t updates) {
  std::vector<double> factors;
  for (std::int64_t t = 0; t < updates; ++t) factors.push_back(rg::warmup(t, w));
  return factors;
}
using Factors = std::vector<double>;
struct Halved {
  constexpr double operator()(double base, rg::At at) const { return at.epoch > 2 ? base / 2 : base; }
};
struct Remembers {
  double operator()(double base, rg::At) { return last = base; }
  double last = 0;
};
struct PerEpoch {
  double operator()(double base, rg::Epochs) const { return base; }
};
}  // namespace schedule_tests
using namespace schedule_tests;

TEST_CASE("a schedule is a const function of the base rate and the place in the run") {
  STATIC_CHECK((rg::schedule<rg::Cosine> && rg::schedule<rg::Linear> && rg::schedule<rg::Constant> && rg::schedule<Halved>));
  STATIC_CHECK(rg::schedule<decltype([](double base, rg::At) { return base; })>);
  STATIC_CHECK_FALSE(rg::schedule<Remembers>);
  STATIC_CHECK_FALSE(rg::schedule<PerEpoch>);
}
TEST_CASE("a length of its own is read where a schedule has one") {
  STATIC_CHECK((rg::detail::has_length<rg::Cosine> && rg::detail::has_length<rg::Linear> && !rg::detail::has_length<Halved>));
  STATIC_CHECK(rg::detail::own_length(rg::Cosine{.length = rg::steps(30)}) == 30);
  STATIC_CHECK(rg::detail::own_length(rg::Cosine{}) == 0);
  STATIC_CHECK(rg::detail::own_length(Halved{}) == 0);
}

TEST_CASE("K23 sixteen updates of warm-up begin at 1/16 and end at 1") {
  const auto factors = warmed(16, 16);
  for (std::size_t t = 0; t < 16; ++t) CHECK(factors[t] == double(t + 1) / 16);
}
TEST_CASE("K25 a warm-up depends on the update alone, so that a resumed one goes on") {
  CHECK(warmed(8, 5) == Factors{0.125, 0.25, 0.375, 0.5, 0.625});
  STATIC_CHECK((rg::warmup(3, 8) == 0.5 && rg::warmup(4, 8) == 0.625));  // asked first, as after a resume
}
TEST_CASE("K37 warm-up of 5, 1 and 0 updates") {
  CHECK(warmed(5, 6) == Factors{0.2, 0.4, 0.6, 0.8, 1, 1});
  CHECK(warmed(1, 6) == Factors(6, 1));
  CHECK(warmed(0, 6) == Factors(6, 1));
}
TEST_CASE("K39 warm-up knows no epochs and never falls") {
  const auto factors = warmed(10, 12);
  CHECK((factors[3] == 0.4 && factors[4] == 0.5 && factors[9] == 1 && factors[11] == 1));
  for (std::size_t t = 1; t < factors.size(); ++t) CHECK(factors[t] >= factors[t - 1]);
}
