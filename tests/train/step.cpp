// tests/train/step.cpp - what a hook sees, and when: a policy that records every moment
#include "regimen/train/step.hpp"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <string>

#include "support/toy.hpp"

namespace step_tests {
struct Scope {
  std::string* out;
  explicit Scope(std::string* o) : out{o} { *out += "( "; }
  Scope(const Scope&) = delete;
  ~Scope() { *out += ") "; }
};
/// Writes the name of every moment into a text.
struct Recorder {
  static constexpr rg::HookSet hooks{.prepare_model = true, .partition = true, .set_up = true, .before_run = true, .before_epoch = true, .batch_arrival = true,
                                     .before_window = true, .forward_scope = true, .after_forward = true, .before_backward = true, .after_backward = true,
                                     .reduce = true, .before_update = true, .update_term = true, .after_update = true, .after_window = true,
                                     .before_validation = true, .after_validation = true, .checkpoint = true, .after_epoch = true, .report_epoch = true, .after_run = true};
  static constexpr rg::Facts facts{.name = "recorder"};
  struct State {};
  std::string* out = nullptr;

  void prepare_model(auto&, State&) const { *out += "prepare_model "; }
  void partition(auto&, State&) const { *out += "partition "; }
  void set_up(auto&, State&) const { *out += "set_up\n"; }
  void before_run(auto&, State&) const { *out += "before_run\n"; }
  void before_epoch(auto&, State&) const { *out += "before_epoch\n"; }
  void batch_arrival(auto& step, auto&, State&) const { *out += step.is_validating() ? "validation: batch_arrival " : "batch_arrival "; }
  void before_window(auto&, State&) const { *out += "before_window "; }
  Scope forward_scope(auto& step, State&) const {
    if (!step.is_validating()) *out += step.closes_window() ? "closes " : "open ";
    return Scope{out};
  }
  void after_forward(auto&, auto&, auto&, State&) const { *out += "after_forward "; }
  void before_backward(auto&, State&) const { *out += "before_backward "; }
  void after_backward(auto&, State&) const { *out += "after_backward\n"; }
  void reduce(auto&, State&) const { *out += "  reduce "; }
  void before_update(auto&, State&) const { *out += "before_update "; }
  int update_term(auto&, State&) const { return 0; }
  void after_update(auto&, State&) const { *out += "after_update "; }
  void after_window(auto&, State&) const { *out += "after_window "; }
  void before_validation(auto&, State&) const { *out += "before_validation "; }
  void after_validation(auto&, State&) const { *out += "after_validation\n"; }
  void checkpoint(auto&, State&) const { *out += "checkpoint\n"; }
  void after_epoch(auto&, State&) const { *out += "after_epoch\n"; }
  void report_epoch(auto&, State&) const { *out += "report_epoch\n"; }
  void after_run(auto&, State&) const { *out += "after_run\n"; }
};
static_assert(rg::policy<Recorder>);

std::vector<rg::Batch> batches(int n) { return std::vector<rg::Batch>(std::size_t(n), rg::Batch{torch::ones({1, 1}), torch::zeros({1, 1})}); }
}  // namespace step_tests
using namespace step_tests;

TEST_CASE("the moments of a run, in order of time") {
  std::string trace;
  toy::Line net{1};
  rg::Trainer trainer{net, rg::SGD{.lr = 0.1}, rg::MSE{}, rg::Accumulate<2>{}, Recorder{&trace}};
  CHECK(trace == "prepare_model partition set_up\n");
  trace.clear();
  trainer.fit(batches(3), batches(2), rg::epochs(1));
  CHECK(trace ==
        "before_run\n"
        "before_epoch\n"
        "batch_arrival before_window open ( after_forward ) before_backward after_backward\n"
        "batch_arrival closes ( after_forward ) before_backward after_backward\n"
        "  reduce before_update after_update after_window checkpoint\n"
        "batch_arrival before_window closes ( after_forward ) before_backward after_backward\n"
        "  reduce before_update after_update after_window checkpoint\n"
        "after_epoch\n"
        "before_validation validation: batch_arrival ( after_forward ) validation: batch_arrival ( after_forward ) after_validation\n"
        "report_epoch\n"
        "checkpoint\n"
        "after_run\n");
}

TEST_CASE("a vetoed window has no after_update, and one without weight no before_update either") {
  std::string trace;
  toy::Line net{1};
  rg::Trainer trainer{net, rg::SGD{.lr = 0.1}, rg::MSE{}, Recorder{&trace}, rg::on<rg::before_update>([](auto& step) { step.skip(); })};
  trace.clear();
  trainer.fit(batches(1), rg::epochs(1));
  CHECK(trace.find("reduce before_update after_window checkpoint\n") != std::string::npos);
  trace.clear();
  trainer.fit(std::vector<rg::Batch>{{torch::full({1, 1}, toy::nan), torch::zeros({1, 1})}}, rg::epochs(1));
  CHECK(trace.find("after_backward\nafter_window checkpoint\n") != std::string::npos);
}

TEST_CASE("several inline hooks of one moment run in the order of writing") {
  std::string trace;
  toy::Line net{1};
  rg::Trainer trainer{net, rg::SGD{.lr = 0.1}, toy::mean, rg::on<rg::after_update>([&](auto&) { trace += 'b'; }), rg::on<rg::after_update>([&](auto&) { trace += 'a'; }),
                      rg::Accumulate<1>{}, rg::on<rg::after_update>([&](auto&) { trace += 'c'; })};
  trainer.fit(toy::counting(2), rg::epochs(1));
  CHECK(trace == "bacbac");
}

TEST_CASE("the norm is that of the true gradient of the window, and is taken once") {
  toy::Product net;
  double by_two = 0, by_max = 0;
  rg::StepOutcome outcome;
  rg::Trainer trainer{net, rg::SGD{.lr = 1}, toy::sum, rg::Amp<>{.loss_scale = {.init_scale = 1024}}, rg::Accumulate<2>{}, rg::on<rg::before_update>([&](auto& step) {
    by_two = step.norm();
    by_max = step.template norm<rg::max_norm>();
    step.scale_gradients(0.5);
  }), rg::on<rg::after_window>([&](auto& step) { outcome = step.outcome(); })};
  trainer.fit(toy::data({{1, 2, 3}, {10}}), rg::epochs(1));
  CHECK(by_two == Catch::Approx(4).epsilon(1e-6));
  CHECK(by_max == Catch::Approx(4).epsilon(1e-6));
  CHECK(net->w() == Catch::Approx(-2).epsilon(1e-6));
  CHECK(outcome.stepped);
  CHECK(outcome.weight == 4);
  CHECK(outcome.scale == 1024);
}

TEST_CASE("a hook sees counts, weights and groups") {
  toy::Line net;
  std::int64_t samples = 0, total = 0;
  std::size_t weights = 0;
  double rate = 0;
  rg::Trainer trainer{net, rg::SGD{.lr = 0.5}, toy::mean, rg::Accumulate<2>{}, rg::on<rg::after_update>([&](auto& step) {
    samples = step.counters().samples;
    total = step.total_updates().value_or(-1);
    weights = step.weights().size();
    rate = step.groups().front().rate;
    CHECK(step.reduce(3.0, rg::Reduce::sum) == 3.0);
    CHECK(step.device() == torch::kCPU);
    CHECK(step.count_of(rg::Unit::steps) == double(step.updates()));
  })};
  trainer.fit(toy::data({{1, 1}, {2, 2}, {3, 3}}), rg::epochs(2));
  CHECK(samples == 12);
  CHECK(total == 4);
  CHECK(weights == 1);
  CHECK(rate == 0.5);
}
