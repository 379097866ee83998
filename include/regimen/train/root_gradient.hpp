// regimen/train/root_gradient.hpp - the number that enters a backward: what this loss weighs in its window
#pragma once
#include <ATen/core/Tensor.h>
#include <ATen/ops/full_like.h>

#include "regimen/tensor/scalar.hpp"

namespace regimen::detail {
/// One tensor for all backwards, unless autograd kept it, or a view of it, as the gradient of a weight.
class RootGradient {
 public:
  const at::Tensor& of(const at::Tensor& loss, double value) {
    const bool reusable = tensor_.defined() && tensor_.use_count() == 1 && tensor_.storage().use_count() == 1 && tensor_.sizes() == loss.sizes() &&
                          tensor_.scalar_type() == loss.scalar_type() && tensor_.device() == loss.device();
    if (!reusable) tensor_ = at::full_like(loss, value);
    else if (value_ != value) write_number(tensor_, value);
    value_ = value;
    return tensor_;
  }

 private:
  at::Tensor tensor_;
  double value_ = 0;
};
}  // namespace regimen::detail
