// tests/optim/wrapped.cpp - torch::optim objects run as they are, over the weights that train
#include <torch/torch.h>

#include "regimen/optim/wrapped.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_all.hpp>

#include "support/tensors.hpp"
#include "support/updates.hpp"

namespace wrapped_tests {
namespace rg = regimen;
using Catch::Matchers::ContainsSubstring;
using updates::Tensors;
using rg::detail::WrappedOptimizer;

Tensors three() { return updates::copies({torch::full({3}, 1.0), torch::full({2, 2}, 2.0), torch::full({}, 3.0)}); }
Tensors gradients(int seed) {
  torch::manual_seed(seed);
  return {torch::randn({3}), torch::randn({2, 2}), torch::randn({})};
}
void give(const Tensors& weights, const Tensors& all) {
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i].mutable_grad() = all[i].defined() ? all[i].clone() : all[i];
}
bool same(const Tensors& a, const Tensors& b) { return std::ranges::equal(a, b, tensors::same_bits); }
std::size_t count(torch::optim::Optimizer& optimizer, std::size_t group = 0) {
  return optimizer.param_groups()[group].params().size();
}

/// Alone and wrapped, one weight frozen and one listed twice: the same bits, frozen and duplicate out of its groups.
template <class O> void check_as_it_is(const auto& options) {
  const auto alone = three(), ours = three();
  O plain({alone[0], alone[1]}, options);
  O wrapped({ours[0], ours[1], ours[2], ours[0]}, options);
  auto partition = updates::partition_of(ours);
  partition.weights[2].frozen_by = "Freeze";
  WrappedOptimizer<O&> optimizer{wrapped};
  optimizer.set_up(partition);
  CHECK(count(wrapped) == 2);
  CHECK(partition.weights[0].also == std::vector<std::string>{"group 0"});  // the second mention is reported
  CHECK(partition.weights[1].also.empty());
  REQUIRE(partition.cells.size() == 1);
  CHECK(partition.cells[0].weights == std::vector<std::size_t>{0, 1});
  for (int s = 0; s < 4; ++s) {
    auto all = gradients(s);
    if (s == 2) all[1] = torch::Tensor{};
    give(alone, {all[0], all[1], torch::Tensor{}});
    give(ours, all);
    plain.step();
    CHECK(optimizer.update(partition) == (s == 2 ? 1 : 2));
    CHECK(same(alone, ours));
  }
  CHECK(tensors::same_bits(ours[2], torch::full({}, 3.0)));
}

TEST_CASE("SGD, Adam, AdamW, RMSprop and Adagrad of torch run as they are, without frozen and doubly listed weights") {
  check_as_it_is<torch::optim::SGD>(torch::optim::SGDOptions(0.1).momentum(0.9).weight_decay(0.1));
  check_as_it_is<torch::optim::Adam>(torch::optim::AdamOptions(0.1).weight_decay(0.1));
  check_as_it_is<torch::optim::AdamW>(torch::optim::AdamWOptions(0.1).amsgrad(true));
  check_as_it_is<torch::optim::RMSprop>(torch::optim::RMSpropOptions(0.1).momentum(0.5).centered(true));
  check_as_it_is<torch::optim::Adagrad>(torch::optim::AdagradOptions(0.1));
}

TEST_CASE("an optimizer is referred to or kept, and goes on with the moments that it has") {
  const auto a = three(), b = three();
  torch::optim::SGD plain(a, torch::optim::SGDOptions(1).momentum(0.9)), used(b, torch::optim::SGDOptions(1).momentum(0.9));
  give(a, gradients(1));
  give(b, gradients(1));
  plain.step();
  used.step();
  auto partition = updates::partition_of(b);
  WrappedOptimizer<torch::optim::SGD> kept{std::move(used)};
  kept.set_up(partition);
  give(a, gradients(2));
  give(b, gradients(2));
  plain.step();
  CHECK(kept.update(partition) == 3);
  CHECK(same(a, b));
}

TEST_CASE("KZ5 a weight in two groups belongs to the first, with its rate") {
  const auto w = updates::copies({torch::zeros({1}), torch::zeros({1})});
  std::vector<torch::optim::OptimizerParamGroup> groups;
  groups.emplace_back(Tensors{w[0]}, std::make_unique<torch::optim::SGDOptions>(1));
  groups.emplace_back(Tensors{w[0], w[1]}, std::make_unique<torch::optim::SGDOptions>(0.125));
  torch::optim::SGD sgd(groups, torch::optim::SGDOptions(7));
  auto partition = updates::partition_of(w);
  WrappedOptimizer<torch::optim::SGD&> optimizer{sgd};
  optimizer.set_up(partition);
  CHECK(count(sgd, 0) == 1);
  CHECK(count(sgd, 1) == 1);
  CHECK(partition.weights[0].group == 0);
  CHECK(partition.weights[1].group == 1);
  CHECK(partition.weights[0].also == std::vector<std::string>{"group 1"});
  CHECK(optimizer.groups()[0].rate == 1);
  CHECK(optimizer.groups()[1].base_rate == 0.125);
  give(w, {torch::ones({1}), torch::ones({1})});
  optimizer.update(partition);
  CHECK(w[0].item<double>() == -1);
  CHECK(w[1].item<double>() == -0.125);
  optimizer.groups()[0].rate = 0.5;  // as a schedule writes; the other group keeps its own
  optimizer.update(partition);
  CHECK(w[0].item<double>() == -1.5);
  CHECK(w[1].item<double>() == -0.25);
  CHECK(sgd.param_groups()[0].options().get_lr() == 0.5);
}

TEST_CASE("a foreign tensor is an error, and leaves the user's optimizer as it was") {
  const auto w = three();
  torch::optim::SGD sgd({w[0], w[0], w[2], torch::zeros({5}), w[1]}, torch::optim::SGDOptions(1));
  auto partition = updates::partition_of(w);
  partition.weights[1].frozen_by = "Freeze";
  WrappedOptimizer<torch::optim::SGD&> optimizer{sgd};
  CHECK_THAT(tensors::error_of([&] { optimizer.set_up(partition); }),
             ContainsSubstring("a tensor of 5 numbers that is not a parameter of the model"));
  REQUIRE(count(sgd) == 5);
  const auto& held = sgd.param_groups()[0].params();
  for (const auto& t : held) CHECK(t.defined());
  CHECK(held[1].unsafeGetTensorImpl() == w[0].unsafeGetTensorImpl());
}

TEST_CASE("weights that the optimizer doesn't hold stay, those it holds but that are frozen too; none left is an error") {
  const auto w = three();
  torch::optim::SGD sgd({w[0], w[1]}, torch::optim::SGDOptions(1));
  auto partition = updates::partition_of(w);
  partition.weights[1].frozen_by = "requires_grad";
  WrappedOptimizer<torch::optim::SGD&> optimizer{sgd};
  optimizer.set_up(partition);
  CHECK_FALSE(partition.weights[2].trains());
  CHECK_FALSE(partition.weights[1].trains());
  give(w, {torch::ones({3}), torch::ones({2, 2}), torch::ones({})});
  CHECK(optimizer.update(partition) == 1);
  CHECK(torch::equal(w[0], torch::zeros({3})));
  CHECK(torch::equal(w[1], torch::full({2, 2}, 2.0)));
  CHECK(w[2].item<double>() == 3);

  torch::optim::SGD frozen({w[1]}, torch::optim::SGDOptions(1));
  auto rest = updates::partition_of(w);
  rest.weights[1].frozen_by = "Freeze";
  WrappedOptimizer<torch::optim::SGD&> nothing{frozen};
  CHECK_THAT(tensors::error_of([&] { nothing.set_up(rest); }), ContainsSubstring("holds no parameter that trains"));
}

TEST_CASE("an optimizer that lists an alias updates the weight behind it") {
  const auto w = torch::ones({2}).requires_grad_();
  const auto alias = w.detach().requires_grad_();
  rg::Partition partition;
  partition.groups = {{"default", {}}};
  partition.weights.push_back({.name = "w", .also = {"alias"}, .tensor = w, .aliases = {alias}, .frozen_by = {}});
  torch::optim::SGD sgd({alias}, torch::optim::SGDOptions(1));
  WrappedOptimizer<torch::optim::SGD&> optimizer{sgd};
  optimizer.set_up(partition);
  w.mutable_grad() = torch::ones({2});  // where the engine joins the gradients of aliases
  CHECK(optimizer.update(partition) == 1);
  CHECK(torch::equal(w, torch::zeros({2})));
}

TEST_CASE("the factor of a cell scales the gradients of a wrapped optimizer, sparse ones too") {
  const auto w = torch::zeros({3, 2}).requires_grad_();
  torch::optim::SGD sgd({w}, torch::optim::SGDOptions(1));
  auto partition = updates::partition_of({w});
  WrappedOptimizer<torch::optim::SGD&> optimizer{sgd};
  optimizer.set_up(partition);
  partition.cells[0].factor = 0.25;
  w.mutable_grad() = torch::full({3, 2}, 4.0);
  optimizer.update(partition);
  CHECK(torch::equal(w, torch::full({3, 2}, -1.0)));
  w.mutable_grad() = torch::full({3, 2}, 4.0).to_sparse();
  optimizer.update(partition);
  CHECK(torch::equal(w, torch::full({3, 2}, -2.0)));
}

/// Counts its steps.
struct Counting : torch::optim::SGD {
  using torch::optim::SGD::SGD;
  int steps = 0;
  torch::Tensor step(LossClosure closure = nullptr) override {
    ++steps;
    return torch::optim::SGD::step(closure);
  }
};

TEST_CASE("without any gradient the optimizer is not asked for a step") {
  const auto w = three();
  Counting sgd(w, torch::optim::SGDOptions(1));
  auto partition = updates::partition_of(w);
  WrappedOptimizer<Counting&> optimizer{sgd};
  optimizer.set_up(partition);
  CHECK(optimizer.update(partition) == 0);
  CHECK(sgd.steps == 0);
  give(w, gradients(1));
  optimizer.update(partition);
  CHECK(sgd.steps == 1);
}

TEST_CASE("a wrapped optimizer says that it can't be saved") {
  const auto w = three();
  torch::optim::SGD sgd(w, torch::optim::SGDOptions(1));
  WrappedOptimizer<torch::optim::SGD&> optimizer{sgd};
  rg::Partition partition;
  const auto visitor = [](std::string_view, auto&) {};
  CHECK_THAT(tensors::error_of([&] { optimizer.archive(visitor, partition); }), ContainsSubstring("keeps its state to itself"));
}
}  // namespace wrapped_tests
