// tests/policy/scheduler.cpp - the rate of each update from a pure function of where the run stands
#include "regimen/policy/scheduler.hpp"

#include <catch2/catch_test_macros.hpp>

#include "support/toy.hpp"

namespace scheduler_tests {
struct Halving {  // a schedule of the user's own, by epochs
  double operator()(double base, rg::At at) const { return base / double(1 << at.epoch); }
  bool operator==(const Halving&) const = default;
};
static_assert(rg::schedule<Halving>);
toy::Values rates(int batches, int epochs, const auto& policy) {
  toy::Line net;
  toy::Log log;
  rg::Trainer trainer{net, rg::SGD{.lr = 1}, toy::mean, toy::record(net, log), policy};
  trainer.fit(toy::counting(batches), rg::epochs(epochs));
  return log.rates;
}
}  // namespace scheduler_tests
using scheduler_tests::rates;

TEST_CASE("a schedule of the user's own may go by epochs") {
  CHECK(rates(2, 3, rg::Scheduler<scheduler_tests::Halving>{}) == toy::Values{1, 1, 0.5, 0.5, 0.25, 0.25});
}

TEST_CASE("behind the warm-up the schedule starts at its own first step and ends with the run") {
  CHECK(toy::close(rates(6, 1, rg::Scheduler<rg::Linear>{.warmup = rg::steps(2)}), {0.5, 1, 1, 0.75, 0.5, 0.25}));
}

TEST_CASE("a second fit begins the schedule anew") {
  toy::Line net;
  toy::Log log;
  rg::Trainer trainer{net, rg::SGD{.lr = 1}, toy::mean, toy::record(net, log), rg::Scheduler<rg::Linear>{}};
  trainer.fit(toy::counting(2), rg::epochs(1));
  trainer.fit(toy::counting(4), rg::epochs(1));
  CHECK(log.rates == toy::Values{1, 0.5, 1, 0.75, 0.5, 0.25});
  log.rates.clear();
  trainer.fit(toy::counting(4), rg::steps(2));
  CHECK(log.rates == toy::Values{1, 0.5});
}

TEST_CASE("lengths that make no sense are refused") {
  CHECK_THROWS_AS(rates(2, 1, rg::Scheduler<rg::Cosine>{.warmup = rg::steps(-1)}), rg::Error);
  CHECK_THROWS_AS(rates(2, 1, rg::Scheduler<rg::Cosine>{.schedule = {.length = rg::steps(0)}}), rg::Error);
}

TEST_CASE("a warm-up that is longer than the run is not cut short") {
  CHECK(toy::close(rates(3, 1, rg::Scheduler<rg::Cosine>{.warmup = rg::steps(10)}), {0.1, 0.2, 0.3}));
}
