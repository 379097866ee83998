// EXPECT: has_a_default<regimen::SGD>
// EXPECT: regimen: this part has no default (no learning rate anywhere?): write it in the call, as rg::SGD{.lr = 0.1}; see docs/errors.md#rate
// TORCH
#include <torch/torch.h>
#include <regimen/regimen.hpp>
namespace rg = regimen;

torch::nn::Linear net{2, 2};
rg::Trainer<torch::nn::Linear, rg::SGD, rg::CrossEntropy> trainer{net};
