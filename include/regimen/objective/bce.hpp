// regimen/objective/bce.hpp - yes or no, for each output
#pragma once
#include <ATen/ops/binary_cross_entropy_with_logits.h>

#include "regimen/objective/loss.hpp"

namespace regimen {
/// Binary cross entropy of logits and targets in [0, 1] of the same shape; another shape throws regimen::Error.
/// Equals `torch.nn.functional.binary_cross_entropy_with_logits`. Example: `rg::Trainer{net, rg::AdamW{}, rg::BCE{}}`.
struct BCE {
  at::Tensor positive_weight{};  // as `pos_weight`
  Weighing weight = by_samples;

  static constexpr bool is_objective = true, on_output = true;

  Mean operator()(const at::Tensor& output, const at::Tensor& target) const {
    if (output.sizes() != target.sizes() || output.device() != target.device() || !target.is_floating_point())
      throw Error{"BCE", "target " + detail::shape_of(target) + " of " + c10::toString(target.scalar_type()) + " for logits " + detail::shape_of(output),
                  "a float target of the logits' shape, on their device"};
    const double n = output.dim() > 0 ? static_cast<double>(output.size(0)) : 1;
    return {at::binary_cross_entropy_with_logits(output, target, {}, positive_weight.defined() ? std::optional<at::Tensor>{positive_weight} : std::nullopt),
            n > 0 && weight == per_micro_batch ? 1 : n, n};
  }
};
}  // namespace regimen
