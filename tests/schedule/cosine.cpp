// tests/schedule/cosine.cpp - the cosine against its closed form and torch's values
#include "regimen/schedule/cosine.hpp"

#include <catch2/catch_test_macros.hpp>
#include <cmath>

namespace rg = regimen;

namespace cosine_tests {
constexpr double rate(const rg::Cosine& cosine, std::int64_t t, std::int64_t length = 0, double base = 1) {
  return cosine(base, {.update = t, .length = length});
}
}  // namespace cosine_tests
using namespace cosine_tests;

TEST_CASE("the cosine equals its closed form to 1e-12 on 0..T") {
  for (const std::int64_t end : {1, 2, 3, 7, 30, 1'000, 100'000})
    for (const double base : {1.0, 1e-3, 0.3}) {
      const rg::Cosine cosine{.length = rg::steps(end), .eta_min = base / 10};
      double worst = 0;
      for (std::int64_t t = 0; t <= end; t += end > 1'000 ? 37 : 1) {
        const double right = base / 10 + (base - base / 10) * (1 + std::cos(std::acos(-1.0) * double(t) / double(end))) / 2;
        worst = std::max(worst, std::abs(rate(cosine, t, 0, base) - right));
      }
      CAPTURE(end, base);
      CHECK(worst <= 1e-12 * base);
    }
}
TEST_CASE("K31 cosine at every update, in any order of calls") {
  constexpr rg::Cosine cosine{.length = rg::steps(4), .eta_min = 0.1};
  const double right[]{1, 0.868198, 0.55, 0.231802, 0.1, 0.1};
  for (const std::int64_t t : {5, 0, 3, 1, 4, 2, 2, 0}) {
    CAPTURE(t);
    CHECK(std::abs(rate(cosine, t) - right[t]) < 1e-6);
  }
}
TEST_CASE("K33 cosine stays at its end") {
  constexpr rg::Cosine cosine{.length = rg::steps(4), .eta_min = 0.1};
  STATIC_CHECK((rate(cosine, 4) == 0.1 && rate(cosine, 5) == 0.1 && rate(cosine, 9) == 0.1 && rate(cosine, 1'000'000'000'000) == 0.1));
}
TEST_CASE("K35 without a length of its own the cosine ends with the run, counted in updates") {
  CHECK(std::abs(rate({}, 15, 30) - 0.5) < 1e-12);
  CHECK(std::abs(rate({}, 29, 30) - 0.002739) < 1e-6);
  CHECK(rate({.length = rg::steps(10)}, 5, 30) == rate({}, 5, 10));  // its own comes first
}
TEST_CASE("a cosine is known at compile time") {
  STATIC_CHECK(rg::cosine(0) == 1);
  STATIC_CHECK(rg::cosine(0.5) == 0.5);
  STATIC_CHECK(rg::cosine(1) == 0);
  STATIC_CHECK((rg::cosine(-3) == 1 && rg::cosine(2) == 0));  // outside it holds
  constexpr double third = rate({.length = rg::steps(3)}, 1);
  CHECK(std::abs(third - 0.75) < 1e-15);
}
TEST_CASE("the whole way falls, and never below the end") {
  double last = 2;
  for (std::int64_t t = 0; t <= 1'100; ++t) {
    const double now = rate({.eta_min = 0.01}, t, 1'000);
    CHECK((now <= last && now >= 0.01));
    last = now;
  }
}
TEST_CASE("a length that nobody knows has passed already") { STATIC_CHECK(rate({.eta_min = 0.25}, 0, 0) == 0.25); }
