// regimen/policy/metrics.hpp - numbers beside the loss
#pragma once
#include <array>
#include <string>
#include <tuple>

#include "regimen/core/policy.hpp"
#include "regimen/tensor/scalar.hpp"

namespace regimen {
/// Measures outputs against targets, weighted by samples: in training as the model then was, and in each validation as `validation_NAME`.
/// A metric is a class with `name`, and `at::Tensor operator()(output, target)` that returns a mean over the samples.
/// No sync but one per epoch; needs an objective on (output, target). Example: `rg::Metrics{rg::Accuracy{}, rg::TopK<5>{}}`.
template <class... Ms> struct Metrics {
  std::tuple<Ms...> metrics{};

  constexpr Metrics() = default;
  constexpr Metrics(const Ms&... m) requires(sizeof...(Ms) > 0) : metrics{m...} {}

  struct State {
    std::array<DeviceMean, sizeof...(Ms)> training, validation;
    constexpr void archive(auto& a) { a("training", training); a("validation", validation); }
  };
  static constexpr Facts facts{.name = "metrics", .slot = "metrics", .needs = {"output"}};
  static constexpr HookSet hooks{.before_epoch = true, .after_forward = true, .before_validation = true, .after_validation = true, .report_epoch = true};

  void before_epoch(auto& step, State& state) const {
    if (step.at_epoch_start()) for (auto& mean : state.training) mean.clear();
  }
  void after_forward(auto& step, auto& output, auto& batch, State& state) const {
    at::NoGradGuard no_grad;
    if (step.samples_of(batch) == 0) return;
    auto mean = step.is_validating() ? state.validation.begin() : state.training.begin();
    std::apply([&](const auto&... metric) { ((mean++)->add(metric(output, step.target_of(batch)), step.samples_of(batch)), ...); }, metrics);
  }
  void before_validation(auto&, State& state) const {
    for (auto& mean : state.validation) mean.clear();
  }
  void after_validation(auto& step, State& state) const { report(step, state.validation, "validation_"); }
  void report_epoch(auto& step, State& state) const { report(step, state.training, ""); }

 private:
  void report(auto& step, const auto& means, const char* prefix) const {
    auto mean = means.begin();
    std::apply([&](const auto&... metric) { (step.report(prefix + std::string{metric.name}, (mean++)->read()), ...); }, metrics);  // sync: once an epoch
  }
};
template <class... Ms> Metrics(const Ms&...) -> Metrics<Ms...>;
}  // namespace regimen
