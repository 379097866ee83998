// EXPECT: written_once<fake::Freeze<
// EXPECT: regimen: this policy stands twice with the same type: keep one; see docs/errors.md#twice
// LINES: 8
#include "regimen/core/check.hpp"
#include "../support/fakes.hpp"

template struct rg::check<fake::Net, fake::AdamW, fake::CrossEntropy, fake::Freeze<"head.*">, fake::Ema, fake::Freeze<"head.*">>;
