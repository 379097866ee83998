// regimen/train/measure.hpp - the norm of a window's gradient, taken once however many ask
#pragma once
#include <cmath>
#include <optional>
#include <type_traits>

#include "regimen/tensor/norm.hpp"

namespace regimen::detail {
/// One pass for norm and finite check together; a further pass only for a norm of another power.
class Measure {
 public:
  /// `factor` makes the true gradient of the one that lies in memory.
  void begin(double factor) {
    nonfinite_.reset();
    power_.reset();
    factor_ = factor;
  }
  template <auto Power> double norm(auto&& gradients) {
    using P = std::remove_cv_t<decltype(Power)>;  // const where it is a class
    constexpr bool is_max = std::is_same_v<P, MaxNorm>;
    const double key = [] { if constexpr (is_max) return 0.0; else return double(Power); }();
    if (power_ != key) {
      if constexpr (is_max || std::is_floating_point_v<P>) norm_ = regimen::norm(gradients(), Power);
      else norm_ = regimen::norm(gradients(), static_cast<int>(Power));
      power_ = key;
      nonfinite_ = !std::isfinite(norm_);
    }
    return norm_ * factor_;
  }
  bool nonfinite(auto&& measure) {
    if (!nonfinite_) measure();
    return *nonfinite_;
  }

 private:
  std::optional<double> power_;  // of the norm that is remembered; 0 for the largest element
  std::optional<bool> nonfinite_;
  double norm_ = 0, factor_ = 1;
};
}  // namespace regimen::detail
