// tests/train/engine.cpp - one window: after a throw, without allocations, with terms in the update's own pass
#include "regimen/train/engine.hpp"

#include <ATen/record_function.h>
#include <catch2/catch_test_macros.hpp>
#include <stdexcept>

#include "support/toy.hpp"

using toy::close, toy::counting, toy::data, toy::Values;

namespace engine_tests {
struct Fault : std::runtime_error {
  Fault() : std::runtime_error("planted") {}
};
bool autocast_is_on() { return at::autocast::is_autocast_enabled(at::kCPU); }
}  // namespace engine_tests
using engine_tests::Fault;

TEST_CASE("after a throw in forward, objective or hook no gradient is left, the window is empty and scopes are closed") {
  const int where = GENERATE(0, 1, 2, 3);
  INFO("where " << where);
  toy::Line net;
  bool armed = true;
  const auto maybe = [&](int here) { if (armed && where == here) throw Fault{}; };
  int calls = 0;
  rg::Trainer trainer{net, rg::SGD{.lr = 1}, [&](auto& n, const torch::Tensor& x) {
    if (++calls == 2) maybe(0);
    auto loss = n->forward(x).to(torch::kFloat).mean();
    if (calls == 2) maybe(1);
    return loss;
  }, rg::Accumulate<4>{}, rg::Amp<torch::kBFloat16>{}, rg::on<rg::after_backward>([&](auto&) { maybe(2); }), rg::on<rg::before_update>([&](auto&) { maybe(3); })};
  CHECK_THROWS_AS(trainer.fit(counting(8), rg::epochs(1)), Fault);
  CHECK_FALSE(net->fc->weight.grad().defined());
  CHECK_FALSE(engine_tests::autocast_is_on());
  CHECK(net->w() == 0);
  armed = false;
  const auto report = trainer.fit(counting(4), rg::epochs(1));  // a whole window of its own
  CHECK(report.updates == 1);
  CHECK(net->w() == -2.5);
}

TEST_CASE("a throw in a validation restores modes and gradient mode") {
  torch::nn::Sequential net{torch::nn::Linear(1, 1), torch::nn::Dropout(0.5)};
  net[1]->eval();
  rg::Trainer trainer{net, rg::SGD{.lr = 1}, [](auto& n, const torch::Tensor& x) -> torch::Tensor {
    if (!torch::GradMode::is_enabled()) throw Fault{};
    return n->forward(x).mean();
  }};
  CHECK_THROWS_AS(trainer.evaluate(data({{1}})), Fault);
  CHECK(torch::GradMode::is_enabled());
  CHECK(net->is_training());
  CHECK(net[0]->is_training());
  CHECK_FALSE(net[1]->is_training());
}

namespace engine_tests {
thread_local std::int64_t operators = 0, depth = 0;  // those that others call are not counted
thread_local bool counting_operators = false;
std::unique_ptr<at::ObserverContext> begin_operator(const at::RecordFunction&) {
  operators += counting_operators && depth == 0;
  ++depth;
  return nullptr;
}
void end_operator(const at::RecordFunction&, at::ObserverContext*) { --depth; }
}  // namespace engine_tests

TEST_CASE("outside forward and backward a window runs no operator but the update, and allocates no tensor") {
  using namespace engine_tests;
  torch::nn::Linear net{4, 4};
  // Everything from the end of one backward to the next forward is counted, behind the first window.
  const auto handle = at::addThreadLocalCallback(at::RecordFunctionCallback(begin_operator, end_operator).scopes({at::RecordScope::FUNCTION}));
  std::int64_t updates = 0;
  rg::Trainer trainer{net, rg::AdamW{.lr = 1e-3}, [&](auto& n, const torch::Tensor& x) {
    counting_operators = false;
    return n->forward(x).square().mean();
  }, rg::Accumulate<2>{}, rg::ClipNorm<>{1e-3}, rg::Scheduler<rg::Cosine>{.warmup = rg::steps(2)}, rg::ParamGroups{rg::NoDecay{}},
     rg::on<rg::after_backward>([&](auto& step) { counting_operators = step.updates() > 0; }), rg::on<rg::after_update>([&](auto& step) { updates = step.updates(); })};
  operators = 0;
  trainer.fit(toy::Data(8, torch::ones({3, 4})), rg::epochs(1));
  counting_operators = false;
  at::removeCallback(handle);
  CHECK(updates == 4);
  CHECK(operators == 3 * 2);  // three counted updates, two groups, one fused operator each
  STATIC_CHECK(decltype(trainer)::plan().allocations == 0);
}

TEST_CASE("a root gradient that autograd keeps as a weight's gradient is not used again") {
  struct Bare : torch::nn::Module {
    torch::Tensor w = register_parameter("w", torch::zeros({1}));
  };
  auto net = std::make_shared<Bare>();
  rg::Trainer trainer{net, rg::SGD{.lr = 1}, [](auto& n, const torch::Tensor&) { return n->w.sum(); }, rg::Accumulate<4>{}};
  trainer.fit(counting(8), rg::epochs(1));
  CHECK(net->w.item<double>() == -2);
}

TEST_CASE("two tensors over one memory are one weight, whose gradients are added up") {
  struct Views : torch::nn::Module {
    torch::Tensor a = register_parameter("a", torch::zeros({2})), b;
    Views() { b = register_parameter("b", torch::Tensor{a.detach()}); }
  };
  auto net = std::make_shared<Views>();
  rg::Trainer trainer{net, rg::SGD{.lr = 1}, [](auto& n, const torch::Tensor& x) { return ((n->a + 2 * n->b) * x).sum(); }};
  trainer.fit(data({{1}}), rg::epochs(1));
  CHECK(torch::equal(net->a.detach(), torch::full({2}, -3.0f)));
  CHECK(trainer.partition().weights.size() == 1);
}

namespace engine_tests {
// A rule that takes terms: plain descent; each term is called with every element and with the number that it keeps beside it.
struct Descent {
  double lr = 1, weight_decay = 0;
  static constexpr bool is_optimizer = true, takes_terms = true;
  static constexpr rg::Facts facts{.name = "descent", .slot = "optimizer", .passes = 1};
  std::vector<std::string_view> state_names() const { return {}; }
  void update(const rg::UpdateList& l, const auto&... terms) const {
    for (std::size_t i = 0; i < l.weights.size(); ++i) {
      l.weights[i].sub_(l.gradients[i], l.rate);
      (terms(l.members[i], l.weights[i]), ...);
    }
  }
};
/// Keeps a running sum of the weights, in the update's pass where it can.
struct SumOfWeights {
  struct State {
    double sum = 0;
    std::int64_t in_pass = 0, after = 0;
    constexpr void archive(auto& a) { a("sum", sum); a("in_pass", in_pass); a("after", after); }
  };
  static constexpr rg::HookSet hooks{.update_term = true, .after_update = true};
  static constexpr rg::Facts facts{.name = "sum_of_weights", .slot = "sum"};
  auto update_term(auto&, State& s) const {
    return [&s](std::size_t, const torch::Tensor& w) {
      s.sum += w.sum().item<double>();
      ++s.in_pass;
    };
  }
  void after_update(auto& step, State& s) const {
    for (const auto& w : step.weights()) s.sum += w.sum().template item<double>();
    ++s.after;
  }
};
}  // namespace engine_tests

TEST_CASE("an update term goes into the pass of an optimizer that takes it, else after_update runs") {
  using namespace engine_tests;
  toy::Line with, without;
  rg::Trainer a{with, Descent{}, toy::mean, SumOfWeights{}};
  rg::Trainer b{without, rg::SGD{.lr = 1}, toy::mean, SumOfWeights{}};
  a.fit(counting(3), rg::epochs(1));
  b.fit(counting(3), rg::epochs(1));
  const auto &in_pass = a.get<SumOfWeights>(), &after = b.get<SumOfWeights>();
  CHECK(in_pass.sum == -1 - 3 - 6);
  CHECK(in_pass.in_pass == 3);
  CHECK(in_pass.after == 0);
  CHECK(after.sum == in_pass.sum);
  CHECK(after.in_pass == 0);
  CHECK(after.after == 3);
}

TEST_CASE("bad losses are refused before backward") {
  toy::Line net;
  const auto train = [&](auto objective) {
    rg::Trainer trainer{net, rg::SGD{.lr = 1}, objective};
    trainer.fit(counting(1), rg::epochs(1));
  };
  CHECK_THROWS_AS(train([](auto& n, const torch::Tensor& x) { return n->forward(x.repeat({2, 1})); }), rg::Error);
  CHECK_THROWS_AS(train([](auto& n, const torch::Tensor& x) { return n->forward(x).mean().detach(); }), rg::Error);
  CHECK_THROWS_AS(train([](auto&, const torch::Tensor&) { return torch::Tensor{}; }), rg::Error);
  CHECK(net->w() == 0);
}

TEST_CASE("an exception of LibTorch's says where in the run it came from") {
  toy::Line net;
  rg::Trainer trainer{net, rg::SGD{.lr = 1}, toy::mean, rg::Accumulate<2>{}};
  auto batches = counting(3);
  batches.push_back(torch::ones({1, 7}));  // of a wrong shape
  std::string what;
  try {
    trainer.fit(batches, rg::epochs(1));
  } catch (const c10::Error& error) {
    what = error.what();
  }
  CHECK(what.find("regimen: in forward and objective of micro-batch 4, behind 1 updates") != std::string::npos);
  CHECK(what.find("mat1 and mat2") != std::string::npos);
}
