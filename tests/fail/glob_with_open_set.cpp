// EXPECT: regimen: malformed glob: no name has blanks, slashes or empty parts, and `[` needs `]`; see docs/errors.md#glob
// EXPECT: fake::Freeze<"layer[0-3.*">
#include "regimen/core/check.hpp"
#include "../support/fakes.hpp"

template struct rg::check<fake::Net, fake::AdamW, fake::CrossEntropy, fake::Freeze<"layer[0-3.*">>;
