// EXPECT: regimen::Accumulate<0
// EXPECT: regimen: Accumulate<0> would never update: write at least 1; see docs/errors.md#accumulate
// TORCH
#include <torch/torch.h>
#include <regimen/regimen.hpp>
namespace rg = regimen;

torch::nn::Linear net{2, 2};
rg::Trainer trainer{net, rg::AdamW{.lr = 1e-3}, rg::CrossEntropy{}, rg::Accumulate<0>{}};
