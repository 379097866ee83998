// tests/policy/freeze.cpp - out of the optimizer, out of autograd, in eval mode
#include "regimen/policy/freeze.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "support/toy.hpp"

namespace freeze_tests {
struct NetImpl : torch::nn::Module {
  torch::nn::Sequential backbone{torch::nn::Linear(2, 2), torch::nn::BatchNorm1d(2)};
  torch::nn::Linear head{register_module("head", torch::nn::Linear(2, 1))};
  NetImpl() { register_module("backbone", backbone); }
  torch::Tensor forward(const torch::Tensor& x) { return head(backbone->forward(x)); }
};
TORCH_MODULE(Net);
std::vector<std::string> frozen(const auto& policy) {
  Net net;
  rg::Trainer trainer{net, rg::SGD{.lr = 1}, toy::mean, policy};
  std::vector<std::string> names;
  for (const auto& w : trainer.partition().weights)
    if (!w.trains()) names.push_back(w.name);
  return names;
}
using Strings = std::vector<std::string>;
}  // namespace freeze_tests
using freeze_tests::frozen, freeze_tests::Strings;

TEST_CASE("globs and module types select together") {
  CHECK(frozen(rg::Freeze<"backbone.0.*">{}) == Strings{"backbone.0.weight", "backbone.0.bias"});
  CHECK(frozen(rg::Freeze<rg::type<torch::nn::BatchNorm1d>>{}) == Strings{"backbone.1.weight", "backbone.1.bias"});
  CHECK(frozen(rg::Freeze<"head.bias", rg::type<torch::nn::BatchNorm1d>>{}) == Strings{"head.bias", "backbone.1.weight", "backbone.1.bias"});
  CHECK(frozen(rg::Freeze<rg::type<torch::nn::Sequential>>{}).size() == 4);  // with all that lies below
  CHECK(frozen(rg::Freeze<"*.[0].w*">{}) == Strings{"backbone.0.weight"});
}

TEST_CASE("several Freeze policies add up") {
  freeze_tests::Net net;
  rg::Trainer trainer{net, rg::SGD{.lr = 1}, toy::mean, rg::Freeze<"backbone.0.*">{}, rg::Freeze<"head.bias">{}};
  CHECK_FALSE(net->head->bias.requires_grad());
  CHECK_FALSE(net->backbone[0]->is_training());
  CHECK(net->head->is_training());  // not wholly frozen
  CHECK(net->backbone->is_training());
}

TEST_CASE("a pattern that matches nothing names what is near") {
  CHECK_THROWS_WITH(frozen(rg::Freeze<"bakbone.0.weight">{}), Catch::Matchers::ContainsSubstring("\"backbone.0.weight\"") && Catch::Matchers::ContainsSubstring("Freeze"));
  CHECK_THROWS_WITH(frozen(rg::Freeze<rg::type<torch::nn::Conv2d>>{}), Catch::Matchers::ContainsSubstring("Conv2d") && Catch::Matchers::ContainsSubstring("torch::nn::LinearImpl"));
}

TEST_CASE("nothing is computed below the lowest trained layer") {
  freeze_tests::Net net;
  bool below = true;
  rg::Trainer trainer{net, rg::SGD{.lr = 1}, [&](auto& n, const torch::Tensor& x) {
    const auto features = n->backbone->forward(x);
    below = features.requires_grad();
    return n->head(features).mean();
  }, rg::Freeze<"backbone.*">{}};
  trainer.fit(toy::Data(1, torch::ones({2, 2})), rg::epochs(1));
  CHECK_FALSE(below);
}
