// regimen/train/engine.hpp - one optimizer window: everything between a loss and new weights
#pragma once
#include <chrono>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "regimen/core/check.hpp"
#include "regimen/core/order.hpp"
#include "regimen/core/window.hpp"
#include "regimen/objective/loss.hpp"
#include "regimen/optim/own.hpp"
#include "regimen/optim/wrapped.hpp"
#include "regimen/tensor/draft.hpp"
#include "regimen/train/measure.hpp"
#include "regimen/train/report.hpp"
#include "regimen/train/root_gradient.hpp"
#include "regimen/train/step.hpp"

namespace regimen::detail {
template <class O> struct RuleOf { using type = WrappedOptimizer<O>; };
template <class O> requires own_optimizer<std::remove_cvref_t<O>> struct RuleOf<O> { using type = OwnOptimizer<std::remove_cvref_t<O>>; };

/// Model, optimizer, policies and all that changes in a run. Regimen and Trainer own one each; hooks see it as a Step.
template <class Model, class Optimizer, class P> class Engine {
 public:
  using Policies = P;
  Model model;
  std::tuple<typename RuleOf<Optimizer>::type> rules;  // cells say which one updates them; today there is one
  Cast<P> cast;
  Partition partition{};
  Counters run{};
  Window window{};
  StepOutcome outcome{};
  Skip skip = Skip::none;
  std::size_t window_length = 1;
  double loss_scale = 1;
  bool own_weights_only = false;  // gradients of other models that a loss goes through stay as they are
  bool is_last_batch = false, is_validating = false, wants_validation = false;
  std::int64_t limit = 0, validation_limit = 0;
  std::optional<std::int64_t> batches_left{}, total_updates{};
  std::string stop_reason{};
  const char* doing = "set-up";  // for messages
  DeviceMean mean_loss{};
  std::map<std::string, DeviceMean> logs{};
  EpochReport row{};
  std::chrono::steady_clock::time_point began{};
  double validation_seconds = 0;  // in this epoch
  bool is_fitting = false;

  Engine(auto&& m, auto&& optimizer, auto&& policies)
      : model(std::forward<decltype(m)>(m)), rules(typename RuleOf<Optimizer>::type(std::forward<decltype(optimizer)>(optimizer))),
        cast{std::forward<decltype(policies)>(policies), {}} {
    set_up();
  }

  auto& module() { return module_of(model); }
  auto& groups() { return std::get<0>(rules).groups(); }
  double minutes() const { return run.minutes + std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count() / 60; }
  void settle_clock() {
    run.minutes = minutes();
    began = std::chrono::steady_clock::now();
  }
  template <Moment M> void tell(auto&... arguments) {
    auto step = Step{*this};
    cast.template tell<M>(step, arguments...);
  }

  std::vector<at::Tensor> trained() const {
    std::vector<at::Tensor> all;
    for (const auto& w : partition.weights)
      if (w.trains()) all.push_back(w.tensor);
    return all;
  }
  const std::vector<at::Tensor>& gradients() {
    gradients_.clear();
    for (const auto& cell : partition.cells)
      for (auto i : cell.weights)
        if (partition.takes_part(i)) gradients_.push_back(partition.weights[i].tensor.grad());
    return gradients_;
  }
  template <auto Power> double norm() { return outcome.norm = measure_.template norm<Power>([&]() -> const auto& { return gradients(); }); }
  bool nonfinite() { return measure_.nonfinite([&] { norm<2>(); }); }

  void open_window() {
    auto length = static_cast<std::int64_t>(window_length);
    if (batches_left && *batches_left > 0 && *batches_left < length) length = *batches_left;  // the short last window
    window.open(static_cast<std::size_t>(length));
    loss_scale = 1;
    skip = Skip::none;
    for (auto& cell : partition.cells) cell.factor = 1;
    tell<before_window>();
  }
  /// Runs `f` in the scopes of the policies.
  template <class F> decltype(auto) forward(F&& f) {
    if (!window.is_open()) open_window();
    doing = "forward and objective";
    return in_scopes(std::forward<F>(f));
  }
  template <class F> decltype(auto) in_scopes(F&& f) {
    auto step = Step{*this};
    return cast.in_scopes(step, std::forward<F>(f));
  }
  static bool is_usable(const Loss& loss) {
    check_loss(loss.value);
    if (!(loss.weight >= 0) || !std::isfinite(loss.weight))
      throw Error{"objective", "its weight is " + std::to_string(loss.weight), "a finite number of samples or tokens, at least 0"};
    return !loss.value.device().is_cpu() || std::isfinite(read_number(loss.value));
  }
  /// Adds the gradient of one loss to the window; a loss that is not finite adds nothing.
  /// `keeps_graph`: another loss of the same micro-batch may share it.
  void add(const Loss& loss, bool counts, bool keeps_graph = false) {
    if (!window.is_open()) open_window();
    const double weight = is_usable(loss) ? loss.weight : 0;
    doing = "backward";
    tell<before_backward>();
    if (weight > 0) {
      const double root = loss_scale * (loss.is_sum ? window.root_of_sum(weight) : window.root_of_mean(weight));
      if (own_weights_only) loss.value.backward(root_gradient_.of(loss.value, root), keeps_graph, false, backward_inputs());
      else loss.value.backward(root_gradient_.of(loss.value, root));
    }
    if (!counts) return;
    if (const double count = loss.count > 0 ? loss.count : weight; weight > 0) mean_loss.add(loss.value, loss.is_sum ? 1 : count, count);
    window.add(weight);
    ++run.micro_batches;
    if (loss.is_sum) run.tokens += weight;
    tell<after_backward>();
  }
  StepOutcome after_micro_batch(bool close_now) {
    if (window.is_full() || close_now) return close();
    return {};
  }
  /// Reduce, clip, update or skip, then an empty window without gradients.
  StepOutcome close() {
    if (window.is_empty()) {
      abandon();  // what `add` left
      return {.why = Skip::no_weight};
    }
    doing = "update";
    outcome = {.closed = true, .why = Skip::none, .weight = window.weight(), .scale = loss_scale};
    const double factor = window.factor() / loss_scale;
    measure_.begin(factor);
    for (auto& cell : partition.cells) cell.factor *= factor;
    join_aliases();
    if (!window.has_gradient()) skip = Skip::no_weight;
    else if (skip == Skip::none && std::ranges::none_of(partition.weights, [](const Weight& w) { return w.trains() && w.tensor.grad().defined(); })) skip = Skip::no_gradient;
    if (skip != Skip::no_weight) {
      tell<reduce>();
      tell<before_update>();
    }
    if (skip == Skip::none) {
      update();
      ++run.updates;
    } else ++run.skipped;
    ++run.windows;
    outcome.stepped = skip == Skip::none;
    outcome.why = skip;
    drop_gradients();
    window = Window{};
    auto step = Step{*this};
    if (outcome.stepped) cast.template tell_after_update<rules_take_terms>(step);
    tell<after_window>();
    return outcome;
  }
  /// After a throw: no gradient, no half window.
  void abandon() noexcept {
    drop_gradients();
    window = Window{};
  }
  template <class F> decltype(auto) guarded(F&& f) {
    try {
      return f();
    } catch (c10::Error& error) {
      abandon();
      error.add_context("regimen: in " + std::string{doing} + " of micro-batch " + std::to_string(run.micro_batches + 1) + ", behind " + std::to_string(run.updates) + " updates");
      throw;
    } catch (...) {
      abandon();
      throw;
    }
  }
  /// Training mode as the user set it, or for all if the whole model was in eval mode; wholly frozen modules in eval mode.
  void train_mode() {
    auto& root = module();
    if (!root.is_training()) root.train();
    if (partition.frozen_modules.empty()) return;
    for_each_module(root, [&](const std::string& name, auto& m) {
      if (std::ranges::find(partition.frozen_modules, name) != partition.frozen_modules.end()) m.train(false);
    });
  }

 private:
  const std::vector<at::Tensor>& backward_inputs() {
    if (trained_version_ != partition.version) {
      inputs_.clear();
      for (const auto& w : partition.weights) {
        if (w.trains() && w.tensor.requires_grad()) inputs_.push_back(w.tensor);
        for (const auto& t : w.aliases)
          if (w.trains() && t.requires_grad()) inputs_.push_back(t);
      }
      trained_version_ = partition.version;
    }
    return inputs_;
  }
  static constexpr bool rules_take_terms = RuleOf<Optimizer>::type::takes_terms;
  void update() {
    if constexpr (rules_take_terms) {
      auto step = Step{*this};
      cast.with_terms(step, [&](const auto&... terms) { std::apply([&](auto&... rule) { (rule.update(partition, terms...), ...); }, rules); });
    } else std::apply([&](auto&... rule) { (rule.update(partition), ...); }, rules);
  }
  void set_up() {
    cast.template tell<prepare_model>(module());
    Draft draft{module(), partition};
    cast.template tell<Moment::partition>(draft);
    draft.finish();
    std::get<0>(rules).set_up(partition);
    drop_gradients();
    train_mode();
    tell<Moment::set_up>();
  }
  void drop_gradients() noexcept {
    for (auto& w : partition.weights) {
      w.tensor.mutable_grad() = at::Tensor{};  // undefined: zeros would still be applied
      for (auto& t : w.aliases) t.mutable_grad() = at::Tensor{};
    }
  }
  void join_aliases() {
    at::NoGradGuard no_grad;
    for (auto& w : partition.weights)
      for (auto& t : w.aliases)
        if (auto& gradient = t.mutable_grad(); gradient.defined()) {
          if (w.tensor.grad().defined()) w.tensor.mutable_grad().add_(gradient);
          else w.tensor.mutable_grad() = gradient;
          gradient = at::Tensor{};
        }
  }

  std::vector<at::Tensor> gradients_, inputs_;  // kept for their memory
  std::uint64_t trained_version_ = 0;
  RootGradient root_gradient_;
  Measure measure_;
};
}  // namespace regimen::detail
