// regimen/policy/clip_norm.hpp - scales the gradient down to a norm
#pragma once
#include <cmath>
#include <string>
#include <type_traits>

#include "regimen/core/error.hpp"
#include "regimen/core/outcome.hpp"
#include "regimen/core/policy.hpp"

namespace regimen {
namespace detail {
template <class P> constexpr bool is_a_norm(P p) {
  if constexpr (std::is_arithmetic_v<P>) return p > 0;  // 0 would count tensors
  else return true;
}
}  // namespace detail

/// Scales all gradients by max / (norm + 1e-6), at most 1, where `norm` is the `P`-norm of the true gradient of the whole window.
/// A norm that is not finite skips the update: weights, schedule and averages stay. One pass for the norm; the factor goes into the update.
/// Equals `torch.nn.utils.clip_grad_norm_` (Pascanu et al., 2013). `P` is 1, 2 (default), another number, or `rg::max_norm`.
/// Example: `rg::Trainer{net, rg::AdamW{}, rg::CrossEntropy{}, rg::ClipNorm<>{1.0}}`.
template <auto P = 2> struct ClipNorm {
  double max = 1.0;

  static_assert(detail::is_a_norm(P), "regimen: ClipNorm<P> needs P > 0, or rg::max_norm; see docs/errors.md#norm");

  struct State {};
  static constexpr Facts facts{.name = "clip_norm", .slot = "clip norm", .after = {"gradients"}, .writes = {"factor"}, .shares = "norm", .passes = 1, .bytes = 4,
                               .syncs = 1, .not_capturable = "its norm is read on the host"};
  static constexpr HookSet hooks{.set_up = true, .before_update = true};

  void set_up(auto&, State&) const {
    if (!(max > 0)) throw Error{"ClipNorm", "max is " + std::to_string(max), "a number above 0"};  // written so that NaN fails too
  }
  void before_update(auto& step, State&) const {
    const double norm = step.template norm<P>();
    if (!std::isfinite(norm)) return step.skip(Skip::nonfinite);
    const double coefficient = max / (norm + 1e-6);
    if (coefficient < 1) step.scale_gradients(coefficient);
  }
  bool operator==(const ClipNorm&) const = default;
};
ClipNorm(double) -> ClipNorm<>;
static_assert(policy<ClipNorm<>>);
}  // namespace regimen
