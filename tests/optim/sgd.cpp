// tests/optim/sgd.cpp - SGD has the bits of the fused operator and the numbers of torch::optim
#include <torch/torch.h>

#include "regimen/optim/sgd.hpp"

#include <catch2/catch_test_macros.hpp>
#include <type_traits>

#include "support/updates.hpp"

namespace sgd_tests {
namespace rg = regimen;
using updates::Tensors;

updates::Reference reference(const rg::SGD& o) {
  return {.states = o.momentum == 0 ? 0u : 1u,
          .fused =
              [o](Tensors& w, Tensors& g, std::vector<Tensors>& s, Tensors&, double lr, bool first) {
                at::_fused_sgd_(w, g, o.momentum == 0 ? Tensors{} : s[0], o.weight_decay, o.momentum, lr, o.dampening, o.nesterov,
                                o.maximize, first);
              },
          .torch = [o](Tensors w) -> std::unique_ptr<torch::optim::Optimizer> {
            return std::make_unique<torch::optim::SGD>(w, torch::optim::SGDOptions(o.lr)
                                                              .momentum(o.momentum)
                                                              .dampening(o.dampening)
                                                              .weight_decay(o.weight_decay)
                                                              .nesterov(o.nesterov));
          },
          .maximize = o.maximize};
}

TEST_CASE("SGD equals the fused operator bit by bit, and torch::optim::SGD") {
  for (const auto& rule : {rg::SGD{.lr = 0.1}, rg::SGD{.lr = 0.1, .weight_decay = 0.3}, rg::SGD{.lr = 0.1, .momentum = 0.9},
                           rg::SGD{.lr = 0.1, .momentum = 0.9, .dampening = 0.5},
                           rg::SGD{.lr = 0.1, .momentum = 0.9, .weight_decay = 0.1, .nesterov = true},
                           rg::SGD{.lr = 0.1, .momentum = 0.5, .weight_decay = 0.1, .maximize = true}}) {
    INFO("momentum " << rule.momentum << ", weight decay " << rule.weight_decay << ", dampening " << rule.dampening
                     << (rule.nesterov ? ", nesterov" : "") << (rule.maximize ? ", maximize" : ""));
    updates::compare_all(rule, reference(rule));
  }
}

TEST_CASE("the rate of SGD must be written") {
  STATIC_CHECK_FALSE(std::is_default_constructible_v<decltype(rg::SGD::lr)>);
  STATIC_CHECK_FALSE(std::is_default_constructible_v<rg::SGD>);
}

TEST_CASE("the first momentum is the whole gradient, per weight: one that joins late is not dampened either") {
  updates::Own own{{torch::zeros({1}, torch::kDouble), torch::zeros({1}, torch::kDouble)},
                   rg::SGD{.lr = 1, .momentum = 0.5, .dampening = 0.5}};
  const auto one = torch::ones({1}, torch::kDouble);
  own.step({one.clone(), torch::Tensor{}});
  CHECK(own.weights[0].item<double>() == -1);
  CHECK(own.weights[1].item<double>() == 0);
  own.step({one.clone(), one.clone()});
  CHECK(own.weights[0].item<double>() == -2);  // buffer 0.5 + 0.5
  CHECK(own.weights[1].item<double>() == -1);  // its first
}
}  // namespace sgd_tests
