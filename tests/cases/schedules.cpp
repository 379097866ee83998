// tests/cases/schedules.cpp - cases on learning rates, counted in updates
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>

#include "support/toy.hpp"

using toy::close, toy::counting, toy::Values;

namespace schedule_cases {
/// The rates of all updates of one fit over `batches` micro-batches.
template <class Optimizer> toy::Values rates(int batches, int epochs, const auto&... policies) {
  toy::Line net;
  toy::Log log;
  rg::Trainer trainer{net, Optimizer::sgd(net), toy::mean, toy::record(net, log), policies...};
  trainer.fit(counting(batches), rg::epochs(epochs));
  return log.rates;
}
/// Saves behind the update number `at`, loads that into a second trainer and finishes there: the rates after the resume.
template <class Optimizer> toy::Values rates_after_resume(int at, int batches, int epochs, const auto&... policies) {
  toy::Line first{0}, second{5};
  rg::StateMap saved;
  std::function<rg::StateMap()> save;
  rg::Trainer a{first, Optimizer::sgd(first), toy::mean, policies..., rg::on<rg::checkpoint>([&](auto& step) {
    if (step.updates() == at) saved = save();
  })};
  save = [&] { return a.save(); };
  a.fit(counting(batches), rg::epochs(epochs));
  toy::Log log;
  rg::Trainer b{second, Optimizer::sgd(second), toy::mean, policies..., toy::record(second, log)};
  b.load(saved);
  b.fit(counting(batches), rg::epochs(epochs));
  CHECK(second->w() == first->w());
  return log.rates;
}
}  // namespace schedule_cases
using schedule_cases::rates, schedule_cases::rates_after_resume;

TEMPLATE_TEST_CASE("K23 warm-up counts updates, not micro-batches", "", toy::Own, toy::Wrapped) {
  const auto all = rates<TestType>(256, 1, rg::Accumulate<16>{}, rg::Scheduler<rg::Constant>{.warmup = rg::steps(16)});
  REQUIRE(all.size() == 16);
  for (std::size_t t = 0; t < all.size(); ++t) CHECK(all[t] == double(t + 1) / 16);
}

TEST_CASE("K25 a resumed warm-up goes on where it was") {
  const rg::Scheduler<rg::Constant> warm{.warmup = rg::steps(8)};
  CHECK(close(rates_after_resume<toy::Own>(3, 10, 1, rg::Accumulate<2>{}, warm), {0.5, 0.625}));
}

TEST_CASE("K31 cosine at every update, in any order of calls") {
  constexpr rg::Cosine cosine{.length = rg::steps(4), .eta_min = 0.1};
  const Values right{1, 0.868198, 0.55, 0.231802, 0.1, 0.1};
  for (const std::int64_t t : {5, 0, 3, 1, 4, 2}) CHECK(std::abs(cosine(1, {.update = t}) - right[std::size_t(t)]) < 1e-6);
  CHECK(close(rates<toy::Wrapped>(6, 1, rg::Scheduler{cosine}), right));
}

TEST_CASE("K33 cosine stays at its end") {
  constexpr rg::Cosine cosine{.length = rg::steps(4), .eta_min = 0.1};
  for (const std::int64_t t : {4, 5, 9, 1'000'000'000}) CHECK(cosine(1, {.update = t}) == 0.1);
}

TEMPLATE_TEST_CASE("K35 the default length of a cosine is all updates of the run", "", toy::Own, toy::Wrapped) {
  const auto all = rates<TestType>(10, 3, rg::Scheduler<rg::Cosine>{});
  REQUIRE(all.size() == 30);
  CHECK(std::abs(all[15] - 0.5) < 1e-12);
  CHECK(std::abs(all[29] - 0.002739) < 1e-6);
  CHECK(rates<TestType>(10, 3, rg::Accumulate<4>{}, rg::Scheduler<rg::Cosine>{}).size() == 9);  // 3 windows of an epoch, the last one short
}

TEMPLATE_TEST_CASE("K37 warm-up of 5, 1 and 0 updates", "", toy::Own, toy::Wrapped) {
  const auto warmed = [](std::int64_t w) { return rates<TestType>(6, 1, rg::Scheduler<rg::Constant>{.warmup = rg::steps(w)}); };
  CHECK(close(warmed(5), {0.2, 0.4, 0.6, 0.8, 1, 1}));
  CHECK(warmed(1) == Values(6, 1.0));
  CHECK(warmed(0) == Values(6, 1.0));
}

TEMPLATE_TEST_CASE("K39 warm-up goes on over the end of an epoch", "", toy::Own, toy::Wrapped) {
  const auto all = rates<TestType>(4, 3, rg::Scheduler<rg::Constant>{.warmup = rg::steps(10)});
  CHECK(close(all, {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1, 1}));
}

TEST_CASE("K45 a resumed cosine has the next rate and the old base rate") {
  const rg::Scheduler<rg::Cosine> cosine{.schedule = {.length = rg::steps(4)}};
  CHECK(close(rates_after_resume<toy::Own>(3, 4, 1, cosine), {0.146447}));

  toy::Line net, other;
  rg::Trainer a{net, rg::SGD{.lr = 1}, toy::mean, cosine}, b{other, rg::SGD{.lr = 0.25}, toy::mean, cosine};
  a.fit(counting(3), rg::epochs(1));
  b.load(a.save());
  toy::Line third;
  CHECK(b.learning_rate() == a.learning_rate());
  b.fit(counting(1), rg::epochs(1));  // a new call begins the schedule anew, at the loaded base rate
  CHECK(b.learning_rate() == 1);
}

TEST_CASE("a skipped window does not tick") {
  toy::Line net;
  toy::Log log;
  rg::Trainer trainer{net, rg::SGD{.lr = 1}, toy::mean, toy::record(net, log), rg::Scheduler<rg::Constant>{.warmup = rg::steps(4)},
                      rg::on<rg::before_update>([](auto& step) { if (step.counters().windows == 1) step.skip(); })};
  trainer.fit(counting(4), rg::epochs(1));
  CHECK(close(log.rates, {0.25, 0.5, 0.75}));
}

TEST_CASE("a schedule whose length nobody knows is refused") {
  toy::Line net;
  rg::Trainer trainer{net, rg::SGD{.lr = 1}, toy::mean, rg::Scheduler<rg::Cosine>{}};
  CHECK_THROWS_AS(trainer.fit(counting(2), rg::minutes(1)), rg::Error);
  CHECK(net->w() == 0);
}
