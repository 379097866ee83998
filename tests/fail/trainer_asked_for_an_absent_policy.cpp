// EXPECT: regimen::ClipNorm<
// EXPECT: regimen: this trainer has no such policy; see docs/errors.md#get
// TORCH
#include <torch/torch.h>
#include <regimen/regimen.hpp>
namespace rg = regimen;

torch::nn::Linear net{2, 2};
rg::Trainer trainer{net, rg::AdamW{.lr = 1e-3}, rg::CrossEntropy{}, rg::Accumulate<4>{}};
auto& clip = trainer.get<rg::ClipNorm<>>();
