// tests/cases/freezing_and_groups.cpp - cases on who trains, and with which hyperparameters
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <string>

#include "support/toy.hpp"

using toy::close, toy::data, toy::Values;

namespace freezing_cases {
using torch::nn::Linear, torch::nn::LinearOptions;

struct TwoLayersImpl : torch::nn::Module {
  Linear fc1{register_module("fc1", Linear(3, 3))}, fc2{register_module("fc2", Linear(3, 1))};
  torch::Tensor forward(const torch::Tensor& x) { return fc2(fc1(x).relu()); }
};
TORCH_MODULE(TwoLayers);

/// Branches whose gradients are x where they are used: weights a and b, each of one number.
struct BranchesImpl : torch::nn::Module {
  torch::Tensor a = register_parameter("a", torch::zeros({1})), b = register_parameter("b", torch::zeros({1}));
};
TORCH_MODULE(Branches);

struct OwnAdamW {
  static auto make(auto&) { return rg::AdamW{.lr = 1, .weight_decay = 0.1}; }
};
struct WrappedAdamW {
  static auto make(auto& net) { return torch::optim::AdamW{net->parameters(), torch::optim::AdamWOptions(1).weight_decay(0.1)}; }
};
struct SquaredLoss {
  torch::Tensor operator()(auto& net, const torch::Tensor& x) const { return net->forward(x).square().mean(); }
};
/// What the table says of one parameter.
std::string row_of(const std::string& table, const std::string& name) {
  const auto at = table.find("\n" + name + " ");
  return at == table.npos ? "" : table.substr(at + 1, table.find('\n', at + 1) - at - 1);
}
template <class M> torch::Tensor copy(const M& t) { return t.detach().clone(); }
}  // namespace freezing_cases
using namespace freezing_cases;

TEMPLATE_TEST_CASE("K75 a frozen layer keeps its bits through decay and moments", "", OwnAdamW, WrappedAdamW) {
  TwoLayers net;
  const auto weight = copy(net->fc1->weight), bias = copy(net->fc1->bias), moving = copy(net->fc2->weight);
  rg::Trainer trainer{net, TestType::make(net), SquaredLoss{}, rg::Freeze<"fc1.*">{}};
  trainer.fit(toy::Data(10, torch::ones({2, 3})), rg::epochs(1));
  CHECK(torch::equal(net->fc1->weight, weight));
  CHECK(torch::equal(net->fc1->bias, bias));
  CHECK_FALSE(torch::equal(net->fc2->weight, moving));
  CHECK_FALSE(net->fc1->weight.requires_grad());
  CHECK_FALSE(net->fc1->weight.grad().defined());
  CHECK_FALSE(net->fc1->is_training());
  CHECK(net->fc2->is_training());
  for (const auto& cell : trainer.partition().cells)
    for (auto i : cell.weights) CHECK(trainer.partition().weights[i].name.starts_with("fc2."));
}

TEMPLATE_TEST_CASE("K77 the norm is that of the trainable gradients", "", toy::Own, toy::Wrapped) {
  struct ThreeImpl : torch::nn::Module {
    torch::Tensor a = register_parameter("a", torch::ones({1})), b = register_parameter("b", torch::ones({1})), c = register_parameter("c", torch::ones({1}));
  };
  auto net = std::make_shared<ThreeImpl>();
  double norm = 0;
  rg::Trainer trainer{net, TestType::sgd(net, 0, 0.1), [](auto& n, const torch::Tensor& x) { return ((3 * n->a + 4 * n->b + 12 * n->c) * x).sum(); },
                      rg::Freeze<"c">{}, rg::ClipNorm<>{100}, rg::on<rg::after_update>([&](auto& step) { norm = step.outcome().norm; })};
  trainer.fit(data({{1}}), rg::epochs(1));
  CHECK(norm == 5);
  CHECK(net->c.template item<double>() == 1);
}

TEMPLATE_TEST_CASE("K79 a weight without a gradient is not moved by its momentum", "", toy::Own, toy::Wrapped) {
  Branches net;
  Values b;
  int call = 0;
  rg::Trainer trainer{net, TestType::sgd(net, 0.9), [&](auto& n, const torch::Tensor& x) { return (call++ == 0 ? n->a + n->b : n->a).sum() * x.sum(); },
                      rg::on<rg::after_update>([&](auto&) { b.push_back(net->b.template item<double>()); })};
  trainer.fit(toy::Data(4, torch::ones({1, 1})), rg::epochs(1));
  CHECK(b == Values{-1, -1, -1, -1});
  CHECK(net->a.template item<double>() == Catch::Approx(-(1 + 1.9 + 2.71 + 3.439)));
}

TEMPLATE_TEST_CASE("K81 one weight with a gradient, one without", "", toy::Own, toy::Wrapped) {
  Branches net;
  rg::Trainer trainer{net, TestType::sgd(net), [](auto& n, const torch::Tensor& x) { return (n->a * x).sum(); }};
  trainer.fit(data({{2}}), rg::epochs(1));
  CHECK(net->a.template item<double>() == -2);
  CHECK(net->b.template item<double>() == 0);
}

namespace freezing_cases {
struct WithNormImpl : torch::nn::Module {
  Linear a{register_module("a", Linear(LinearOptions(1, 1).bias(false)))};
  torch::nn::BatchNorm1d b{register_module("b", torch::nn::BatchNorm1d(torch::nn::BatchNorm1dOptions(1).momentum(0.1)))};
  WithNormImpl() { torch::NoGradGuard no_grad; a->weight.fill_(1); }
  torch::Tensor forward(const torch::Tensor& x) { return b(a(x)); }
  double running_mean() { return b->running_mean.item<double>(); }
};
TORCH_MODULE(WithNorm);

/// The norm comes first and sees the batches as they are.
struct NormFirstImpl : torch::nn::Module {
  torch::nn::BatchNorm1d b{register_module("b", torch::nn::BatchNorm1d(torch::nn::BatchNorm1dOptions(1).momentum(0.1)))};
  Linear a{register_module("a", Linear(1, 1))};
  torch::Tensor forward(const torch::Tensor& x) { return a(b(x)); }
  double running_mean() { return b->running_mean.item<double>(); }
};
TORCH_MODULE(NormFirst);
}  // namespace freezing_cases

TEMPLATE_TEST_CASE("K83 after a validation every module has the mode that it had", "", toy::Own, toy::Wrapped) {
  WithNorm net;
  net->train();
  net->b->eval();
  rg::Trainer trainer{net, TestType::sgd(net), SquaredLoss{}};
  trainer.evaluate(data({{3, 5}}));
  CHECK(net->a->is_training());
  CHECK_FALSE(net->b->is_training());
  trainer.fit(data({{3, 5}}), rg::epochs(1));
  CHECK(net->running_mean() == 0);
}

TEMPLATE_TEST_CASE("K85 a wholly frozen BatchNorm keeps its statistics, unless asked not to", "", toy::Own, toy::Wrapped) {
  const auto run = [](auto policy) {
    NormFirst net;
    Values means;
    rg::Trainer trainer{net, TestType::sgd(net), SquaredLoss{}, policy, rg::on<rg::after_update>([&](auto&) { means.push_back(net->running_mean()); })};
    trainer.fit(data({{1, 3}, {1, 3}}), rg::epochs(1));
    return means;
  };
  CHECK(run(rg::Freeze<"b.*">{}) == Values{0, 0});
  CHECK(close(run(rg::Freeze<rg::type<torch::nn::BatchNorm1d>>{.keep_train_mode = true}), {0.2, 0.38}));
}

TEST_CASE("KZ10 a frozen BatchNorm runs on its statistics") {
  NormFirst net;
  rg::Trainer trainer{net, rg::SGD{.lr = 0.1}, SquaredLoss{}, rg::Freeze<rg::type<torch::nn::BatchNorm1d>>{}};
  trainer.fit(data({{1, 3}}), rg::epochs(1));
  CHECK(net->running_mean() == 0);
}

TEMPLATE_TEST_CASE("KZ13 train() on the root does not wake a frozen BatchNorm", "", toy::Own, toy::Wrapped) {
  NormFirst net;
  bool in_eval = true;
  rg::Trainer trainer{net, TestType::sgd(net), SquaredLoss{}, rg::Freeze<"b.*">{}, rg::on<rg::before_epoch>([&](auto& step) { step.model().train(); }),
                      rg::on<rg::before_backward>([&](auto&) { in_eval = in_eval && !net->b->is_training(); })};
  trainer.fit(data({{1, 3}, {1, 3}}), data({{1, 3}}), rg::epochs(2));
  CHECK(in_eval);
  CHECK(net->running_mean() == 0);
}

TEST_CASE("K89 a weight that an optimizer lists twice is updated once") {
  toy::Line net;
  torch::optim::SGD torch_sgd{std::vector<torch::Tensor>{net->fc->weight, net->fc->weight}, torch::optim::SGDOptions(1)};
  rg::Trainer trainer{net, torch_sgd, toy::mean};
  trainer.fit(data({{1}}), rg::epochs(1));
  CHECK(net->w() == -1);
  CHECK(torch_sgd.param_groups()[0].params().size() == 1);
  CHECK(row_of(trainer.parameters_table(), "fc.weight").find("group 0") != std::string::npos);
}

TEST_CASE("KZ5 a weight in two groups is updated by the first") {
  toy::Line net;
  std::vector<torch::optim::OptimizerParamGroup> groups;
  groups.emplace_back(std::vector<torch::Tensor>{net->fc->weight}, std::make_unique<torch::optim::SGDOptions>(1));
  groups.emplace_back(std::vector<torch::Tensor>{net->fc->weight}, std::make_unique<torch::optim::SGDOptions>(0.1));
  torch::optim::SGD torch_sgd{groups, torch::optim::SGDOptions(1)};
  rg::Trainer trainer{net, torch_sgd, toy::mean};
  trainer.fit(data({{1}}), rg::epochs(1));
  CHECK(net->w() == -1);
  CHECK(row_of(trainer.parameters_table(), "fc.weight").ends_with("group 1"));

  toy::Line own;
  rg::Trainer with_groups{own, rg::SGD{.lr = 3}, toy::mean, rg::ParamGroups{rg::Group<"fc.*">{.lr = 1}, rg::Group<"*.weight">{.lr = 0.1}}};
  with_groups.fit(data({{1}}), rg::epochs(1));
  CHECK(own->w() == -1);
}

namespace freezing_cases {
struct NormsImpl : torch::nn::Module {
  torch::nn::LayerNorm make(const std::string& name) { return register_module(name, torch::nn::LayerNorm(torch::nn::LayerNormOptions({2}))); }
  torch::nn::LayerNorm a{make("ln_1")}, b{make("LayerNorm")}, c{make("layer_norm")}, d{make("final_norm")};
  torch::Tensor forward(const torch::Tensor& x) { return d(c(b(a(x)))); }
};
TORCH_MODULE(Norms);
struct FcNormImpl : torch::nn::Module {
  Linear fc{register_module("fc", Linear(2, 2))};
  torch::nn::LayerNorm norm{register_module("norm", torch::nn::LayerNorm(torch::nn::LayerNormOptions({2})))};
  torch::Tensor forward(const torch::Tensor& x) { return norm(fc(x)); }
};
TORCH_MODULE(FcNorm);
}  // namespace freezing_cases

TEST_CASE("K91 norms are found by their type, however they are called") {
  for (const bool by_type : {true, false}) {
    Norms net;
    const auto zero = [](auto& n, const torch::Tensor& x) { return n->forward(x).sum() * 0; };  // gradients defined and 0
    const auto run = [&](auto policy) {
      rg::Trainer trainer{net, rg::SGD{.lr = 1, .weight_decay = 0.1}, zero, policy};
      trainer.fit(toy::Data(1, torch::ones({2, 2})), rg::epochs(1));
      for (const auto& p : net->named_parameters()) {
        if (p.key().ends_with("weight")) CHECK(torch::equal(p.value(), torch::ones({2})));
        CHECK(row_of(trainer.parameters_table(), p.key()).find(" 0  ") != std::string::npos);
      }
    };
    if (by_type) run(rg::ParamGroups{rg::Group<rg::type<torch::nn::LayerNorm>>{.weight_decay = 0}});
    else run(rg::ParamGroups{rg::NoDecay{}});
  }
}

TEST_CASE("K93 the table with the default rule for decay") {
  FcNorm net;
  rg::Trainer trainer{net, rg::AdamW{.lr = 1e-3, .weight_decay = 0.1}, SquaredLoss{}, rg::ParamGroups{rg::NoDecay{}}};
  CHECK(trainer.parameters_table() ==
        "parameter    shape   group    lr     weight decay  state   tied with\n"
        "fc.weight    [2, 2]  default  0.001  0.1           trains\n"
        "fc.bias      [2]     default  0.001  0             trains\n"
        "norm.weight  [2]     default  0.001  0             trains\n"
        "norm.bias    [2]     default  0.001  0             trains\n"
        "10 numbers train, 0 don't\n");
}

TEMPLATE_TEST_CASE("KZ3 after moments, a window without a gradient leaves the weight's bits", "", OwnAdamW, WrappedAdamW) {
  Branches net;
  std::vector<torch::Tensor> b;
  int call = 0;
  rg::Trainer trainer{net, TestType::make(net), [&](auto& n, const torch::Tensor& x) { return (call++ < 3 ? n->a + n->b : n->a).sum() * x.sum(); },
                      rg::on<rg::after_update>([&](auto&) { b.push_back(copy(net->b)); })};
  trainer.fit(toy::Data(4, torch::ones({1, 1})), rg::epochs(1));
  REQUIRE(b.size() == 4);
  CHECK_FALSE(torch::equal(b[1], b[2]));
  CHECK(torch::equal(b[2], b[3]));
}

TEMPLATE_TEST_CASE("KZ4 a weight that is frozen does not go on by its momentum", "", toy::Own, toy::Wrapped) {
  Branches net;
  const auto both = [](auto& n, const torch::Tensor& x) { return (n->a + n->b).sum() * x.sum(); };
  auto optimizer = TestType::sgd(net, 0.9);
  {
    rg::Trainer first{net, optimizer, both};
    first.fit(toy::Data(1, torch::ones({1, 1})), rg::epochs(1));
  }
  CHECK(net->b.template item<double>() == -1);
  (both(net, torch::ones({1, 1}))).backward();  // a gradient that is still there
  rg::Trainer second{net, optimizer, both, rg::Freeze<"b">{}};
  second.fit(toy::Data(1, torch::ones({1, 1})), rg::epochs(1));
  CHECK(net->b.template item<double>() == -1);
  CHECK(net->a.template item<double>() < -1);
}

TEST_CASE("KZ6 nothing to train, and a parameter that is computed, are refused at set-up") {
  toy::Line net;
  CHECK_THROWS_AS((rg::Trainer{net, rg::SGD{.lr = 1}, toy::mean, rg::Freeze<"*">{}}), rg::Error);
  CHECK_NOTHROW(rg::Trainer{toy::Line{}, rg::SGD{.lr = 1}, toy::mean, rg::Freeze<"*">{.allow_empty = true}});
  struct Empty : torch::nn::Module {};
  CHECK_THROWS_AS((rg::Trainer{std::make_shared<Empty>(), rg::SGD{.lr = 1}, toy::mean}), rg::Error);
  toy::Line foreign;
  CHECK_THROWS_AS((rg::Trainer{net, torch::optim::SGD{foreign->parameters(), 1.0}, toy::mean}), rg::Error);
  CHECK_THROWS_AS((rg::Trainer{net, torch::optim::SGD{std::vector<torch::Tensor>{}, 1.0}, toy::mean}), rg::Error);
}

namespace freezing_cases {
struct TiedImpl : torch::nn::Module {  // one module under two names
  Linear shared{Linear(1, 1)};
  TiedImpl() {
    register_module("a", shared);
    register_module("b", shared);
    torch::NoGradGuard no_grad;
    shared->weight.zero_();
    shared->bias.zero_();
  }
  torch::Tensor forward(const torch::Tensor& x) { return shared(x) + shared(x); }
};
TORCH_MODULE(Tied);
struct AssignedImpl : torch::nn::Module {
  Linear a{register_module("a", Linear(LinearOptions(1, 1).bias(false)))}, b{register_module("b", Linear(LinearOptions(1, 1).bias(false)))};
  AssignedImpl() { b->weight = a->weight; }  // the registered tensor of b is another one still
  torch::Tensor forward(const torch::Tensor& x) { return a(x) + b(x); }
};
TORCH_MODULE(Assigned);
}  // namespace freezing_cases

TEMPLATE_TEST_CASE("KZ12 a module registered twice is trained once, under all its names", "", toy::Own, toy::Wrapped) {
  Tied net;
  rg::Trainer trainer{net, TestType::sgd(net), toy::mean};
  CHECK(trainer.partition().weights.size() == 2);
  CHECK(row_of(trainer.parameters_table(), "a.weight").find("b.weight") != std::string::npos);
  trainer.fit(data({{1}}), rg::epochs(1));
  CHECK(net->shared->weight.template item<double>() == -2);

  Assigned assigned;
  rg::Trainer other{assigned, TestType::sgd(assigned), toy::mean};
  CHECK(other.partition().weights.size() == 2);
  CHECK(other.partition().weights[0].also.empty());
}
