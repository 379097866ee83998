// EXPECT: a_policy_and_no_objective<fake::CrossEntropy>
// EXPECT: regimen: this is an objective: write it third, rg::Trainer{model, optimizer, objective, policies...}
// LINES: 8
#include "regimen/core/check.hpp"
#include "../support/fakes.hpp"

template struct rg::check<fake::Net, fake::AdamW, fake::OwnLoss, fake::Ema, fake::CrossEntropy>;
