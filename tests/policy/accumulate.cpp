// tests/policy/accumulate.cpp - N micro-batches equal one big batch
#include "regimen/policy/accumulate.hpp"

#include <catch2/catch_test_macros.hpp>
#include <random>

#include "support/toy.hpp"

namespace accumulate_tests {
torch::nn::Sequential net() {
  torch::manual_seed(1);
  torch::nn::Sequential n{torch::nn::Linear(5, 7), torch::nn::Tanh(), torch::nn::Linear(7, 3)};
  n->to(torch::kDouble);
  return n;
}
torch::Tensor trained(const std::vector<rg::Batch>& batches, const auto& policy) {
  auto n = net();
  rg::Trainer trainer{n, rg::SGD{.lr = 0.1, .momentum = 0.9}, rg::CrossEntropy{}, policy};
  trainer.fit(batches, rg::epochs(2));
  std::vector<torch::Tensor> flat;
  for (const auto& p : n->parameters()) flat.push_back(p.detach().flatten());
  return torch::cat(flat);
}
}  // namespace accumulate_tests

TEST_CASE("micro-batches of any sizes equal one big batch in double, with ignored targets too") {
  const auto seed = std::random_device{}();
  INFO("seed " << seed);
  std::mt19937 random{seed};
  for (int round = 0; round < 100; ++round) {
    const int n = 1 + int(random() % 6);
    torch::manual_seed(random());
    std::vector<rg::Batch> parts;
    std::vector<torch::Tensor> x, y;
    for (int i = 0; i < n; ++i) {
      const auto size = std::int64_t(1 + random() % 5);
      x.push_back(torch::randn({size, 5}, torch::kDouble));
      y.push_back(torch::randint(3, {size}, torch::kLong));
      if (random() % 3 == 0) y.back()[0] = -100;
      parts.push_back({x.back(), y.back()});
    }
    const auto whole = accumulate_tests::trained({{torch::cat(x), torch::cat(y)}}, rg::Accumulate<1>{});
    const auto in_parts = accumulate_tests::trained(parts, rg::Accumulate<>{std::size_t(n)});
    const double difference = (whole - in_parts).abs().max().item<double>();
    if (!(difference < 1e-12)) {
      INFO("round " << round << ", difference " << difference);
      FAIL();
    }
  }
}

TEST_CASE("the run-time form: at least one micro-batch, and its number in the description") {
  CHECK(rg::describe(rg::Accumulate<>{4}) == "Accumulate<>{4}");
  CHECK(rg::describe(rg::Accumulate<4>{}) == "Accumulate<4>{}");
  CHECK_THROWS_AS((rg::Trainer{toy::Line{}, rg::SGD{.lr = 1}, toy::mean, rg::Accumulate<>{0}}), rg::Error);
}

TEST_CASE("weighing per micro-batch is loss/N") {
  toy::Line net;
  rg::Trainer trainer{net, rg::SGD{.lr = 1}, rg::MSE{.weight = rg::per_micro_batch}, rg::Accumulate<2>{}};
  // gradient of (w x - y)^2 at w = 0 is -2 x y: 1 sample with -2, 3 samples with -6
  trainer.fit(std::vector<rg::Batch>{{torch::ones({1, 1}), torch::ones({1, 1})}, {torch::ones({3, 1}), torch::full({3, 1}, 3.0)}}, rg::epochs(1));
  CHECK(net->w() == 4);  // by samples it would be 5
}
