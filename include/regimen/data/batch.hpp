// regimen/data/batch.hpp - what one forward eats
#pragma once
#include <ATen/core/Tensor.h>

namespace regimen {
/// Inputs and targets of one micro-batch; sample `i` is row `i` of both.
/// Holds handles: a copy shares the tensors' memory. Example: `auto [input, target] = rg::Batch{images, labels};`.
struct Batch {
  at::Tensor input;
  at::Tensor target;
};
}  // namespace regimen
