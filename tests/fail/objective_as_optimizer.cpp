// EXPECT: an_optimizer<fake::CrossEntropy>
// EXPECT: regimen: not an optimizer: write rg::AdamW, rg::Adam, rg::SGD or a torch::optim object second
// LINES: 8
#include "regimen/core/check.hpp"
#include "../support/fakes.hpp"

template struct rg::check<fake::Net, fake::CrossEntropy, fake::AdamW>;
