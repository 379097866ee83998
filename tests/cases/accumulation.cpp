// tests/cases/accumulation.cpp - cases on accumulation and on what a micro-batch weighs
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <memory>

#include "support/toy.hpp"

using toy::close, toy::counting, toy::data, toy::moves, toy::Values;

TEMPLATE_TEST_CASE("K1 token sums of 3 and 1 tokens equal one batch of 4, and a term of the mean keeps its share", "", toy::Own, toy::Wrapped) {
  CHECK(close(moves<TestType>(data({{1, 2, 3}, {10}}), toy::sum, 1, rg::Accumulate<2>{}), {-4}));
  const auto with_term = [](auto& net, const torch::Tensor& x) {
    const double count = static_cast<double>(x.numel());
    return rg::Sum{net->forward(x).sum() + count * 0.5 * net->fc->weight.sum(), count};
  };
  CHECK(close(moves<TestType>(data({{1, 2, 3}, {10}}), with_term, 1, rg::Accumulate<2>{}), {-4.5}));
  CHECK(close(moves<TestType>(data({{1, 2, 3, 10}}), with_term, 1), {-4.5}));
}

TEMPLATE_TEST_CASE("K3 backward runs per micro-batch: no two graphs are alive at a time", "", toy::Own, toy::Wrapped) {
  const auto run = [](auto policy) {
    std::weak_ptr<int> graph;  // held by a hook of the last graph
    int most = 0;
    const auto objective = [&](auto& net, const torch::Tensor& x) {
      most = std::max(most, graph.expired() ? 1 : 2);
      auto loss = net->forward(x).mean();
      auto token = std::make_shared<int>();
      graph = token;
      loss.register_hook([token](const torch::Tensor&) {});
      return loss;
    };
    auto moved = moves<TestType>(counting(8), objective, 1, policy);
    return std::pair{moved, most};
  };
  CHECK(run(rg::Accumulate<8>{}) == std::pair{Values{-4.5}, 1});
  CHECK(run(rg::Accumulate<1>{}).second == 1);
}

TEMPLATE_TEST_CASE("K5 the logged loss does not grow with the length of the window", "", toy::Own, toy::Wrapped) {
  const auto run = [](auto objective, auto policy) {
    toy::Line net{1};
    toy::Log log;
    rg::Trainer trainer{net, TestType::sgd(net), objective, policy, toy::record(net, log)};
    const auto report = trainer.fit(toy::Data(4, torch::full({2, 1}, 2.0)), rg::epochs(1));
    return std::pair{report.last().train_loss, log.moves.front()};
  };
  const std::pair right{2.0, -2.0};
  CHECK(run(toy::mean, rg::Accumulate<4>{}) == right);
  CHECK(run(toy::sum, rg::Accumulate<4>{}) == right);
  toy::Line net{1};
  for (const bool sums : {false, true}) {  // with N = 1 the loss falls from window to window: the first is looked at
    rg::Trainer trainer{toy::Line{1}, rg::SGD{.lr = 1}, [sums](auto& n, const torch::Tensor& x) {
      auto loss = n->forward(x);
      return sums ? rg::Sum{loss.sum(), double(loss.numel())} : rg::Sum{loss.mean(), 1};
    }};
    CHECK(trainer.fit(toy::Data(1, torch::full({2, 1}, 2.0)), rg::epochs(1)).last().train_loss == 2);
  }
}

TEMPLATE_TEST_CASE("K7 the short last window divides by its own length", "", toy::Own, toy::Wrapped) {
  CHECK(close(moves<TestType>(counting(10), toy::mean, 1, rg::Accumulate<4>{}), {-2.5, -6.5, -9.5}));
  CHECK(close(moves<TestType>(counting(10), toy::sum, 1, rg::Accumulate<>{4}), {-2.5, -6.5, -9.5}));
}

TEMPLATE_TEST_CASE("K9 three batches by two are two updates", "", toy::Own, toy::Wrapped) {
  toy::Line net;
  rg::Trainer trainer{net, TestType::sgd(net), toy::mean, rg::Accumulate<2>{}};
  const auto report = trainer.fit(counting(3), rg::epochs(1));
  CHECK(report.updates == 2);
  CHECK(net->w() == -4.5);
}

TEMPLATE_TEST_CASE("K11 a window does not cross epochs, and leaves no gradient", "", toy::Own, toy::Wrapped) {
  toy::Line net;
  toy::Log log;
  bool clean = true;
  rg::Trainer trainer{net, TestType::sgd(net), toy::mean, rg::Accumulate<2>{}, toy::record(net, log), rg::on<rg::after_epoch>([&](auto& step) {
    clean = clean && !net->fc->weight.grad().defined() && step.window().is_empty();
  })};
  trainer.fit(counting(3), rg::epochs(2));
  CHECK(close(log.moves, {-1.5, -3, -1.5, -3}));
  CHECK(clean);
}

TEMPLATE_TEST_CASE("K13 a window without tokens is no step, and an uneven one divides by its tokens", "", toy::Own, toy::Wrapped) {
  toy::Line net;
  toy::Log log;
  std::vector<double> losses;
  rg::Trainer trainer{net, TestType::sgd(net), toy::sum, rg::Accumulate<2>{}, toy::record(net, log), rg::Scheduler<rg::Constant>{.warmup = rg::steps(1)},
                      rg::on<rg::after_window>([&](auto& step) { losses.push_back(step.mean_loss()); })};
  const auto report = trainer.fit(data({{toy::nan}, {toy::nan}, {3, 3}, {toy::nan}, {8}, {0, 0, 0}}), rg::epochs(1));
  CHECK(close(log.moves, {-3, -2}));
  CHECK(report.updates == 2);
  CHECK(report.skipped == 1);
  CHECK(std::isnan(losses[0]));  // no point for a window without tokens
  CHECK(losses[1] == 0);         // w was 0
}

TEMPLATE_TEST_CASE("K15 a loss that is NaN leaves neither gradient nor weight", "", toy::Own, toy::Wrapped) {
  CHECK(close(moves<TestType>(data({{1}, {toy::nan}, {3}, {4}, {5}, {6}, {7}, {8}}), toy::mean, 1, rg::Accumulate<4>{}), {-8.0 / 3, -6.5}));
}

namespace accumulation_cases {
// A batch without valid targets, then one with gradient 3, for three objectives.
auto masked_squares = [](auto& net, const torch::Tensor& x) {  // gradient of 0.5 (w x)^2 at w = 1 is x^2
  const auto valid = x.isnan().logical_not();
  const auto y = net->forward(x.nan_to_num());
  return rg::Sum{(0.5 * y * y * valid).sum(), valid.sum()};
};
}  // namespace accumulation_cases

TEMPLATE_TEST_CASE("K17 a batch without valid targets adds nothing, whatever the objective", "", toy::Own, toy::Wrapped) {
  const auto run = [](double w, auto objective, const toy::Data& batches, auto policy) {
    toy::Line net{w};
    rg::Trainer trainer{net, TestType::sgd(net), objective, policy};
    const auto report = trainer.fit(batches, rg::epochs(1));
    return std::pair{net->w() - w, report.updates};
  };
  const std::pair none{0.0, std::int64_t{0}}, moved{-3.0, std::int64_t{1}};
  CHECK(run(0, toy::sum, data({{toy::nan}}), rg::Accumulate<1>{}) == none);
  CHECK(run(0, toy::sum, data({{toy::nan}, {3}}), rg::Accumulate<2>{}) == moved);
  CHECK(run(1, accumulation_cases::masked_squares, data({{toy::nan}}), rg::Accumulate<1>{}) == none);
  CHECK(run(1, accumulation_cases::masked_squares, data({{toy::nan}, {std::sqrt(3.0)}}), rg::Accumulate<2>{}).first == Catch::Approx(-3).epsilon(1e-6));

  // Cross-entropy over logits (w, 0): with w = 0 the gradient of x w is (p - 1) x for class 0; x = -6 makes it 3.
  const auto logits = [](auto& net, const std::pair<torch::Tensor, torch::Tensor>& batch) {
    const auto y = net->forward(batch.first);
    return rg::CrossEntropy{}(torch::cat({y, torch::zeros_like(y)}, 1), batch.second);
  };
  const auto sample = [](double x, std::int64_t target) { return std::pair{torch::full({1, 1}, x), torch::full({1}, target, torch::kLong)}; };
  const auto train = [&](std::vector<std::pair<torch::Tensor, torch::Tensor>> batches, auto policy) {
    toy::Line net;
    rg::Trainer trainer{net, TestType::sgd(net), logits, policy};
    const auto report = trainer.fit(batches, rg::epochs(1));
    return std::pair{net->w(), report.updates};
  };
  CHECK(train({sample(5, -100)}, rg::Accumulate<1>{}) == none);
  CHECK(train({sample(5, -100), sample(-6, 0)}, rg::Accumulate<2>{}) == moved);
}

TEMPLATE_TEST_CASE("KZ14 the loss of a micro-batch whose targets are all ignored is not logged", "", toy::Own, toy::Wrapped) {
  toy::Line net;
  const auto objective = [](auto& n, const std::pair<torch::Tensor, torch::Tensor>& batch) {
    const auto y = n->forward(batch.first);
    return rg::CrossEntropy{}(torch::cat({y, torch::zeros_like(y)}, 1), batch.second);
  };
  rg::Trainer trainer{net, TestType::sgd(net), objective, rg::Accumulate<2>{}};
  const std::vector<std::pair<torch::Tensor, torch::Tensor>> batches{{torch::full({1, 1}, 5.0), torch::full({1}, -100, torch::kLong)},
                                                                     {torch::full({1, 1}, -6.0), torch::zeros({1}, torch::kLong)}};
  const auto report = trainer.fit(batches, rg::epochs(1));
  CHECK(net->w() == -3);
  CHECK(report.last().train_loss == Catch::Approx(std::log(2.0)));
}

TEMPLATE_TEST_CASE("KZ16 where a window ends and what it divides by are two things", "", toy::Own, toy::Wrapped) {
  CHECK(close(moves<TestType>(counting(7), toy::mean, 1, rg::Accumulate<4>{}), {-2.5, -6}));
  CHECK(close(moves<TestType>(counting(13), toy::mean, 1, rg::Accumulate<8>{}), {-4.5, -11}));
}
