// tests/support/tensors.hpp - bits, strides and allocations of tensors, and what an Error says
#pragma once
#include <torch/torch.h>

#include <cstring>
#include <memory>
#include <string>

#include "regimen/core/error.hpp"

namespace tensors {
/// The same shape, dtype and bits; strides may differ, and one NaN is like another.
inline bool same_bits(const torch::Tensor& a, const torch::Tensor& b) {
  if (!a.defined() || !b.defined()) return a.defined() == b.defined();
  if (a.sizes() != b.sizes() || a.scalar_type() != b.scalar_type()) return false;
  const auto of = [](const torch::Tensor& t) { return t.detach().masked_fill(t.isnan(), 1).contiguous(); };
  const auto x = of(a), y = of(b);
  return torch::equal(a.isnan(), b.isnan()) &&
         (x.numel() == 0 || std::memcmp(x.const_data_ptr(), y.const_data_ptr(), x.nbytes()) == 0);
}
/// The same numbers as every other element of a buffer: neither contiguous nor dense.
inline torch::Tensor spread(const torch::Tensor& t) {
  auto sizes = t.sizes().vec();
  sizes.push_back(2);
  const auto wide = torch::full(sizes, 7, t.options()).select(-1, 0);
  wide.copy_(t);
  return wide;
}

struct AllocationCount : c10::MemoryReportingInfoBase {
  std::int64_t count = 0;
  void reportMemoryUsage(void*, std::int64_t size, std::size_t, std::size_t, c10::Device) override { count += size > 0; }
  bool memoryProfilingEnabled() const override { return true; }
};
/// How many times `f` asks for tensor memory.
inline std::int64_t allocations_of(auto&& f) {
  const auto counted = std::make_shared<AllocationCount>();
  const c10::DebugInfoGuard guard{c10::DebugInfoKind::PROFILER_STATE, counted};
  f();
  return counted->count;
}

/// What `f` complains of as a regimen::Error, "" if it doesn't.
inline std::string error_of(auto&& f) {
  try {
    f();
  } catch (const regimen::Error& error) {
    return error.what();
  }
  return "";
}
}  // namespace tensors
