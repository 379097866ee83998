// regimen/tensor/scalar.hpp - a number that a tensor holds, and sums that stay where the tensors are
#pragma once
#include <limits>
#include <optional>
#include <string>

#include "regimen/core/error.hpp"
#include "regimen/tensor/compat.hpp"

namespace regimen {
namespace detail {
/// The number in a tensor of one element. On the CPU a plain read; elsewhere it waits for the device.
inline double read_number(const at::Tensor& t) {
  if (t.numel() != 1) throw Error{"number", "a tensor of " + std::to_string(t.numel()) + " numbers where one is meant", ".mean() or .sum()"};
  if (t.device().is_cpu()) {
    if (t.scalar_type() == at::kFloat) return *t.const_data_ptr<float>();
    if (t.scalar_type() == at::kDouble) return *t.const_data_ptr<double>();
    if (t.scalar_type() == at::kLong) return static_cast<double>(*t.const_data_ptr<int64_t>());
  }
  return t.item().toDouble();  // sync: on a device, when asked for
}
/// Sets the one element of a float tensor; on the CPU a plain write.
inline void write_number(const at::Tensor& t, double value) {
  if (t.device().is_cpu() && t.scalar_type() == at::kFloat) *t.mutable_data_ptr<float>() = static_cast<float>(value);
  else t.fill_(value);
}
}  // namespace detail

/// A weighted mean that is added up where its numbers are: on the CPU in double, on a device without waiting for it.
/// Example: `rg::DeviceMean mean; mean.add(loss.detach(), 16); double value = mean.read();`
struct DeviceMean {
  double sum = 0, weight = 0;
  std::optional<at::Tensor> device_sum{};  // of the device's share

  /// Adds `value` (one element) with a weight.
  void add(const at::Tensor& value, double w) { add(value, w, w); }
  /// Adds a sum over `w` samples.
  void add_sum(const at::Tensor& value, double w) { add(value, 1, w); }
  void add(double value, double w) { sum += w * value; weight += w; }
  /// The mean, NaN if nothing was added.
  double read() const {
    if (weight == 0) return std::numeric_limits<double>::quiet_NaN();
    return (sum + (device_sum ? detail::read_number(*device_sum) : 0)) / weight;  // sync: on a device, once per call
  }
  void add(const at::Tensor& value, double times, double w) {
    weight += w;
    if (value.device().is_cpu()) sum += times * detail::read_number(value);
    else if (device_sum) device_sum->add_(value.detach().reshape({}), times);
    else device_sum = value.detach().reshape({}).to(at::kDouble).mul(times);  // not in place: it may be the caller's own
  }
  void clear() { *this = DeviceMean{}; }

  constexpr void archive(auto& a) { a("sum", sum); a("weight", weight); a("device_sum", device_sum); }
};
}  // namespace regimen
