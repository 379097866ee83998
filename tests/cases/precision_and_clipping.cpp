// tests/cases/precision_and_clipping.cpp - cases on loss scale and gradient norm
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>

#include "support/toy.hpp"

using toy::close, toy::data, toy::Values;

namespace precision_cases {
constexpr double inf = std::numeric_limits<double>::infinity();
template <class Optimizer> Values moves(const toy::Data& batches, const auto&... policies) {
  return toy::moves<Optimizer, toy::Product>(batches, toy::mean, 1, policies...);
}
/// Plants an infinite gradient in the windows for which `when` holds.
auto plant(auto when) {
  return rg::on<rg::after_backward>([when](auto& step) {
    if (when(step.counters().windows))
      for (auto& gradient : step.gradients()) gradient.fill_(inf);
  });
}
}  // namespace precision_cases
using precision_cases::inf, precision_cases::moves, precision_cases::plant;

TEMPLATE_TEST_CASE("K53 the norm is taken of the true gradient, in any order of writing", "", toy::Own, toy::Wrapped) {
  const rg::Amp<> amp{};
  const rg::ClipNorm<> clip{1.0};
  CHECK(close(moves<TestType>(data({{5}}), clip, amp), {-0.9999998}, 1e-7));
  CHECK(close(moves<TestType>(data({{5}}), amp, clip), {-0.9999998}, 1e-7));
}

TEMPLATE_TEST_CASE("K57 unscaling and clipping run at the window's end only", "", toy::Own, toy::Wrapped) {
  CHECK(close(moves<TestType>(data({{8}, {-6}, {1}, {1}, {8}, {-6}, {1}, {1}}), rg::Amp<>{}, rg::Accumulate<4>{}, rg::ClipNorm<>{1.5}), {-1, -1}));
}

TEMPLATE_TEST_CASE("K59 a policy's veto leaves weights, count and schedule, and the loss scale knows it was finite", "", toy::Own, toy::Wrapped) {
  toy::Product net;
  toy::Log log;
  bool clean = true;
  rg::Trainer trainer{net, TestType::sgd(net), toy::mean, rg::Amp<>{}, rg::Scheduler<rg::Constant>{.warmup = rg::steps(1)}, toy::record(net, log),
                      rg::on<rg::before_update>([](auto& step) { if (step.norm() > 10) step.skip(); }),
                      rg::on<rg::after_window>([&](auto&) { clean = clean && !net->weight.grad().defined(); })};
  const auto report = trainer.fit(data({{100}, {100}, {100}, {2}}), rg::epochs(1));
  CHECK(close(log.moves, {-2}));
  CHECK(report.updates == 1);
  CHECK(report.skipped == 3);
  CHECK(clean);
  CHECK(trainer.template get<rg::Amp<>>().loss_scale.scale == 65536);
  CHECK(trainer.template get<rg::Amp<>>().loss_scale.growth_tracker == 4);
}

TEMPLATE_TEST_CASE("K61 the loss scale has a floor, and too many skips in a row are an error", "", toy::Own, toy::Wrapped) {
  const toy::Data many(200, torch::ones({1, 1}));
  const rg::Amp<> amp{.loss_scale = {.floor = 1}, .max_skipped = 20};
  toy::Product net{0.5};
  std::vector<double> scales;
  rg::Trainer trainer{net, TestType::sgd(net), toy::mean, amp, plant([](auto) { return true; }),
                      rg::on<rg::before_window>([&](auto& step) { scales.push_back(step.outcome().scale); })};
  CHECK_THROWS_AS(trainer.fit(many, rg::epochs(1)), rg::Error);
  CHECK(trainer.counters().skipped == 20);
  REQUIRE(scales.size() == 20);
  for (std::size_t i = 1; i < scales.size(); ++i) CHECK(scales[i] == std::max(1.0, 65536 / std::pow(2.0, double(i) - 1)));
  CHECK(trainer.template get<rg::Amp<>>().loss_scale.scale == 1);
  CHECK(net->w() == 0.5);

  toy::Product other{0.5};
  rg::Trainer nan_trainer{other, TestType::sgd(other), toy::mean, amp};
  CHECK_THROWS_AS(nan_trainer.fit(toy::Data(200, torch::full({1, 1}, toy::nan)), rg::epochs(1)), rg::Error);
  CHECK(nan_trainer.counters().skipped == 20);
  CHECK(nan_trainer.template get<rg::Amp<>>().loss_scale.scale == 65536);  // nothing overflowed
  CHECK(other->w() == 0.5);
}

TEMPLATE_TEST_CASE("K27 an overflow in the first window halves the scale and does not tick", "", toy::Own, toy::Wrapped) {
  toy::Product net;
  toy::Log log;
  rg::Trainer trainer{net, TestType::sgd(net), toy::mean, rg::Amp<>{}, rg::Scheduler<rg::Constant>{.warmup = rg::steps(4)}, toy::record(net, log),
                      plant([](auto window) { return window == 0; })};
  const auto report = trainer.fit(toy::counting(4), rg::epochs(1));
  CHECK(close(log.rates, {0.25, 0.5, 0.75}));
  CHECK(report.updates == 3);
  CHECK(report.skipped == 1);
  CHECK(trainer.template get<rg::Amp<>>().loss_scale.scale == 32768);
}

namespace precision_cases {
struct ThreeImpl : torch::nn::Module {
  torch::Tensor weight = register_parameter("weight", torch::tensor({1.0f, 2.0f, 3.0f}));
  torch::Tensor forward(const torch::Tensor& x) { return weight * x; }
};
TORCH_MODULE(Three);
}  // namespace precision_cases

TEMPLATE_TEST_CASE("K67 a gradient norm that is not finite skips the update and leaves the gradients as they are", "", toy::Own, toy::Wrapped) {
  precision_cases::Three net;
  torch::Tensor seen;
  rg::StepOutcome outcome;
  rg::Trainer trainer{net, TestType::sgd(net), [](auto& n, const torch::Tensor& x) { return n->forward(x).sum(); }, rg::ClipNorm<>{1.0},
                      rg::Scheduler<rg::Constant>{.warmup = rg::steps(2)},
                      rg::on<rg::after_backward>([](auto& step) { step.gradients()[0].copy_(torch::tensor({1.0f, float(inf), 2.0f})); }),
                      rg::on<rg::before_update>([&](auto& step) { seen = step.gradients()[0].clone(); }),
                      rg::on<rg::after_window>([&](auto& step) { outcome = step.outcome(); })};
  const auto report = trainer.fit(data({{1}}), rg::epochs(1));
  CHECK(report.skipped == 1);
  CHECK(outcome.why == rg::Skip::nonfinite);
  CHECK(torch::equal(seen, torch::tensor({1.0f, float(inf), 2.0f})));
  CHECK(torch::equal(net->weight, torch::tensor({1.0f, 2.0f, 3.0f})));
  CHECK(trainer.counters().updates == 0);
}

TEST_CASE("K71 a window without a gradient has norm 0 and is no step") {
  torch::nn::Linear used{1, 1};
  toy::Line net{3};
  rg::Regimen window{net, rg::SGD{.lr = 1}, rg::ClipNorm<>{1.0}};
  const auto outcome = window.backward(window.forward([&] { return used(torch::ones({1, 1})).sum(); }));  // a loss of another model
  CHECK(outcome.closed);
  CHECK_FALSE(outcome.stepped);
  CHECK(outcome.why == rg::Skip::no_gradient);
  CHECK(outcome.norm == 0);
  CHECK(window.counters().updates == 0);
  CHECK(net->w() == 3);
}

TEST_CASE("K95 a saved loss scale goes on as it was") {
  toy::Product first, second;
  const auto plant_early = plant([](auto window) { return window < 3; });
  const toy::Data eight(8, torch::zeros({1, 1}));
  rg::Trainer a{first, rg::SGD{.lr = 1}, toy::mean, rg::Amp<>{}, plant_early};
  a.fit(eight, rg::epochs(1));
  const auto saved = a.save();
  rg::Trainer b{second, rg::SGD{.lr = 1}, toy::mean, rg::Amp<>{}, plant_early};
  b.load(saved);  // K97: before any fit
  for (auto* state : {&a.template get<rg::Amp<>>(), &b.template get<rg::Amp<>>()}) {
    CHECK(state->loss_scale.scale == 8192);
    CHECK(state->loss_scale.growth_tracker == 5);
  }
  b.fit(toy::Data(1, torch::zeros({1, 1})), rg::epochs(1));
  CHECK(b.template get<rg::Amp<>>().loss_scale.growth_tracker == 6);
}

TEST_CASE("K97 a state that is loaded before any fit rules the first window") {
  toy::Product net;
  std::vector<double> scales;
  rg::Trainer trainer{net, rg::SGD{.lr = 1}, toy::mean, rg::Amp<>{}, rg::on<rg::after_window>([&](auto& step) { scales.push_back(step.outcome().scale); })};
  auto saved = trainer.save();
  saved["policies/amp/loss_scale/scale"] = 8192.0;
  trainer.load(saved);
  trainer.fit(data({{1}}), rg::epochs(1));
  CHECK(scales == Values{8192});
}
