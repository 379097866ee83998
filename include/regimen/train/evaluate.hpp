// regimen/train/evaluate.hpp - a batch becomes a loss, in training and in validation
#pragma once
#include <chrono>
#include <string_view>
#include <utility>

#include "regimen/data/parts.hpp"
#include "regimen/data/source.hpp"
#include "regimen/train/engine.hpp"

namespace regimen::detail {
template <class T> struct Restore {  // sets a value for a scope
  T& place;
  T was;
  Restore(T& p, T now) : place{p}, was{std::exchange(p, now)} {}
  Restore(const Restore&) = delete;
  ~Restore() { place = was; }
};

/// Engine and objective together.
template <class Engine, class Objective> class Evaluator {
 public:
  Engine e;
  Objective objective;

  Evaluator(auto&& model, auto&& optimizer, auto&& goal, auto&& policies)
      : e(std::forward<decltype(model)>(model), std::forward<decltype(optimizer)>(optimizer), std::forward<decltype(policies)>(policies)),
        objective(std::forward<decltype(goal)>(goal)) {}

  /// Loss and metrics in eval mode without gradients; modes come back, also on exceptions.
  Evaluation evaluate(auto& data) {
    at::NoGradGuard no_grad;
    ModeGuard mode{e.module()};
    Restore validating{e.is_validating, true};
    e.doing = "validation";
    const auto began = std::chrono::steady_clock::now();
    const EpochReport row = e.row;
    DeviceMean loss;
    Evaluation result;
    e.template tell<before_validation>();
    with_range(data, 0, [&](auto& range) {
      return for_each_batch(range, 0, e.validation_limit, [&](auto& batch, bool) {
        e.template tell<batch_arrival>(batch);
        const Loss value = e.in_scopes([&] { return loss_of(batch); });
        if (value.weight > 0) loss.add(value.value, value.is_sum ? 1 : value.count, value.count);
        ++result.batches;
        result.samples += samples_of(batch);
        return true;
      });
    });
    e.row.validation_loss = result.loss = loss.read();  // sync: once per validation
    e.validation_seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    e.template tell<after_validation>();
    for (const auto& [name, value] : e.row.values)
      if (name.starts_with("validation_")) result.values.emplace_back(name.substr(11), value);
    if (!e.is_fitting) e.row = row;  // of a run that is loaded, and not this call's to write
    return result;
  }

  Loss loss_of(auto& batch) {
    if constexpr (requires { Objective::on_output; }) {
      auto output = with_inputs(batch, [&](auto&... inputs) { return call_model(e.model, inputs...); });
      const auto loss = to_loss(objective(output, target_of(batch)));
      e.template tell<after_forward>(output, batch);
      return loss;
    } else if constexpr (requires { objective(e.model, batch); }) {
      auto loss = parts_of(objective(e.model, batch));
      if (loss.count == 0) loss.count = samples_of(batch);
      return loss;
    } else
      static_assert(sizeof(Objective) == 0, "regimen: an objective is rg::CrossEntropy{} and the like, or callable as (model, batch) -> loss; see docs/errors.md#objective");
  }

 private:
  // A struct with named parts logs them: `void parts(auto&& log) const { log("kl", kl); }`.
  Loss parts_of(const auto& loss) {
    auto step = Step{e};
    const auto log = [&](std::string_view name, const auto& value) { if (!e.is_validating) step.log(name, value); };
    if constexpr (requires { loss.parts(log); }) loss.parts(log);
    return to_loss(loss);
  }
};
}  // namespace regimen::detail
