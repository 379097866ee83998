// regimen/objective/accuracy.hpp - the share of right answers
#pragma once
#include <string_view>

#include <ATen/core/Tensor.h>

namespace regimen {
/// The share of samples whose largest logit is the target's. Example: `rg::Metrics{rg::Accuracy{}}`.
struct Accuracy {
  static constexpr std::string_view name = "accuracy";
  at::Tensor operator()(const at::Tensor& output, const at::Tensor& target) const {
    return output.argmax(1).eq(target.dim() == output.dim() ? target.argmax(1) : target).to(at::kFloat).mean();
  }
};
}  // namespace regimen
