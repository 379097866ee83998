// EXPECT: one_policy_per_slot<fake::Ema, fake::Swa>
// EXPECT: regimen: these two policies do the same job: keep one; see docs/errors.md#slot
// LINES: 8
#include "regimen/core/check.hpp"
#include "../support/fakes.hpp"

template struct rg::check<fake::Net, fake::AdamW, fake::CrossEntropy, fake::Ema, fake::Accumulate<4>, fake::Swa>;
