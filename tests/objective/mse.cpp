// tests/objective/mse.cpp - torch's mse_loss, without its broadcasting
#include <torch/torch.h>

#include "regimen/objective/mse.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_all.hpp>

#include "support/tensors.hpp"

namespace mse_tests {
namespace rg = regimen;

TEST_CASE("MSE equals mse_loss, and weighs by samples or by micro-batch") {
  torch::manual_seed(1);
  for (const auto& shape : std::vector<std::vector<std::int64_t>>{{5}, {5, 1}, {2, 3, 4}, {}})
    for (auto dtype : {torch::kFloat, torch::kDouble}) {
      const auto output = torch::randn(shape, dtype).requires_grad_(), target = torch::randn(shape, dtype);
      const auto loss = rg::MSE{}(output, target);
      CHECK(tensors::same_bits(loss.value, torch::mse_loss(output, target)));
      const double samples = shape.empty() ? 1 : double(shape[0]);
      CHECK(loss.weight == samples);
      CHECK(loss.count == samples);
      const auto alike = rg::MSE{.weight = rg::per_micro_batch}(output, target);
      CHECK(alike.weight == 1);
      CHECK(alike.count == samples);
    }
}

TEST_CASE("MSE of no samples weighs nothing") {
  for (auto weight : {rg::by_samples, rg::per_micro_batch})
    CHECK(rg::MSE{.weight = weight}(torch::randn({0, 2}), torch::randn({0, 2})).weight == 0);
}

TEST_CASE("a target that would broadcast, of whole numbers or on another device is refused") {
  const auto output = torch::randn({4, 1});
  for (const auto& target : {torch::randn({4}), torch::randn({1}), torch::randn({}), torch::randn({1, 4}), torch::randn({4, 2}),
                             torch::randn({3, 1}), torch::ones({4, 1}, torch::kLong), torch::ones({4, 1}, torch::kMeta)}) {
    const auto said = tensors::error_of([&] { rg::MSE{}(output, target); });
    CHECK_THAT(said, Catch::Matchers::ContainsSubstring("MSE: target " + rg::detail::shape_of(target)) &&
                         Catch::Matchers::ContainsSubstring("for output [4, 1]"));
  }
}
}  // namespace mse_tests
