// regimen/policy/amp.hpp - mixed precision: autocast, and for half a loss scale
#pragma once
#include <string>

#include "regimen/core/error.hpp"
#include "regimen/core/outcome.hpp"
#include "regimen/core/policy.hpp"
#include "regimen/precision/autocast.hpp"
#include "regimen/precision/loss_scale.hpp"

namespace regimen {
namespace detail {
inline void check_amp(auto& step, at::ScalarType dtype) {
  if (!(step.device().is_cpu() || step.device().is_cuda()))
    throw Error{"Amp", "autocast is not known for the device of the model", "a model on the CPU or on CUDA"};
  for (const auto& w : step.partition().weights)
    if (w.trains() && w.tensor.scalar_type() == at::kHalf)
      throw Error{"Amp", "parameter " + w.name + " is half itself", "float parameters: autocast makes the half copies"};
  if (dtype != at::kHalf && dtype != at::kBFloat16) throw Error{"Amp", "this type is not one for autocast", "torch::kHalf or torch::kBFloat16"};
}
}  // namespace detail

/// Mixed precision: forward and objective run under autocast to `Dtype`; the scope closes before backward and on exceptions.
/// `Amp<>` is half with a dynamic loss scale, as on CUDA; `Amp<torch::kBFloat16>` is autocast alone. Half costs a pass for the finite check
/// (`ClipNorm`'s, where there is one). An update whose gradient is not finite is skipped; `max_skipped` in a row throw regimen::Error.
/// Equals `torch.autocast` with `torch.amp.GradScaler`. Example: `rg::Trainer{net, rg::AdamW{}, rg::CrossEntropy{}, rg::Amp<torch::kBFloat16>{}}`.
template <at::ScalarType Dtype = at::kHalf> struct Amp {
  LossScaleOptions loss_scale{};
  std::int64_t max_skipped = 50;  // windows in a row without an update

  struct State {
    LossScale loss_scale;
    std::int64_t skipped = 0;
    constexpr void archive(auto& a) { a("loss_scale", loss_scale); a("skipped", skipped); }
  };
  static constexpr Facts facts{.name = "amp", .slot = "precision", .after = {"clip norm"}, .writes = {"factor"}, .shares = "norm", .passes = 1, .bytes = 4, .syncs = 1,
                               .not_capturable = "its finite check is read on the host"};
  static constexpr HookSet hooks{.set_up = true, .forward_scope = true, .before_backward = true, .before_update = true, .after_window = true};

  void set_up(auto& step, State& state) const {
    detail::check_amp(step, Dtype);
    state.loss_scale.scale = loss_scale.init_scale;
  }
  AutocastScope forward_scope(auto& step, State&) const { return {step.device().type(), Dtype}; }
  void before_backward(auto& step, State& state) const { step.scale_loss(state.loss_scale.scale); }
  void before_update(auto& step, State&) const {
    if (step.nonfinite()) step.skip(Skip::nonfinite);
  }
  void after_window(auto& step, State& state) const {
    const auto& outcome = step.outcome();
    if (outcome.why != Skip::no_weight && outcome.why != Skip::no_gradient) state.loss_scale.update(step.nonfinite(), loss_scale);
    state.skipped = outcome.stepped || outcome.why == Skip::veto ? 0 : state.skipped + 1;
    if (state.skipped >= max_skipped)
      throw Error{"Amp", std::to_string(state.skipped) + " windows in a row had no finite loss or gradient (loss scale " +
                  std::to_string(state.loss_scale.scale) + ")", "a lower learning rate, ClipNorm, or Amp<torch::kBFloat16>"};
  }
  bool operator==(const Amp&) const = default;
};

template <> struct Amp<at::kBFloat16> {
  struct State {};
  static constexpr Facts facts{.name = "amp", .slot = "precision"};
  static constexpr HookSet hooks{.set_up = true, .forward_scope = true};

  void set_up(auto& step, State&) const { detail::check_amp(step, at::kBFloat16); }
  AutocastScope forward_scope(auto& step, State&) const { return {step.device().type(), at::kBFloat16}; }
  bool operator==(const Amp&) const = default;
};
static_assert(policy<Amp<>> && policy<Amp<at::kBFloat16>>);
}  // namespace regimen
