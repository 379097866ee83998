// tests/objective/bce.cpp - torch's binary cross entropy of logits
#include <torch/torch.h>

#include "regimen/objective/bce.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_all.hpp>

#include "support/tensors.hpp"

namespace bce_tests {
namespace rg = regimen;

TEST_CASE("BCE equals binary_cross_entropy_with_logits, with weights of the positive too") {
  torch::manual_seed(1);
  for (const auto& shape : std::vector<std::vector<std::int64_t>>{{6}, {6, 3}, {2, 3, 3}, {}}) {
    const auto output = torch::randn(shape).mul(20).requires_grad_(), target = torch::rand(shape);
    const auto loss = rg::BCE{}(output, target);
    CHECK(tensors::same_bits(loss.value, torch::binary_cross_entropy_with_logits(output, target)));
    const double samples = shape.empty() ? 1 : double(shape[0]);
    CHECK(loss.weight == samples);
    CHECK(loss.count == samples);
    CHECK(rg::BCE{.weight = rg::per_micro_batch}(output, target).weight == 1);
    if (shape.empty()) continue;
    const auto weights = torch::tensor({0.5f, 2.0f, 4.0f}).slice(0, 0, shape.size() > 1 ? 3 : 1);
    CHECK(tensors::same_bits(rg::BCE{.positive_weight = weights}(output, target).value,
                             torch::binary_cross_entropy_with_logits(output, target, {}, weights)));
  }
  CHECK(std::isfinite(rg::BCE{}(torch::tensor({1000.0f, -1000.0f}), torch::tensor({0.0f, 1.0f})).value.item<double>()));
}

TEST_CASE("BCE of no samples weighs nothing") {
  for (auto weight : {rg::by_samples, rg::per_micro_batch})
    CHECK(rg::BCE{.weight = weight}(torch::randn({0}), torch::randn({0})).weight == 0);
}

TEST_CASE("another shape, whole numbers or another device are refused") {
  const auto output = torch::randn({4, 1});
  for (const auto& target : {torch::rand({4}), torch::rand({}), torch::rand({4, 2}), torch::ones({4, 1}, torch::kLong),
                             torch::ones({4, 1}, torch::kBool), torch::ones({4, 1}, torch::kMeta)})
    CHECK_THAT(tensors::error_of([&] { rg::BCE{}(output, target); }),
               Catch::Matchers::ContainsSubstring("BCE: target " + rg::detail::shape_of(target)));
}
}  // namespace bce_tests
