// EXPECT: a_model<fake::Ema>
// EXPECT: regimen: the model stands first: write rg::Trainer{model, optimizer, objective, policies...}
// LINES: 8
#include "regimen/core/check.hpp"
#include "../support/fakes.hpp"

template struct rg::check<fake::Ema, fake::AdamW, fake::CrossEntropy>;
