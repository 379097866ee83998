// regimen/objective/mse.hpp - regression
#pragma once
#include <ATen/ops/mse_loss.h>

#include "regimen/objective/loss.hpp"

namespace regimen {
/// Mean squared error of output and target of the same shape; a target that would broadcast throws regimen::Error.
/// Equals `torch.nn.functional.mse_loss`. Example: `rg::Trainer{net, rg::SGD{.lr = 0.1}, rg::MSE{}}`.
struct MSE {
  Weighing weight = by_samples;

  static constexpr bool is_objective = true, on_output = true;

  Mean operator()(const at::Tensor& output, const at::Tensor& target) const {
    if (output.sizes() != target.sizes() || output.device() != target.device() || !target.is_floating_point())
      throw Error{"MSE", "target " + detail::shape_of(target) + " of " + c10::toString(target.scalar_type()) + " for output " + detail::shape_of(output),
                  "a float target of the output's shape, on its device"};
    const double n = output.dim() > 0 ? static_cast<double>(output.size(0)) : 1;
    return {at::mse_loss(output, target), n > 0 && weight == per_micro_batch ? 1 : n, n};
  }
};
}  // namespace regimen
