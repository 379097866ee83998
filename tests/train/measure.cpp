// tests/train/measure.cpp - one pass per window and power
#include "regimen/train/measure.hpp"

#include <catch2/catch_test_macros.hpp>
#include <limits>
#include <torch/torch.h>

TEST_CASE("norm and finite check share their pass, and a new window takes a new one") {
  int passes = 0;
  std::vector<torch::Tensor> gradients{torch::tensor({3.0f, 4.0f})};
  const auto read = [&]() -> const auto& { ++passes; return gradients; };
  regimen::detail::Measure measure;
  const auto nonfinite = [&] { return measure.nonfinite([&] { measure.norm<2>(read); }); };
  measure.begin(0.5);
  CHECK(measure.norm<2>(read) == 2.5);
  CHECK(measure.norm<2>(read) == 2.5);
  CHECK_FALSE(nonfinite());
  CHECK(passes == 1);
  CHECK(measure.norm<regimen::max_norm>(read) == 2);
  CHECK(passes == 2);
  gradients[0][1] = std::numeric_limits<float>::infinity();
  measure.begin(1);
  CHECK(nonfinite());
  CHECK(passes == 3);
}
