// tests/objective/accuracy.cpp - the share of right answers
#include <torch/torch.h>

#include "regimen/objective/accuracy.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_all.hpp>

#include "support/tensors.hpp"

namespace accuracy_tests {
namespace rg = regimen;
double share(const torch::Tensor& output, const torch::Tensor& target) { return rg::Accuracy{}(output, target).item<double>(); }

TEST_CASE("accuracy counts the samples whose largest logit is the target's") {
  const auto logits = torch::tensor({{3.0f, 1.0f, 2.0f}, {0.0f, -1.0f, -2.0f}, {1.0f, 2.0f, 3.0f}, {0.1f, 0.3f, 0.2f}});
  CHECK(share(logits, torch::tensor({0, 0, 2, 1}, torch::kLong)) == 1);
  CHECK(share(logits, torch::tensor({1, 0, 2, 2}, torch::kLong)) == 0.5);
  CHECK(share(logits, torch::tensor({1, 1, 1, 0}, torch::kLong)) == 0);
  CHECK(share(logits, torch::tensor({0, 0, 2, 1}, torch::kInt)) == 1);
  CHECK(share(logits.to(torch::kBFloat16), torch::tensor({0, 0, 2, 1}, torch::kLong)) == 1);
  CHECK(share(logits, torch::tensor({{0.9f, 0.1f, 0.0f}, {0.4f, 0.3f, 0.3f}, {0.0f, 1.0f, 0.0f}, {0.0f, 0.0f, 1.0f}})) ==
        0.5);  // soft targets: by their largest
  CHECK(share(torch::tensor({{{3.0f, 0.0f}, {1.0f, 2.0f}}}), torch::tensor({{0, 0}}, torch::kLong)) ==
        0.5);  // [batch, classes, d]
}

TEST_CASE("a target whose shape would broadcast or be taken for probabilities is refused") {
  const auto logits = torch::randn({4, 3});
  for (const auto& target : {torch::zeros({4, 1}, torch::kLong), torch::zeros({1}, torch::kLong), torch::zeros({3}, torch::kLong),
                             torch::zeros({}, torch::kLong), torch::zeros({1, 3})})
    CHECK_THAT(tensors::error_of([&] { rg::Accuracy{}(logits, target); }), Catch::Matchers::ContainsSubstring("Accuracy: target"));
  CHECK_THAT(tensors::error_of([] { rg::Accuracy{}(torch::randn({4}), torch::zeros({4}, torch::kLong)); }),
             Catch::Matchers::ContainsSubstring("Accuracy"));
}
}  // namespace accuracy_tests
