// EXPECT: one_policy_per_slot<regimen::ClipNorm<
// EXPECT: regimen::ClipNorm<1>
// EXPECT: regimen: these two policies do the same job: keep one; see docs/errors.md#slot
// TORCH
#include <torch/torch.h>
#include <regimen/regimen.hpp>
namespace rg = regimen;

torch::nn::Linear net{2, 2};
rg::Trainer trainer{net, rg::AdamW{.lr = 1e-3}, rg::CrossEntropy{}, rg::ClipNorm<>{1.0}, rg::ClipNorm<1>{1.0}};
