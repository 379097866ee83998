// regimen/tensor/compat.hpp - every probe of LibTorch's version, and what differs behind one name
#pragma once
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/variable.h>

namespace regimen::detail {
/// Tells autograd that a weight changed in place: the fused operators don't, and a backward across the update would be wrong unnoticed.
inline void bump_version(const at::Tensor& t) { torch::autograd::impl::bump_version(t); }

/// Can a raw kernel take this memory as one run of numbers?
inline bool is_dense(const at::Tensor& t) { return t.layout() == at::kStrided && t.is_non_overlapping_and_dense(); }
}  // namespace regimen::detail
