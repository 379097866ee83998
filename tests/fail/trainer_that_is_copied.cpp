// TORCH
// EXPECT: regimen: a trainer moves, it doesn't copy: write std::move(trainer), or load(trainer.save()) into another; see docs/errors.md#copy
#include <torch/torch.h>

#include "regimen/regimen.hpp"

void copy(regimen::Trainer<torch::nn::Linear, regimen::AdamW, regimen::CrossEntropy>& trainer) { auto another{trainer}; }
