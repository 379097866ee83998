// EXPECT: an_objective<fake::Ema>
// EXPECT: regimen: the objective stands third: write rg::CrossEntropy{}, or a callable (model, batch) -> loss
// LINES: 8
#include "regimen/core/check.hpp"
#include "../support/fakes.hpp"

template struct rg::check<fake::Net, fake::AdamW, fake::Ema, fake::Amp>;
