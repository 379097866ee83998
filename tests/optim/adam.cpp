// tests/optim/adam.cpp - Adam has the bits of the fused operator and the numbers of torch::optim
#include <torch/torch.h>

#include "regimen/optim/adam.hpp"

#include <catch2/catch_test_macros.hpp>

#include "support/updates.hpp"

namespace adam_tests {
namespace rg = regimen;
using updates::Tensors;

updates::Reference reference(const rg::Adam& o) {
  return {.states = o.amsgrad ? 3u : 2u,
          .fused =
              [o](Tensors& w, Tensors& g, std::vector<Tensors>& s, Tensors& steps, double lr, bool) {
                at::_fused_adam_(w, g, s[0], s[1], o.amsgrad ? s[2] : Tensors{}, steps, lr, o.betas.beta1, o.betas.beta2,
                                 o.weight_decay, o.eps, o.amsgrad, o.maximize);
              },
          .torch = [o](Tensors w) -> std::unique_ptr<torch::optim::Optimizer> {
            return std::make_unique<torch::optim::Adam>(w, torch::optim::AdamOptions(o.lr)
                                                               .betas({o.betas.beta1, o.betas.beta2})
                                                               .eps(o.eps)
                                                               .weight_decay(o.weight_decay)
                                                               .amsgrad(o.amsgrad));
          },
          .maximize = o.maximize};
}

TEST_CASE("Adam equals the fused operator bit by bit, and torch::optim::Adam") {
  for (const auto& rule :
       {rg::Adam{}, rg::Adam{.lr = 3e-3, .betas = {0.8, 0.95}, .eps = 1e-6, .weight_decay = 0.3}, rg::Adam{.amsgrad = true},
        rg::Adam{.maximize = true}, rg::Adam{.weight_decay = 0.1, .amsgrad = true, .maximize = true}}) {
    INFO("weight decay " << rule.weight_decay << (rule.amsgrad ? ", amsgrad" : "") << (rule.maximize ? ", maximize" : ""));
    updates::compare_all(rule, reference(rule));
  }
}

TEST_CASE("Adam has torch's defaults: no weight decay") {
  const torch::optim::AdamOptions torch_options;
  const rg::Adam ours;
  CHECK(ours.lr == torch_options.lr());
  CHECK(std::pair{ours.betas.beta1, ours.betas.beta2} ==
        std::pair{std::get<0>(torch_options.betas()), std::get<1>(torch_options.betas())});
  CHECK(ours.eps == torch_options.eps());
  CHECK(ours.weight_decay == torch_options.weight_decay());
  CHECK(ours.amsgrad == torch_options.amsgrad());
}

TEST_CASE("the first update of Adam moves every weight by about the rate, however small its gradient") {
  updates::Own own{{torch::zeros({3}, torch::kDouble)}, rg::Adam{.lr = 0.1, .eps = 1e-12}};
  own.step({torch::tensor({1e3, -1e-3, 0.0}, torch::kDouble)});
  CHECK(torch::allclose(own.weights[0], torch::tensor({-0.1, 0.1, 0.0}, torch::kDouble), 1e-6, 0));
}
}  // namespace adam_tests
