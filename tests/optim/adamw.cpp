// tests/optim/adamw.cpp - AdamW has the bits of the fused operator and the numbers of torch::optim
#include <torch/torch.h>

#include "regimen/optim/adamw.hpp"

#include <catch2/catch_test_macros.hpp>

#include "support/updates.hpp"

namespace adamw_tests {
namespace rg = regimen;
using updates::Tensors;

updates::Reference reference(const rg::AdamW& o) {
  return {.states = o.amsgrad ? 3u : 2u,
          .fused =
              [o](Tensors& w, Tensors& g, std::vector<Tensors>& s, Tensors& steps, double lr, bool) {
                at::_fused_adamw_(w, g, s[0], s[1], o.amsgrad ? s[2] : Tensors{}, steps, lr, o.betas.beta1, o.betas.beta2,
                                  o.weight_decay, o.eps, o.amsgrad, o.maximize);
              },
          .torch = [o](Tensors w) -> std::unique_ptr<torch::optim::Optimizer> {
            return std::make_unique<torch::optim::AdamW>(w, torch::optim::AdamWOptions(o.lr)
                                                                .betas({o.betas.beta1, o.betas.beta2})
                                                                .eps(o.eps)
                                                                .weight_decay(o.weight_decay)
                                                                .amsgrad(o.amsgrad));
          },
          .maximize = o.maximize};
}

TEST_CASE("AdamW equals the fused operator bit by bit, and torch::optim::AdamW") {
  for (const auto& rule : {rg::AdamW{}, rg::AdamW{.lr = 3e-3, .betas = {0.8, 0.95}, .eps = 1e-6, .weight_decay = 0.3},
                           rg::AdamW{.weight_decay = 0}, rg::AdamW{.amsgrad = true}, rg::AdamW{.maximize = true},
                           rg::AdamW{.weight_decay = 0.1, .amsgrad = true, .maximize = true}}) {
    INFO("weight decay " << rule.weight_decay << (rule.amsgrad ? ", amsgrad" : "") << (rule.maximize ? ", maximize" : ""));
    updates::compare_all(rule, reference(rule));
  }
}

TEST_CASE("AdamW has torch's defaults") {
  const torch::optim::AdamWOptions torch_options;
  const rg::AdamW ours;
  CHECK(ours.lr == torch_options.lr());
  CHECK(std::pair{ours.betas.beta1, ours.betas.beta2} ==
        std::pair{std::get<0>(torch_options.betas()), std::get<1>(torch_options.betas())});
  CHECK(ours.eps == torch_options.eps());
  CHECK(ours.weight_decay == torch_options.weight_decay());
  CHECK(ours.amsgrad == torch_options.amsgrad());
}

TEST_CASE("AdamW decays a weight whose gradient is zero, by lr times decay, and none whose gradient is undefined") {
  updates::Own own{{torch::ones({1}, torch::kDouble), torch::ones({1}, torch::kDouble)}, rg::AdamW{.lr = 0.5, .weight_decay = 0.1}};
  CHECK(own.step({torch::zeros({1}, torch::kDouble), torch::Tensor{}}) == 1);
  CHECK(std::abs(own.weights[0].item<double>() - 0.95) < 1e-15);
  CHECK(own.weights[1].item<double>() == 1);
}
}  // namespace adamw_tests
