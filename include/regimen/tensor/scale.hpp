// regimen/tensor/scale.hpp - multiplies many tensors by one number, in place
#pragma once
#include <vector>

#include <ATen/core/Tensor.h>
#include <ATen/ops/_foreach_mul.h>

#include "regimen/tensor/compat.hpp"

namespace regimen {
namespace detail {
template <class T> void scale_run(T* x, int64_t n, T factor) {
  for (int64_t i = 0; i < n; ++i) x[i] *= factor;
}
}  // namespace detail

/// x *= factor for every defined tensor, with the bits of `Tensor::mul_(factor)`; nothing is allocated on the CPU for float and double.
/// Equals `torch._foreach_mul_`. Example: `rg::scale(gradients, 0.25);`
inline void scale(const std::vector<at::Tensor>& tensors, double factor) {
  at::NoGradGuard no_grad;
  std::vector<at::Tensor> others;
  for (const auto& t : tensors) {
    if (!t.defined()) continue;
    const bool plain = t.device().is_cpu() && detail::is_dense(t);
    if (plain && t.scalar_type() == at::kFloat) detail::scale_run(t.mutable_data_ptr<float>(), t.numel(), static_cast<float>(factor));
    else if (plain && t.scalar_type() == at::kDouble) detail::scale_run(t.mutable_data_ptr<double>(), t.numel(), factor);
    else {
      others.push_back(t);
      continue;
    }
    detail::bump_version(t);  // a graph may have kept it, as a second derivative's does
  }
  if (!others.empty()) at::_foreach_mul_(others, factor);
}
}  // namespace regimen
