// EXPECT: an_open_class<int>
// EXPECT: regimen: a policy is a class that is not final
// LINES: 8
#include "regimen/core/check.hpp"
#include "../support/fakes.hpp"

template struct rg::check<fake::Net, fake::AdamW, fake::CrossEntropy, int>;
