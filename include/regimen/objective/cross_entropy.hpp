// regimen/objective/cross_entropy.hpp - classification
#pragma once
#include <algorithm>
#include <string>

#include <ATen/ops/cross_entropy_loss.h>

#include "regimen/objective/loss.hpp"

namespace regimen {
/// Cross entropy of logits [batch, classes, ...] and class indices [batch, ...] of int64, the mean over the valid targets.
/// Wrong shape, dtype or device, and on the CPU an index outside 0..classes-1, throw regimen::Error before the first kernel.
/// Probabilities as targets, of the logits' shape, only with `.soft_targets`. A batch without valid targets adds nothing.
/// Equals `torch.nn.functional.cross_entropy`. Example: `rg::Trainer{net, rg::AdamW{}, rg::CrossEntropy{.label_smoothing = 0.1}}`.
struct CrossEntropy {
  double label_smoothing = 0;
  std::int64_t ignore_index = -100;
  at::Tensor class_weight{};  // [classes], undefined: all 1
  bool soft_targets = false;
  Weighing weight = by_samples;

  static constexpr bool is_objective = true, on_output = true;

  Mean operator()(const at::Tensor& output, const at::Tensor& target) const {
    const double valid = check(output, target);
    auto loss = at::cross_entropy_loss(output, target, class_weight.defined() ? std::optional<at::Tensor>{class_weight} : std::nullopt, /*mean*/ 1,
                                       ignore_index, label_smoothing);
    return {std::move(loss), valid > 0 && weight == per_micro_batch ? 1 : valid, valid};
  }

 private:
  // Returns what the mean divides by.
  double check(const at::Tensor& output, const at::Tensor& target) const {
    const auto refuse = [](const std::string& found, const std::string& write) { throw Error{"CrossEntropy", found, write}; };
    if (output.dim() < 1 || !output.is_floating_point()) refuse("an output of shape " + detail::shape_of(output), "logits [batch, classes] of a float type");
    if (output.device() != target.device()) refuse("output and target on different devices", "OnDevice{...}, which moves batches too");
    const int64_t classes = output.size(output.dim() > 1 ? 1 : 0);
    if (class_weight.defined() && (class_weight.device() != output.device() || class_weight.dim() != 1 || class_weight.numel() != classes))
      refuse("class weights " + detail::shape_of(class_weight) + " on " + class_weight.device().str() + " for " + std::to_string(classes) +
                 " classes on " + output.device().str(),
             "one weight per class, on the output's device");
    if (soft_targets) {
      if (target.sizes() != output.sizes() || !target.is_floating_point())
        refuse("soft targets " + detail::shape_of(target) + " for logits " + detail::shape_of(output), "probabilities of the logits' shape and a float type");
      return output.dim() > 1 ? static_cast<double>(target.numel() / std::max<int64_t>(classes, 1)) : 1;
    }
    if (target.scalar_type() != at::kLong)
      refuse(std::string{"targets of type "} + c10::toString(target.scalar_type()),
             target.is_floating_point() && target.sizes() == output.sizes() ? ".soft_targets = true, or target.argmax(1)" : "class indices: target.to(torch::kLong)");
    bool fits = target.dim() + 1 == output.dim();
    for (int64_t d = 0; fits && d < target.dim(); ++d) fits = target.size(d) == output.size(d == 0 && output.dim() > 1 ? 0 : d + 1);
    if (!fits) refuse("targets " + detail::shape_of(target) + " for logits " + detail::shape_of(output), "targets [batch] for logits [batch, classes]");
    return valid_targets(classes, target);
  }
  double valid_targets(int64_t classes, const at::Tensor& target) const {
    if (!target.device().is_cpu()) {  // the index range is left to the kernel
      if (!class_weight.defined()) return detail::read_number(target.ne(ignore_index).sum());  // sync: a window must know its weight
      return detail::read_number(class_weight.index_select(0, target.flatten().clamp(0, classes - 1)).mul(target.flatten().ne(ignore_index)).sum());
    }
    const auto flat = target.contiguous();
    const auto weights = class_weight.defined() ? class_weight.to(at::kDouble).contiguous() : at::Tensor{};
    const int64_t* index = flat.const_data_ptr<int64_t>();
    double total = 0;
    for (int64_t i = 0; i < flat.numel(); ++i) {
      if (index[i] == ignore_index) continue;
      if (index[i] < 0 || index[i] >= classes)
        throw Error{"CrossEntropy", "target " + std::to_string(index[i]) + " at position " + std::to_string(i) + " for " + std::to_string(classes) + " classes",
                    "indices from 0 to " + std::to_string(classes - 1)};
      total += weights.defined() ? weights.const_data_ptr<double>()[index[i]] : 1;
    }
    return total;
  }
};
}  // namespace regimen
