// regimen/objective/accuracy.hpp - the share of right answers
#pragma once
#include <string_view>

#include "regimen/objective/loss.hpp"

namespace regimen {
/// The share of samples whose largest logit is the target's, an index or the largest of probabilities; another shape throws regimen::Error.
/// Example: `rg::Metrics{rg::Accuracy{}}`.
struct Accuracy {
  static constexpr std::string_view name = "accuracy";
  at::Tensor operator()(const at::Tensor& output, const at::Tensor& target) const {
    const auto classes = detail::classes_of("Accuracy", output, target);
    return output.argmax(1).eq(classes).to(at::kFloat).mean();
  }
};
}  // namespace regimen
