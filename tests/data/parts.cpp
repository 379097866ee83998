// tests/data/parts.cpp - whatever stands as a batch: inputs, target, tensors, samples
#include "regimen/data/parts.hpp"

#include <torch/torch.h>

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "support/toy.hpp"

namespace parts_tests {
using torch::Tensor;
struct Own {  // a batch of the user's
  Tensor tokens, mask;
  void for_each_tensor(auto&& f) { f(tokens); f(mask); }
};
struct Silent { std::string text; };

Tensor n(double value, std::int64_t rows = 2) { return torch::full({rows, 1}, value); }
double value(const Tensor& t) { return t[0][0].item<double>(); }

/// The inputs of a batch, then its target.
std::vector<double> parts(auto&& batch) {
  std::vector<double> all;
  rg::detail::with_inputs(batch, [&](auto&... input) { (all.push_back(value(input)), ...); });
  all.push_back(value(rg::detail::target_of(batch)));
  return all;
}
/// The values of all tensors in the order of the visit; each is replaced by its double.
std::vector<double> doubled(auto& batch) {
  std::vector<double> all;
  rg::detail::for_each_tensor(batch, [&](Tensor& t) {
    all.push_back(value(t));
    t = t * 2;
  });
  return all;
}
}  // namespace parts_tests
using parts_tests::n, parts_tests::parts, parts_tests::doubled, toy::Values;

TEST_CASE("the target is what stands last, or is called so") {
  CHECK(parts(rg::Batch{n(1), n(2)}) == Values{1, 2});
  CHECK(parts(std::pair{n(1), n(2)}) == Values{1, 2});
  CHECK(parts(std::tuple{n(1), n(2), n(3)}) == Values{1, 2, 3});
  CHECK(parts(std::array{n(1), n(2), n(3), n(4)}) == Values{1, 2, 3, 4});
  CHECK(parts(torch::data::Example<>{n(1), n(2)}) == Values{1, 2});
  const rg::Batch constant{n(1), n(2)};
  CHECK(parts(constant) == Values{1, 2});
}

TEST_CASE("every tensor of a batch is visited and can be replaced") {
  auto batch = rg::Batch{n(1), n(2)};
  CHECK(doubled(batch) == Values{1, 2});
  CHECK(parts(batch) == Values{2, 4});
  auto tuple = std::tuple{n(1), std::pair{n(2), n(3)}, 7};
  CHECK(doubled(tuple) == Values{1, 2, 3});
  CHECK(doubled(tuple) == Values{2, 4, 6});
  auto example = torch::data::Example<>{n(1), n(2)};
  CHECK(doubled(example) == Values{1, 2});
  auto map = std::map<std::string, torch::Tensor>{{"b", n(2)}, {"a", n(1)}};
  CHECK(doubled(map) == Values{1, 2});
  CHECK(doubled(map) == Values{2, 4});
  auto list = std::vector<std::vector<torch::Tensor>>{{n(1)}, {n(2), n(3)}};
  CHECK(doubled(list) == Values{1, 2, 3});
  auto own = parts_tests::Own{n(1), n(2)};
  CHECK(doubled(own) == Values{1, 2});
  auto undefined = rg::Batch{n(1), {}};
  CHECK(doubled(undefined) == Values{1});
  auto silent = parts_tests::Silent{"no tensor"};
  CHECK(doubled(silent).empty());
}

TEST_CASE("samples are the rows of the first tensor") {
  const auto samples = [](auto batch) { return rg::detail::samples_of(batch); };
  CHECK(samples(rg::Batch{n(1, 5), n(2, 5)}) == 5);
  CHECK(samples(std::tuple{torch::ones({7, 2}), 1}) == 7);
  CHECK(samples(torch::data::Example<>{n(1, 3), n(2, 3)}) == 3);
  CHECK(samples(parts_tests::Own{n(1, 4), n(2, 1)}) == 4);
  CHECK(samples(torch::ones({})) == 1);
  CHECK(samples(torch::ones({0, 3})) == 0);
  CHECK(samples(parts_tests::Silent{}) == 1);
}

TEST_CASE("a model takes as many inputs as the batch has, from pairs, tuples and examples") {
  struct SumImpl : torch::nn::Module {
    torch::Tensor weight = register_parameter("weight", torch::ones({1}));
    torch::Tensor forward(const torch::Tensor& a) { return weight * a; }
    torch::Tensor forward(const torch::Tensor& a, const torch::Tensor& b) { return weight * (a + b); }
  };
  const auto loss = [](auto batch) {
    auto net = std::make_shared<SumImpl>();
    rg::Trainer trainer{net, rg::SGD{.lr = 0}, rg::MSE{}};
    return trainer.evaluate(std::vector{batch}).loss;
  };
  CHECK(loss(rg::Batch{n(1), n(3)}) == 4);
  CHECK(loss(std::pair{n(1), n(4)}) == 9);
  CHECK(loss(std::tuple{n(1), n(2), n(5)}) == 4);
  CHECK(loss(torch::data::Example<>{n(1), n(2)}) == 1);
}
