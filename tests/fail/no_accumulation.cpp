// EXPECT: Accumulate<0> would never update: write at least 1; see docs/errors.md#accumulate
#include "regimen/core/check.hpp"
#include "../support/fakes.hpp"

template struct rg::check<fake::Net, fake::AdamW, fake::CrossEntropy, fake::Accumulate<0>>;
