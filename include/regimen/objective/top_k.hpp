// regimen/objective/top_k.hpp - the share of answers among the K best
#pragma once
#include <string>

#include "regimen/objective/loss.hpp"

namespace regimen {
/// The share of samples whose target is among the `K` largest logits; fewer classes or another shape throw regimen::Error.
/// Example: `rg::Metrics{rg::TopK<5>{}}`.
template <int K> struct TopK {
  static_assert(K > 0, "regimen: TopK<K> needs K > 0; see docs/errors.md#top-k");
  std::string name = "top_" + std::to_string(K);
  at::Tensor operator()(const at::Tensor& output, const at::Tensor& target) const {
    const auto classes = detail::classes_of("TopK", output, target);
    if (output.size(1) < K) throw Error{"TopK", name + " of " + std::to_string(output.size(1)) + " classes", "a K of at most that many"};
    return std::get<1>(output.topk(K, 1)).eq(classes.unsqueeze(1)).any(1).to(at::kFloat).mean();
  }
};
}  // namespace regimen
