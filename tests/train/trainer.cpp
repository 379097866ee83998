// tests/train/trainer.cpp - all ways to make a trainer, what it owns, and what may stand as model, optimizer, objective and data
#include "regimen/train/trainer.hpp"

#include <catch2/catch_test_macros.hpp>
#include <torch/script.h>

#include <type_traits>
#include <utility>

#include "support/toy.hpp"

using toy::counting;

namespace trainer_tests {
struct NetImpl : torch::nn::Module {
  torch::nn::Linear backbone{register_module("backbone", torch::nn::Linear(2, 4))}, head{register_module("head", torch::nn::Linear(4, 3))};
  torch::Tensor forward(const torch::Tensor& x) { return head(backbone(x).relu()); }
};
TORCH_MODULE(Net);
constexpr rg::Selector backbone{"backbone.*"};

using Spelled = rg::Trainer<Net, torch::optim::AdamW, rg::CrossEntropy, rg::Accumulate<4>, rg::ClipNorm<>, rg::Amp<>, rg::Scheduler<rg::Cosine>, rg::Freeze<backbone>>;
using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;
Batches batches(int n) {
  torch::manual_seed(0);
  Batches all;
  for (int i = 0; i < n; ++i) {
    auto x = torch::randn({5, 2});
    all.emplace_back(std::move(x), torch::randint(3, {5}, torch::kLong));
  }
  return all;
}
}  // namespace trainer_tests
using trainer_tests::Net;

TEST_CASE("the types may be spelled, and policies left out of the call") {
  Net net;
  const auto frozen = net->backbone->weight.detach().clone(), trained = net->head->weight.detach().clone();
  trainer_tests::Spelled trainer{net, torch::optim::AdamW{net->parameters(), 1e-2}};
  const auto report = trainer.fit(trainer_tests::batches(8), rg::epochs(2));
  CHECK(report.updates + report.skipped == 4);
  CHECK(torch::equal(net->backbone->weight, frozen));
  CHECK_FALSE(torch::equal(net->head->weight, trained));

  rg::Trainer<Net, rg::AdamW, rg::CrossEntropy, rg::Accumulate<4>> least{net};  // AdamW has a default rate
  CHECK(least.learning_rate() == 1e-3);
}

TEST_CASE("the order of writing gives one type behind the trainer; off and recipes too") {
  Net net;
  constexpr auto base = rg::recipe(rg::Accumulate<2>{}, rg::ClipNorm<>{1.0});
  rg::Trainer a{net, rg::AdamW{}, rg::CrossEntropy{}, rg::Accumulate<2>{}, rg::ClipNorm<>{1.0}}, c{net, rg::AdamW{}, rg::CrossEntropy{}, rg::Accumulate<2>{}, rg::ClipNorm<>{1.0}};
  rg::Trainer b{net, rg::AdamW{}, rg::CrossEntropy{}, base};
  rg::Trainer d{net, rg::AdamW{}, rg::CrossEntropy{}, base + rg::Metrics{rg::Accuracy{}} + rg::off<rg::Metrics<rg::Accuracy>>};
  STATIC_CHECK(std::is_same_v<rg::detail::Sorted<rg::Accumulate<2>, rg::ClipNorm<>>, rg::detail::Sorted<rg::ClipNorm<>, rg::Accumulate<2>>>);
  STATIC_CHECK(std::is_same_v<rg::detail::Sorted<std::remove_cv_t<decltype(base)>>, rg::detail::Sorted<rg::ClipNorm<>, rg::Accumulate<2>>>);
  STATIC_CHECK(decltype(b)::plan().policies == 2);
  STATIC_CHECK(decltype(d)::plan().policies == 2);
}

TEST_CASE("lvalue modules and torch optimizers are referred to, the rest is kept") {
  toy::LineImpl module;
  torch::optim::SGD optimizer{module.parameters(), 1.0};
  const auto objective = [](auto& net, const torch::Tensor& x) { return net.forward(x).mean(); };
  rg::Trainer referring{module, optimizer, objective};
  STATIC_CHECK(std::is_same_v<decltype(referring), rg::Trainer<toy::LineImpl&, torch::optim::SGD&, std::remove_cv_t<decltype(objective)>>>);
  referring.fit(counting(2), rg::epochs(1));
  CHECK(module.w() == -3);

  toy::Line holder;
  rg::Trainer keeping{holder, rg::SGD{.lr = 1}, toy::mean};
  STATIC_CHECK(std::is_same_v<decltype(keeping), rg::Trainer<toy::Line, rg::SGD, std::remove_cv_t<decltype(toy::mean)>>>);
  keeping.fit(counting(2), rg::epochs(1));
  CHECK(holder->w() == -3);  // a holder shares its module

  auto shared = std::make_shared<toy::LineImpl>();
  rg::Trainer pointed{shared, rg::SGD{.lr = 1}, toy::mean};
  pointed.fit(counting(2), rg::epochs(1));
  CHECK(shared->w() == -3);
}

TEST_CASE("a trainer moves in the middle of its life, and nothing kept its address") {
  toy::Line net;
  rg::Trainer first{net, rg::SGD{.lr = 1, .momentum = 0.9}, toy::mean, rg::ClipNorm<>{100}, rg::Accumulate<1>{}, rg::Scheduler<rg::Constant>{}};
  first.fit(counting(2), rg::epochs(1));
  auto second = std::move(first);
  second.fit(counting(2), rg::epochs(1));
  toy::Line other;
  rg::Trainer whole{other, rg::SGD{.lr = 1, .momentum = 0.9}, toy::mean};
  whole.fit(counting(2), rg::epochs(2));
  CHECK(net->w() == other->w());
  STATIC_CHECK_FALSE(std::is_copy_constructible_v<decltype(second)>);
}

TEST_CASE("a scripted module is a model") {
  torch::jit::Module scripted{"toy"};
  scripted.register_parameter("w", torch::zeros({1}, torch::requires_grad()), false);
  scripted.define("def forward(self, x):\n  return self.w * x\n");
  rg::Trainer trainer{scripted, rg::SGD{.lr = 1}, [](auto& model, const torch::Tensor& x) { return model.forward({x}).toTensor().mean(); }};
  trainer.fit(counting(2), counting(1), rg::epochs(1));
  CHECK(scripted.attr("w").toTensor().item<double>() == -3);
  rg::Trainer with_objective{scripted, rg::SGD{.lr = 1}, rg::MSE{}};
  with_objective.fit(std::vector<rg::Batch>{{torch::ones({1}), torch::zeros({1})}}, rg::epochs(1));
  CHECK(scripted.attr("w").toTensor().item<double>() == 3);
}

TEST_CASE("batches may be a pair, a tuple of several inputs, rg::Batch, an Example, or the user's own") {
  struct TwoInputsImpl : torch::nn::Module {
    torch::nn::Linear fc{register_module("fc", torch::nn::Linear(2, 3))};
    torch::Tensor forward(const torch::Tensor& a, const torch::Tensor& b) { return fc(a + b); }
  };
  const auto x = torch::ones({4, 2});
  const auto y = torch::zeros({4}, torch::kLong);
  rg::Trainer two{std::make_shared<TwoInputsImpl>(), rg::AdamW{}, rg::CrossEntropy{}};
  CHECK(two.fit(std::vector{std::tuple{x, x, y}}, rg::epochs(1)).updates == 1);

  Net net;
  rg::Trainer one{net, rg::AdamW{}, rg::CrossEntropy{}};
  CHECK(one.fit(std::vector{std::pair{x, y}}, rg::epochs(1)).samples == 4);
  CHECK(one.fit(std::vector{rg::Batch{x, y}}, rg::epochs(1)).samples == 4);
  CHECK(one.fit(std::vector{torch::data::Example<>{x, y}}, rg::epochs(1)).samples == 4);

  struct Sentence { std::vector<torch::Tensor> words; };
  toy::Line line;
  rg::Trainer own{line, rg::SGD{.lr = 1}, [](auto& n, const Sentence& s) { return n->forward(torch::cat(s.words)).mean(); }};
  own.fit(std::vector{Sentence{{torch::full({1, 1}, 2.0), torch::full({1, 1}, 4.0)}}}, rg::epochs(1));
  CHECK(line->w() == -3);
}

TEST_CASE("torch::data loaders are data as they are") {
  struct Numbers : torch::data::datasets::Dataset<Numbers> {
    torch::data::Example<> get(std::size_t i) override { return {torch::full({2}, double(i)), torch::full({}, std::int64_t(i % 3), torch::kLong)}; }
    torch::optional<std::size_t> size() const override { return 10; }
  };
  auto loader = torch::data::make_data_loader<torch::data::samplers::SequentialSampler>(Numbers{}.map(torch::data::transforms::Stack<>()), 4);
  Net net;
  rg::Trainer trainer{net, rg::AdamW{}, rg::CrossEntropy{}, rg::Accumulate<2>{}};
  const auto report = trainer.fit(loader, *loader, rg::epochs(2));
  CHECK(report.samples == 20);
  CHECK(report.updates == 4);
}

TEST_CASE("get reaches a policy's state") {
  Net net;
  rg::Trainer trainer{net, rg::AdamW{}, rg::CrossEntropy{}, rg::Amp<>{.loss_scale = {.init_scale = 8}}};
  CHECK(trainer.get<rg::Amp<>>().loss_scale.scale == 8);
}
