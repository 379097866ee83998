// tests/tensor/model.cpp - what stands as a model, and modes that come back
#include <torch/torch.h>
#include <torch/script.h>

#include "regimen/tensor/model.hpp"

#include <catch2/catch_test_macros.hpp>
#include <stdexcept>

namespace model_tests {
namespace rg = regimen;
using rg::detail::call_model, rg::detail::has_parameters, rg::detail::module_of;

struct DoubleImpl : torch::nn::Module {
  torch::Tensor forward(const torch::Tensor& x) { return x * 2; }
};
TORCH_MODULE(Double);
struct Sum2 : torch::nn::Module {
  torch::Tensor weight = register_parameter("weight", torch::full({}, 3.0f));
  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& y) { return weight * x + y; }
};
struct Functor {
  torch::Tensor operator()(const torch::Tensor& x) const { return x + 1; }
};
torch::Tensor negate(const torch::Tensor& x) { return -x; }

torch::jit::Module scripted(const char* name) {
  torch::jit::Module m{name};
  m.register_attribute("training", c10::BoolType::get(), true);
  m.register_parameter("weight", torch::full({}, 3.0f).requires_grad_(), false);
  return m;
}
double called(auto& model, const auto&... inputs) { return call_model(model, inputs...).template item<double>(); }
torch::Tensor of(double x) { return torch::full({}, x); }

TEST_CASE("a model is a holder, a shared_ptr, a module, a callable or a scripted module") {
  Double holder;
  CHECK(called(holder, of(4)) == 8);
  auto shared = std::make_shared<DoubleImpl>();
  CHECK(called(shared, of(4)) == 8);
  CHECK(called(*shared, of(4)) == 8);
  DoubleImpl* raw = shared.get();
  CHECK(called(raw, of(4)) == 8);
  torch::nn::Sequential sequential{Double{}, Double{}};
  CHECK(called(sequential, of(4)) == 16);
  CHECK(called(*sequential, of(4)) == 16);
  torch::nn::AnyModule any{Double{}};
  CHECK(called(any, of(4)) == 8);
  Functor functor;
  CHECK(called(functor, of(4)) == 5);
  double bias = 7;
  auto capturing = [&](const torch::Tensor& x) { return x + bias; };
  CHECK(called(capturing, of(4)) == 11);
  auto plain = [](const torch::Tensor& x) { return x * x; };  // converts to a pointer: `*plain` is well-formed
  CHECK(called(plain, of(4)) == 16);
  auto generic = [](const auto& x) { return x - 1; };
  CHECK(called(generic, of(4)) == 3);
  CHECK(called(negate, of(4)) == -4);
  Sum2 two;
  CHECK(called(two, of(4), of(5)) == 17);
  auto scripted_one = scripted("model_tests.One");
  scripted_one.define("def forward(self, x):\n  return self.weight * x\n");
  CHECK(called(scripted_one, of(4)) == 12);
  auto scripted_two = scripted("model_tests.Two");
  scripted_two.define("def forward(self, x, y):\n  return self.weight * x + y\n");
  CHECK(called(scripted_two, of(4), of(5)) == 17);
  // an output that is no tensor is handed on
  auto pair = [](const torch::Tensor& x) { return std::pair{x, 3}; };
  CHECK(call_model(pair, of(4)).second == 3);
}

TEST_CASE("gradients reach the parameters of a scripted module") {
  auto m = scripted("model_tests.Grad");
  m.define("def forward(self, x):\n  return self.weight * x\n");
  call_model(m, of(4)).backward();
  CHECK(m.attr("weight").toTensor().grad().item<double>() == 4);
}

TEST_CASE("models with parameters are told from mere callables") {
  STATIC_CHECK(has_parameters<Double>);
  STATIC_CHECK(has_parameters<Sum2>);
  STATIC_CHECK(has_parameters<std::shared_ptr<Sum2>>);
  STATIC_CHECK(has_parameters<torch::nn::Sequential>);
  STATIC_CHECK(has_parameters<torch::jit::Module>);
  STATIC_CHECK_FALSE(has_parameters<Functor>);
  Double holder;
  CHECK(&module_of(holder) == holder.get());
  CHECK(&module_of(*holder) == holder.get());
}

TEST_CASE("modules, parameters and buffers are visited with their names, parents first") {
  struct Net : torch::nn::Module {
    torch::nn::Sequential body{torch::nn::BatchNorm1d(2), torch::nn::Linear(2, 1)};
    Net() {
      register_parameter("scale", torch::ones({1}));
      register_module("body", body);
    }
  } net;
  std::string seen;
  rg::detail::for_each_module(net, [&](const std::string& prefix, auto& m) {
    seen += '<' + prefix;
    rg::detail::for_each_own_parameter(m, [&](const std::string& name, const torch::Tensor&) { seen += ' ' + name; });
    rg::detail::for_each_own_buffer(m, [&](const std::string& name, const torch::Tensor&) { seen += " (" + name + ')'; });
    seen += '>';
  });
  CHECK(seen == "< scale><body.><body.0. weight bias (running_mean) (running_var) (num_batches_tracked)><body.1. weight bias>");

  auto inner = scripted("model_tests.Inner"), outer = scripted("model_tests.Outer");
  inner.register_parameter("mean", torch::ones({1}), true);
  outer.register_module("inner", inner);
  seen.clear();
  rg::detail::for_each_module(outer, [&](const std::string& prefix, auto& m) {
    seen += '<' + prefix;
    rg::detail::for_each_own_parameter(m, [&](const std::string& name, const torch::Tensor&) { seen += ' ' + name; });
    rg::detail::for_each_own_buffer(m, [&](const std::string& name, const torch::Tensor&) { seen += " (" + name + ')'; });
    seen += '>';
  });
  CHECK(seen == "< weight><inner. weight (mean)>");
}

/// A module whose train() leaves a part in eval mode, as detection models do with their BatchNorm.
struct Stubborn : torch::nn::Module {
  torch::nn::BatchNorm1d norm{2};
  torch::nn::Dropout drop{0.5}, shared{0.5};
  torch::nn::Sequential first{shared}, second{shared};
  Stubborn() {
    register_module("norm", norm);
    register_module("drop", drop);
    register_module("first", first);
    register_module("second", second);
  }
  void train(bool on = true) override {
    torch::nn::Module::train(on);
    norm->eval();
  }
  std::vector<bool> modes() const {
    std::vector<bool> all;
    for (const auto& m : modules()) all.push_back(m->is_training());
    return all;
  }
};

TEST_CASE("ModeGuard gives every module its own mode back, behind an exception too") {
  // each combination of five flags, the shared module under two parents
  for (int flags = 0; flags < 32; ++flags)
    for (bool train : {false, true})
      for (bool throws : {false, true}) {
        INFO("flags " << flags << (train ? " to train" : " to eval") << (throws ? ", throws" : ""));
        const auto net = std::make_shared<Stubborn>();
        net->train(flags & 1);
        net->norm->train(flags & 2);
        net->drop->train(flags & 4);
        net->first->train(flags & 8);
        net->second->train(flags & 8);
        net->shared->train(flags & 16);
        const auto before = net->modes();
        try {
          const rg::ModeGuard guard{*net, train};
          CHECK(net->is_training() == train);
          CHECK(net->drop->is_training() == train);
          CHECK(net->shared->is_training() == train);
          if (throws) throw std::runtime_error("planted");
        } catch (const std::runtime_error&) {
        }
        CHECK(net->modes() == before);
      }
}

TEST_CASE("ModeGuards nest, and take scripted modules") {
  const auto net = std::make_shared<Stubborn>();
  net->train();
  const auto before = net->modes();
  {
    const rg::ModeGuard outer{*net};
    {
      const rg::ModeGuard inner{*net, true};
      CHECK(net->is_training());
    }
    CHECK_FALSE(net->is_training());
  }
  CHECK(net->modes() == before);

  auto inner = scripted("model_tests.ModeInner"), outer = scripted("model_tests.ModeOuter");
  outer.register_module("inner", inner);
  inner.train(false);
  {
    const rg::ModeGuard guard{outer, true};
    CHECK(inner.is_training());
  }
  CHECK(outer.is_training());
  CHECK_FALSE(inner.is_training());
}
}  // namespace model_tests
