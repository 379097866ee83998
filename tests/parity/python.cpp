// tests/parity/python.cpp - the same training by Python's torch of this wheel, run live: same seeds, same data, the weights afterwards
#include <catch2/catch_test_macros.hpp>
#include <torch/torch.h>

#include <string>
#include <utility>
#include <vector>

#include "regimen/regimen.hpp"
#include "support/python.hpp"

namespace rg = regimen;

namespace python_parity {
struct NetImpl : torch::nn::Module {
  torch::nn::Linear body{register_module("body", torch::nn::Linear(6, 8))}, middle{register_module("middle", torch::nn::Linear(8, 8))},
      head{register_module("head", torch::nn::Linear(8, 3))};
  torch::nn::Dropout dropout{register_module("dropout", torch::nn::Dropout(0.1))};
  torch::Tensor forward(const torch::Tensor& x) { return head(dropout(middle(body(x).relu()).relu())); }
};
TORCH_MODULE(Net);

std::vector<std::pair<torch::Tensor, torch::Tensor>> make_data() {
  torch::manual_seed(2);
  std::vector<std::pair<torch::Tensor, torch::Tensor>> all;
  for (int i = 0; i < 14; ++i) {
    auto x = torch::randn({8, 6});
    all.emplace_back(std::move(x), torch::randint(3, {8}, torch::kLong));
  }
  return all;
}
/// The largest difference of a weight from what Python has, after the same training.
template <class Optimizer = rg::AdamW>
double difference(const std::filesystem::path& file, int epochs, const auto& recipe, const Optimizer& optimizer = {.lr = 0.01, .weight_decay = 0.1},
                  const rg::CrossEntropy& objective = {}) {
  const auto data = make_data();
  torch::manual_seed(1);
  Net net;
  rg::Trainer trainer{net, optimizer, objective, recipe};
  torch::manual_seed(3);
  trainer.fit(data, rg::epochs(epochs));
  const auto right = python::floats(file);
  double most = 0;
  std::size_t at = 0;
  for (const auto& p : net->parameters()) {
    const auto flat = p.detach().flatten();
    for (std::int64_t i = 0; i < flat.numel(); ++i) most = std::max(most, std::abs(double(flat[i].item<float>()) - double(right.at(at++))));
  }
  CHECK(at == right.size());
  return most;
}
}  // namespace python_parity

TEST_CASE("the weights are those of Python's torch") {
  using python_parity::difference;
  const auto folder = python::scratch("loops");
  python::run("tests/python/loops.py", "'" + folder.string() + "'");
  const rg::Accumulate<4> four{};
  const rg::Scheduler<rg::Cosine> cosine{.warmup = rg::steps(3)};
  const rg::ParamGroups groups{rg::Group<"head.*">{.lr = 0.02}, rg::NoDecay{}};

  // Bit for bit: all factors are powers of two, or the same rounded number on both sides.
  for (const std::size_t n : {1, 3, 4, 5}) {
    INFO("N = " << n);
    CHECK(difference(folder / ("accumulate_" + std::to_string(n)), 7, rg::recipe(rg::Accumulate<>{n})) == 0);
  }
  CHECK(difference(folder / "sgd", 6, rg::recipe(four), rg::SGD{.lr = 0.1, .momentum = 0.9, .weight_decay = 0.01, .nesterov = true}) == 0);
  CHECK(difference(folder / "bf16", 2, rg::recipe(rg::Amp<torch::kBFloat16>{})) == 0);
  CHECK(difference(folder / "half", 6, rg::recipe(four, rg::Amp<>{})) == 0);
  CHECK(difference(folder / "schedule", 6, rg::recipe(four, cosine)) == 0);
  CHECK(difference(folder / "freeze", 6, rg::recipe(four, rg::Freeze<"body.*">{})) == 0);
  CHECK(difference(folder / "groups", 6, rg::recipe(four, groups)) == 0);
  CHECK(difference(folder / "smoothing", 2, rg::recipe(), {.lr = 0.01, .weight_decay = 0.1}, rg::CrossEntropy{.label_smoothing = 0.1}) == 0);

  // Python takes the norm in float, and the loss scale out before it: the factor is off by up to 2 ulp, 24 updates carry that on.
  CHECK(difference(folder / "clip", 6, rg::recipe(four, rg::ClipNorm<>{0.25})) < 1e-5);
  CHECK(difference(folder / "clip_1", 6, rg::recipe(four, rg::ClipNorm<1>{0.25})) < 1e-5);
  CHECK(difference(folder / "clip_max", 6, rg::recipe(four, rg::ClipNorm<rg::max_norm>{0.05})) < 1e-5);
  CHECK(difference(folder / "half_clip", 6, rg::recipe(four, rg::Amp<>{}, rg::ClipNorm<>{0.25})) < 1e-4);
  CHECK(difference(folder / "all", 6, rg::recipe(four, rg::ClipNorm<>{0.25}, rg::Amp<torch::kBFloat16>{}, cosine, rg::Freeze<"body.*">{}, groups)) < 1e-4);
}
