// regimen/tensor/compat.hpp - every probe of LibTorch's version, and what differs behind one name
#pragma once
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>

// As in ATen/autocast_mode.h of LibTorch 2.7 to 2.15, which would bring in every operator (ATen/Operators.h).
namespace at::autocast {
TORCH_API bool is_autocast_enabled(at::DeviceType);
TORCH_API void set_autocast_enabled(at::DeviceType, bool);
TORCH_API at::ScalarType get_autocast_dtype(at::DeviceType);
TORCH_API void set_autocast_dtype(at::DeviceType, at::ScalarType);
TORCH_API int increment_nesting();
TORCH_API int decrement_nesting();
TORCH_API void clear_cache();
TORCH_API bool is_autocast_cache_enabled();
TORCH_API void set_autocast_cache_enabled(bool);
}  // namespace at::autocast

namespace regimen::detail {
/// Tells autograd that a weight changed in place: the fused operators don't, and a backward across the update would be wrong unnoticed.
/// What torch::autograd::impl::bump_version does.
inline void bump_version(const at::Tensor& t) { t.unsafeGetTensorImpl()->bump_version(); }

/// Can a raw kernel take this memory as one run of numbers?
inline bool is_dense(const at::Tensor& t) { return t.layout() == at::kStrided && t.is_non_overlapping_and_dense(); }
}  // namespace regimen::detail
