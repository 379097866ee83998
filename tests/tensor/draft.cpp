// tests/tensor/draft.cpp - which weights a model has, what selects them, what freezing and grouping make of them
#include <torch/torch.h>
#include <torch/script.h>

#include "regimen/tensor/draft.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_all.hpp>

#include "support/tensors.hpp"

namespace draft_tests {
namespace rg = regimen;
using Catch::Matchers::ContainsSubstring;
using Matches = std::vector<bool>;
using Names = std::vector<std::string>;

/// conv (weight, bias), norm (weight, bias), body.0, body.2 (Linear), head (weight alone): nine weights.
struct Net : torch::nn::Module {
  torch::nn::Conv2d conv{torch::nn::Conv2dOptions(1, 2, 3)};
  torch::nn::BatchNorm2d norm{2};
  torch::nn::Sequential body{torch::nn::Linear(3, 4), torch::nn::ReLU(), torch::nn::Linear(4, 2)};
  torch::nn::Linear head{torch::nn::LinearOptions(2, 2).bias(false)};
  Net() {
    register_module("conv", conv);
    register_module("norm", norm);
    register_module("body", body);
    register_module("head", head);
  }
};
/// Any parameters, under any names.
struct Loose : torch::nn::Module {
  Loose(std::initializer_list<std::pair<std::string, torch::Tensor>> all) {
    for (const auto& [name, t] : all) register_parameter(name, t, t.defined() && t.requires_grad());
  }
};
torch::Tensor leaf(std::vector<std::int64_t> shape = {2}) { return torch::ones(shape).requires_grad_(); }
Names names(const rg::Partition& p) {
  Names all;
  for (const auto& w : p.weights) all.push_back(w.name);
  return all;
}
Names picked(const rg::Partition& p, const Matches& which) {
  Names all;
  for (std::size_t i = 0; i < which.size(); ++i)
    if (which[i]) all.push_back(p.weights[i].name);
  return all;
}

TEST_CASE("a draft lists every parameter once, in order of registration, in one default group") {
  Net net;
  rg::Partition p;
  rg::Draft draft{net, p};
  CHECK(names(p) == Names{"conv.weight", "conv.bias", "norm.weight", "norm.bias", "body.0.weight", "body.0.bias", "body.2.weight",
                          "body.2.bias", "head.weight"});
  REQUIRE(p.groups.size() == 1);
  CHECK(p.groups[0].name == "default");
  for (const auto& w : draft.weights()) {
    CHECK(w.group == 0);
    CHECK(w.trains());
    CHECK(w.also.empty());
  }
  CHECK_NOTHROW(draft.finish());
  CHECK(p.frozen_modules.empty());
}

TEST_CASE("KZ12 what is registered twice, or assigned behind registration") {
  struct Twice : torch::nn::Module {
    torch::nn::Linear a{1, 1}, assigned{1, 1};
    Twice() {
      register_module("a", a);
      register_module("b", a);
      register_module("c", assigned);
      assigned->weight = a->weight;  // the member alone: what is registered as c.weight is another tensor
    }
  } net;
  rg::Partition p;
  rg::Draft draft{net, p};
  CHECK(names(p) == Names{"a.weight", "a.bias", "c.weight", "c.bias"});
  CHECK(p.weights[0].also == Names{"b.weight"});
  CHECK(p.weights[1].also == Names{"b.bias"});
  CHECK(p.weights[2].also.empty());
  CHECK(p.weights[0].aliases.empty());  // the very same tensor
  // found under either name
  CHECK(picked(p, draft.select<"b.*">("test")) == Names{"a.weight", "a.bias"});
}

TEST_CASE("tied is the same tensor, or equal storage, offset, sizes and strides") {
  using rg::detail::is_tied;
  const auto base = torch::arange(12).to(torch::kFloat);
  const auto a = base.view({3, 4});
  CHECK(is_tied(a, a));
  CHECK(is_tied(a, base.view({3, 4})));
  CHECK(is_tied(a, a.detach()));
  CHECK_FALSE(is_tied(a, a.clone()));
  CHECK_FALSE(is_tied(a, base.view({4, 3})));
  CHECK_FALSE(is_tied(base.view({2, 6}).slice(1, 0, 2), base.view({6, 2}).slice(0, 0, 2)));  // sizes equal, strides not
  CHECK_FALSE(is_tied(base.slice(0, 0, 6), base.slice(0, 6)));                                 // offset
  CHECK_FALSE(is_tied(base.slice(0, 0, 4), base.slice(0, 0, 5)));
  CHECK_FALSE(is_tied(base, base.view(torch::kInt)));
  CHECK_FALSE(is_tied(torch::zeros({0}), torch::zeros({0})));  // no memory, nothing shared
  const auto sparse = torch::eye(2).to_sparse();
  CHECK(is_tied(sparse, sparse));
  CHECK_FALSE(is_tied(sparse, torch::eye(2).to_sparse()));
}

TEST_CASE("two tensors over the same memory are one weight with an alias; overlapping ones are two") {
  const auto base = torch::ones({2, 2}).requires_grad_();
  const auto alias = base.detach().requires_grad_();
  Loose net{{"a", base}, {"b", alias}, {"empty", leaf({0})}, {"nothing", leaf({0})}};
  net.register_parameter("undefined", torch::Tensor{});
  rg::Partition p;
  rg::Draft draft{net, p};
  CHECK(names(p) == Names{"a", "empty", "nothing"});
  CHECK(p.weights[0].also == Names{"b"});
  REQUIRE(p.weights[0].aliases.size() == 1);
  CHECK(p.weights[0].aliases[0].unsafeGetTensorImpl() == alias.unsafeGetTensorImpl());

  // freezing reaches the alias
  base.mutable_grad() = torch::ones({2, 2});
  alias.mutable_grad() = torch::ones({2, 2});
  draft.freeze(draft.select<"b">("Freeze"), "Freeze", false);
  draft.finish();
  CHECK_FALSE(base.requires_grad());
  CHECK_FALSE(alias.requires_grad());
  CHECK_FALSE(base.grad().defined());
  CHECK_FALSE(alias.grad().defined());
  REQUIRE(p.weights[0].aliases.size() == 1);  // itself is not left among them

  const auto whole = torch::ones({4});
  Loose overlap{{"whole", whole.detach().requires_grad_()}, {"half", whole.slice(0, 0, 2).detach().requires_grad_()}};
  rg::Partition q;
  rg::Draft two{overlap, q};
  CHECK(names(q) == Names{"whole", "half"});
}

TEST_CASE("globs select by full name, types by the modules that a parameter lies in") {
  Net net;
  rg::Partition p;
  rg::Draft draft{net, p};
  CHECK(picked(p, draft.select<"*">("test")).size() == 9);
  CHECK(picked(p, draft.select<"body.*">("test")).size() == 4);
  CHECK(picked(p, draft.select<"*.bias">("test")) == Names{"conv.bias", "norm.bias", "body.0.bias", "body.2.bias"});
  CHECK(picked(p, draft.select<"body.[!0].weight">("test")) == Names{"body.2.weight"});
  CHECK(picked(p, draft.select<"h?ad.weight">("test")) == Names{"head.weight"});
  const auto by_holder = draft.select<rg::type<torch::nn::Linear>>("test");
  CHECK(picked(p, by_holder) == Names{"body.0.weight", "body.0.bias", "body.2.weight", "body.2.bias", "head.weight"});
  CHECK(draft.select<rg::type<torch::nn::LinearImpl>>("test") == by_holder);
  CHECK(picked(p, draft.select<rg::type<torch::nn::BatchNorm2d>>("test")) == Names{"norm.weight", "norm.bias"});
  CHECK(picked(p, draft.select_if("test", "matrices", [](std::string_view, const torch::Tensor& t) { return t.dim() == 2; })) ==
        Names{"body.0.weight", "body.2.weight", "head.weight"});
  // with all that lies below such a module
  CHECK(picked(p, draft.select<rg::type<torch::nn::Sequential>>("test")) == picked(p, draft.select<"body.*">("test")));
  CHECK(picked(p, draft.select<rg::type<Net>>("test")).size() == 9);
  // the root is a module too
  Loose root{{"scale", leaf()}};
  rg::Partition q;
  rg::Draft of_root{root, q};
  CHECK(picked(q, of_root.select<rg::type<Loose>>("test")) == Names{"scale"});
}

TEST_CASE("a selector that matches nothing is an error that lists near names") {
  Net net;
  rg::Partition p;
  rg::Draft draft{net, p};
  const auto glob = tensors::error_of([&] { (void)draft.select<"had.weight">("Freeze"); });
  CHECK_THAT(glob, ContainsSubstring("Freeze: \"had.weight\" matches no parameter") &&
                       ContainsSubstring("the nearest names are \"head.weight\""));
  CHECK_THAT(tensors::error_of([&] { (void)draft.select<"body">("Freeze"); }),
             ContainsSubstring("matches no parameter"));  // a module's name is no parameter's
  CHECK_THAT(tensors::error_of([&] { (void)draft.select<rg::type<torch::nn::LSTM>>("Freeze"); }),
             ContainsSubstring("Freeze: no parameter lies in a module of type torch::nn::LSTM"));
  CHECK_THAT(tensors::error_of([&] { (void)draft.select<rg::type<torch::nn::ReLU>>("Freeze"); }),
             ContainsSubstring("no parameter lies in a module of type torch::nn::ReLU"));  // there, without parameters
  CHECK_THAT(tensors::error_of([&] { (void)draft.select_if("GroupIf", "it", [](auto, auto&) { return false; }); }),
             ContainsSubstring("GroupIf: \"it\" matches no parameter"));
  using rg::detail::distance;
  CHECK(distance("", "abc") == 3);
  CHECK(distance("abc", "") == 3);
  CHECK(distance("kitten", "sitting") == 3);
  CHECK(distance("flaw", "lawn") == 2);
  CHECK(distance("same", "same") == 0);
}

TEST_CASE("the first group that matches keeps a weight, whatever matches later") {
  Net net;
  rg::Partition p;
  rg::Draft draft{net, p};
  draft.group(draft.select<"body.*">("ParamGroups"), "body", {.lr = 0.1});
  draft.group(draft.select<"*">("ParamGroups"), "all", {.weight_decay = 0.2});
  draft.group(draft.select<"head.*">("ParamGroups"), "late", {});
  REQUIRE(p.groups.size() == 4);
  std::vector<std::size_t> groups;
  for (const auto& w : p.weights) groups.push_back(w.group);
  CHECK(groups == std::vector<std::size_t>{2, 2, 2, 2, 1, 1, 1, 1, 2});
  CHECK(p.groups[1].overrides == rg::Overrides{.lr = 0.1});
  CHECK_FALSE(p.groups[1].overrides.weight_decay);  // unset: inherited
}

TEST_CASE("no decay makes a twin of each group, with the rest of its values, once") {
  Net net;
  rg::Partition p;
  rg::Draft draft{net, p};
  draft.group(draft.select<"body.*">("ParamGroups"), "body", {.lr = 0.1});
  const auto biases = draft.select<"*.bias">("NoDecay");
  draft.no_decay(biases);
  draft.no_decay(biases);  // asked twice
  draft.no_decay(draft.select<"body.0.*">("NoDecay"));
  for (const auto& w : p.weights) {
    INFO(w.name);
    const auto& group = p.groups[w.group];
    CHECK(group.no_decay == (w.name.ends_with("bias") || w.name == "body.0.weight"));
    CHECK(group.overrides.lr.has_value() == w.name.starts_with("body"));
  }
  CHECK(p.weights[5].group == p.weights[7].group);  // biases of one group share the twin
  CHECK(p.weights[1].group == p.weights[3].group);
  CHECK(p.weights[1].group != p.weights[5].group);
}

TEST_CASE("frozen weights leave autograd, and wholly frozen modules are listed") {
  Net net;
  for (auto& t : net.parameters()) t.mutable_grad() = torch::ones_like(t);
  rg::Partition p;
  rg::Draft draft{net, p};
  draft.freeze(draft.select<"body.*">("Freeze"), "Freeze", false);
  draft.freeze(draft.select<"conv.weight">("Freeze"), "Freeze", false);
  draft.freeze(draft.select<rg::type<torch::nn::BatchNorm2d>>("Freeze"), "Freeze", true);  // keeps its mode
  draft.finish();
  for (const auto& w : p.weights) {
    INFO(w.name);
    const bool frozen = w.name != "conv.bias" && w.name != "head.weight";
    CHECK(w.frozen_by == (frozen ? "Freeze" : ""));
    CHECK(w.tensor.requires_grad() == !frozen);
    CHECK(w.tensor.grad().defined() == !frozen);
  }
  CHECK(p.frozen_modules == Names{"body.", "body.0.", "body.2."});  // not conv, half of it trains; not norm; ReLU has no parameters
}

TEST_CASE("what doesn't require a gradient by hand is frozen, without a word on modes") {
  Net net;
  for (auto& t : net.body->parameters()) t.requires_grad_(false);
  net.head->weight.requires_grad_(false);
  rg::Partition p;
  rg::Draft draft{net, p};
  draft.freeze(draft.select<"head.*">("Freeze"), "Freeze", false);  // said twice: the policy's word counts
  draft.finish();
  CHECK(p.weights[4].frozen_by == "requires_grad");
  CHECK_FALSE(p.weights[4].trains());
  CHECK(p.weights[8].frozen_by == "Freeze");
  CHECK(p.frozen_modules == Names{"head."});
  p.build_cells();
  REQUIRE(p.cells.size() == 1);
  CHECK(p.cells[0].weights.size() == 4);
}

TEST_CASE("KZ6 no parameter, nothing left to train and a computed parameter are errors") {
  rg::Partition p;
  torch::nn::ReLU none;
  CHECK_THAT(tensors::error_of([&] { rg::Draft draft{*none, p}; }), ContainsSubstring("no parameters"));
  {
    rg::Partition fresh;
    Net net;
    rg::Draft draft{net, fresh};
    draft.freeze(draft.select<"*">("Freeze"), "Freeze", false);
    CHECK_THAT(tensors::error_of([&] { draft.finish(); }),
               ContainsSubstring("no parameter is left to train") && ContainsSubstring("allow_empty"));
  }
  {
    rg::Partition fresh;
    Net net;
    for (auto& t : net.parameters()) t.requires_grad_(false);
    rg::Draft draft{net, fresh};
    CHECK_THROWS_AS(draft.finish(), rg::Error);
  }
  {
    rg::Partition fresh;
    Net net;
    rg::Draft draft{net, fresh};
    draft.allow_empty();
    draft.freeze(draft.select<"*">("Freeze"), "Freeze", false);
    CHECK_NOTHROW(draft.finish());
    CHECK(fresh.frozen_modules.front().empty());  // the root itself
  }
  {
    rg::Partition fresh;
    struct Computed : torch::nn::Module {
      torch::Tensor w = register_parameter("w", torch::ones({2})), twice = w * 2;
      Computed() { parameters_.insert("twice", twice); }  // register_parameter would refuse it
    } net;
    rg::Draft draft{net, fresh};
    CHECK_THAT(tensors::error_of([&] { draft.finish(); }), ContainsSubstring("twice is not a leaf"));
  }
}

TEST_CASE("a scripted module is drafted like any other") {
  torch::jit::Module inner{"draft_tests.Inner"}, outer{"draft_tests.Outer"};
  inner.register_attribute("training", c10::BoolType::get(), true);
  inner.register_parameter("weight", leaf({2, 2}), false);
  inner.register_parameter("running", torch::ones({2}), true);  // a buffer
  outer.register_attribute("training", c10::BoolType::get(), true);
  outer.register_parameter("bias", leaf(), false);
  outer.register_module("inner", inner);
  rg::Partition p;
  rg::Draft draft{outer, p};
  CHECK(names(p) == Names{"bias", "inner.weight"});
  draft.freeze(draft.select<"inner.*">("Freeze"), "Freeze", false);
  draft.finish();
  CHECK(p.frozen_modules == Names{"inner."});
  CHECK_FALSE(inner.attr("weight").toTensor().requires_grad());
  CHECK_THROWS_AS(draft.select<rg::type<torch::nn::Linear>>("Freeze"), rg::Error);
}
}  // namespace draft_tests
