// tests/data/batch.cpp - what one forward eats
#include "regimen/data/batch.hpp"

#include <torch/torch.h>

#include <catch2/catch_test_macros.hpp>

TEST_CASE("a batch is taken apart by name or by a structured binding, and shares memory") {
  const auto x = torch::ones({2, 3}), y = torch::zeros({2});
  const regimen::Batch batch{x, y};
  const auto& [input, target] = batch;
  CHECK(input.is_same(x));
  CHECK(target.is_same(y));
  const auto copy = batch;
  copy.input[0][0] = 5;
  CHECK(x[0][0].item<float>() == 5);
  CHECK_FALSE(regimen::Batch{}.input.defined());
}
