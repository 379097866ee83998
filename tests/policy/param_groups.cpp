// tests/policy/param_groups.cpp - groups of hyperparameters
#include "regimen/policy/param_groups.hpp"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <map>

#include "support/toy.hpp"

namespace groups_tests {
struct NetImpl : torch::nn::Module {
  torch::nn::Linear body{register_module("body", torch::nn::Linear(2, 2))}, head{register_module("head", torch::nn::Linear(2, 1))};
  torch::nn::LayerNorm norm{register_module("norm", torch::nn::LayerNorm(torch::nn::LayerNormOptions({2})))};
  torch::Tensor forward(const torch::Tensor& x) { return head(norm(body(x))); }
};
TORCH_MODULE(Net);
/// Rate and decay of every weight.
std::map<std::string, std::pair<double, double>> table(const auto& policy) {
  Net net;
  rg::Trainer trainer{net, rg::AdamW{.lr = 1, .weight_decay = 0.5}, toy::mean, policy};
  std::map<std::string, std::pair<double, double>> all;
  // groups are what hooks see
  rg::Trainer seen{net, rg::AdamW{.lr = 1, .weight_decay = 0.5}, [](auto& n, const torch::Tensor& x) { return n->forward(x).mean(); }, policy,
                   rg::on<rg::after_update>([&](auto& step) {
                     for (const auto& w : step.partition().weights) all[w.name] = {step.groups()[w.group].rate, *step.groups()[w.group].weight_decay};
                   })};
  seen.fit(toy::Data(1, torch::ones({1, 2})), rg::epochs(1));
  return all;
}
}  // namespace groups_tests
using groups_tests::table;

TEST_CASE("the first group that matches has a weight, what none matches keeps the optimizer's values") {
  const auto all = table(rg::ParamGroups{rg::Group<"*.bias">{.lr = 0.25}, rg::Group<"head.*">{.lr = 0.125, .weight_decay = 0.0}});
  CHECK(all.at("head.weight") == std::pair{0.125, 0.0});
  CHECK(all.at("head.bias") == std::pair{0.25, 0.5});
  CHECK(all.at("body.bias") == std::pair{0.25, 0.5});
  CHECK(all.at("body.weight") == std::pair{1.0, 0.5});
}

TEST_CASE("NoDecay acts last and keeps the rest of the group") {
  const auto all = table(rg::ParamGroups{rg::NoDecay{}, rg::Group<"head.*">{.lr = 0.125}, rg::Group<rg::type<torch::nn::LayerNorm>>{.lr = 2}});
  CHECK(all.at("head.weight") == std::pair{0.125, 0.5});
  CHECK(all.at("head.bias") == std::pair{0.125, 0.0});
  CHECK(all.at("norm.weight") == std::pair{2.0, 0.0});
  CHECK(all.at("body.bias") == std::pair{1.0, 0.0});
}

TEST_CASE("each group has its schedule from its own base rate") {
  groups_tests::Net net;
  std::vector<std::pair<double, double>> rates;
  rg::Trainer trainer{net, rg::SGD{.lr = 1}, [](auto& n, const torch::Tensor& x) { return n->forward(x).mean(); },
                      rg::ParamGroups{rg::Group<"head.*">{.lr = 0.5}}, rg::Scheduler<rg::Linear>{}, rg::on<rg::after_update>([&](auto& step) {
                        rates.emplace_back(step.groups()[0].rate, step.groups()[1].rate);
                      })};
  trainer.fit(toy::Data(4, torch::ones({1, 2})), rg::epochs(1));
  CHECK(rates == std::vector<std::pair<double, double>>{{1, 0.5}, {0.75, 0.375}, {0.5, 0.25}, {0.25, 0.125}});
}

TEST_CASE("what the optimizer lacks, and a group that matches nothing, are refused") {
  const auto make = [](const auto& optimizer, const auto& groups) { rg::Trainer trainer{groups_tests::Net{}, optimizer, toy::mean, groups}; };
  CHECK_THROWS_AS(make(rg::AdamW{}, rg::ParamGroups{rg::Group<"head.*">{.momentum = 0.9}}), rg::Error);
  CHECK_THROWS_AS(make(rg::SGD{.lr = 1}, rg::ParamGroups{rg::Group<"head.*">{.betas = rg::Betas{0.5, 0.5}}}), rg::Error);
  CHECK_THROWS_AS(make(rg::SGD{.lr = 1}, rg::ParamGroups{rg::Group<"tail.*">{.lr = 1}}), rg::Error);
  CHECK_THROWS_AS(make(rg::SGD{.lr = 1}, rg::ParamGroups{rg::Group<"head.*">{.lr = -1}}), rg::Error);
  CHECK_NOTHROW(make(rg::SGD{.lr = 1}, rg::ParamGroups{rg::Group<"head.*">{.momentum = 0.9}}));
}
