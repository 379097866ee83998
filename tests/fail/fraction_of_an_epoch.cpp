// EXPECT: a_whole_number<double>
// EXPECT: regimen: epochs, steps, samples and tokens are whole numbers: write rg::epochs(3); see docs/errors.md#unit
// LINES: 8
#include "regimen/core/duration.hpp"

constexpr auto length = regimen::epochs(2.5);
