// EXPECT: one_policy_per_slot<fake::ClipNorm<
// EXPECT: fake::ClipNorm<1>
// EXPECT: these two policies do the same job: keep one
// LINES: 8
#include "regimen/core/check.hpp"
#include "../support/fakes.hpp"

template struct rg::check<fake::Net, fake::AdamW, fake::CrossEntropy, fake::ClipNorm<2>, fake::ClipNorm<1>>;
