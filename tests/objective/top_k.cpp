// tests/objective/top_k.cpp - the share of answers among the K best
#include <torch/torch.h>

#include "regimen/objective/top_k.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_all.hpp>

#include "regimen/objective/accuracy.hpp"
#include "support/tensors.hpp"

namespace top_k_tests {
namespace rg = regimen;
template <int K> double share(const torch::Tensor& output, const torch::Tensor& target) {
  return rg::TopK<K>{}(output, target).template item<double>();
}

TEST_CASE("top K counts the samples whose target is among the K largest logits") {
  const auto logits =
      torch::tensor({{4.0f, 3.0f, 2.0f, 1.0f}, {1.0f, 2.0f, 3.0f, 4.0f}, {1.0f, 4.0f, 2.0f, 3.0f}, {0.0f, 1.0f, -1.0f, 2.0f}});
  const auto target = torch::tensor({0, 2, 2, 2}, torch::kLong);  // first, second, third, fourth
  CHECK(share<1>(logits, target) == 0.25);
  CHECK(share<2>(logits, target) == 0.5);
  CHECK(share<3>(logits, target) == 0.75);
  CHECK(share<4>(logits, target) == 1);
  CHECK(share<1>(torch::tensor({{{3.0f, 0.0f}, {1.0f, 2.0f}}}), torch::tensor({{0, 0}}, torch::kLong)) ==
        0.5);  // [batch, classes, d]
  CHECK(rg::TopK<5>{}.name == "top_5");
}

TEST_CASE("top 1 is the accuracy") {
  torch::manual_seed(1);
  for (int i = 0; i < 100; ++i) {
    const auto logits = torch::randn({20, 5}), target = torch::randint(5, {20});
    CHECK(share<1>(logits, target) == rg::Accuracy{}(logits, target).item<double>());
  }
}

TEST_CASE("soft targets count by their largest, as in the accuracy") {
  const auto logits = torch::tensor({{3.0f, 2.0f, 1.0f}, {1.0f, 2.0f, 3.0f}}),
             soft = torch::tensor({{0.1f, 0.8f, 0.1f}, {0.6f, 0.2f, 0.2f}});
  CHECK(share<1>(logits, soft) == 0);
  CHECK(share<2>(logits, soft) == 0.5);
}

TEST_CASE("a target whose shape would broadcast and more classes than there are, are refused") {
  const auto logits = torch::randn({4, 3});
  for (const auto& target : {torch::zeros({4, 1}, torch::kLong), torch::zeros({1}, torch::kLong), torch::zeros({3}, torch::kLong),
                             torch::zeros({}, torch::kLong), torch::zeros({1, 3})})
    CHECK_THAT(tensors::error_of([&] { rg::TopK<2>{}(logits, target); }), Catch::Matchers::ContainsSubstring("TopK: target"));
  CHECK_THAT(tensors::error_of([&] { rg::TopK<5>{}(logits, torch::zeros({4}, torch::kLong)); }),
             Catch::Matchers::ContainsSubstring("3 classes"));
}
}  // namespace top_k_tests
