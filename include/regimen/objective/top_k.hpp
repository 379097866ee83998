// regimen/objective/top_k.hpp - the share of answers among the K best
#pragma once
#include <string>

#include <ATen/core/Tensor.h>

namespace regimen {
/// The share of samples whose target is among the `K` largest logits. Example: `rg::Metrics{rg::TopK<5>{}}`.
template <int K> struct TopK {
  static_assert(K > 0, "regimen: TopK<K> needs K > 0; see docs/errors.md#top-k");
  std::string name = "top_" + std::to_string(K);
  at::Tensor operator()(const at::Tensor& output, const at::Tensor& target) const {
    return std::get<1>(output.topk(K, 1)).eq(target.unsqueeze(1)).any(1).to(at::kFloat).mean();
  }
};
}  // namespace regimen
