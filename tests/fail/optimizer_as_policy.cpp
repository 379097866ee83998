// EXPECT: a_policy_and_no_optimizer<fake::AdamW>
// EXPECT: regimen: this is an optimizer: write it second, rg::Trainer{model, optimizer, objective, policies...}
// LINES: 8
#include "regimen/core/check.hpp"
#include "../support/fakes.hpp"

template struct rg::check<fake::Net, fake::AdamW, fake::CrossEntropy, fake::Ema, fake::AdamW>;
