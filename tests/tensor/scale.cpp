// tests/tensor/scale.cpp - the bits of Tensor::mul_, in place
#include <torch/torch.h>

#include "regimen/tensor/scale.hpp"

#include <catch2/catch_test_macros.hpp>
#include <limits>

#include "support/tensors.hpp"

namespace scale_tests {
namespace rg = regimen;

TEST_CASE("scale has the bits of mul_ for every type, stride and factor") {
  torch::manual_seed(1);
  constexpr double inf = std::numeric_limits<double>::infinity();
  for (auto dtype : {torch::kFloat, torch::kDouble, torch::kHalf, torch::kBFloat16})
    for (double factor :
         {0.5, 1.0 / 3, 1e-3, -2.7, 0.0, -0.0, 1.0, 1 / 65536.0, 1e-40, 1e30, inf, std::numeric_limits<double>::quiet_NaN()}) {
      INFO(c10::toString(dtype) << " times " << factor);
      auto values = torch::randn({5, 7}, torch::kDouble);
      values[0][0] = inf;
      values[0][1] = std::numeric_limits<double>::quiet_NaN();
      values[0][2] = -0.0;
      values[0][3] = 1e-41;
      values = values.to(dtype);
      std::vector<torch::Tensor> ours{
          values.clone(),           values.clone().t(), tensors::spread(values),         values[1][1].clone(),
          torch::zeros({0}, dtype), torch::Tensor{},    values.clone().slice(0, 0, 5, 2)};
      std::vector<torch::Tensor> expected;
      for (const auto& t : ours) expected.push_back(t.defined() ? t.clone().mul_(factor) : t);
      rg::scale(ours, factor);
      for (std::size_t i = 0; i < ours.size(); ++i) {
        INFO("tensor " << i);
        CHECK(tensors::same_bits(ours[i], expected[i]));
      }
    }
}

TEST_CASE("scale writes only the elements that a view shows") {
  const auto wide = torch::ones({6});
  rg::scale({wide.slice(0, 0, 6, 2)}, 3);
  CHECK(torch::equal(wide, torch::tensor({3.0f, 1.0f, 3.0f, 1.0f, 3.0f, 1.0f})));
  rg::scale({}, 2);
  rg::scale({torch::Tensor{}}, 2);
}

TEST_CASE("scale takes a sparse gradient, as a wrapped torch::optim may have") {
  const auto sparse = torch::eye(3).to_sparse();
  rg::scale({sparse}, 0.5);
  CHECK(torch::equal(sparse.to_dense(), torch::eye(3) * 0.5));
}

TEST_CASE("autograd is told of a tensor that scale changes, in memory order or not") {
  for (bool dense : {true, false}) {
    INFO(dense);
    const auto t = dense ? torch::ones({3}) : tensors::spread(torch::ones({3}));
    const auto w = torch::ones({3}).requires_grad_();
    const auto loss = (w * t).sum();  // keeps t for backward
    rg::scale({t}, 2);
    CHECK_THROWS_AS(loss.backward(), c10::Error);
  }
  const auto leaf = torch::ones({2}).requires_grad_();
  rg::scale({leaf}, 2);  // a leaf may be scaled
  CHECK(torch::equal(leaf, torch::full({2}, 2.0)));
  CHECK(torch::GradMode::is_enabled());
}

TEST_CASE("scale allocates nothing for dense floats and doubles") {
  const std::vector<torch::Tensor> list{torch::ones({50}), torch::ones({4, 4}, torch::kDouble).t()};
  CHECK(tensors::allocations_of([&] { rg::scale(list, 0.5); }) == 0);
  CHECK(list[0][49].item<double>() == 0.5);
}
}  // namespace scale_tests
