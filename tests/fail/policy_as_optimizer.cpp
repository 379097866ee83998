// EXPECT: an_optimizer<fake::Ema>
// EXPECT: regimen: the optimizer stands second: write rg::Trainer{model, rg::AdamW{.lr = 1e-3}, objective, policies...}
// LINES: 8
#include "regimen/core/check.hpp"
#include "../support/fakes.hpp"

template struct rg::check<fake::Net, fake::Ema, fake::CrossEntropy>;
