// EXPECT: a_number_without_unit<regimen::unit::Steps, int>
// EXPECT: regimen: a length needs its unit: write rg::steps(500), rg::epochs(3), ...; see docs/errors.md#unit
// LINES: 8
#include "regimen/core/duration.hpp"
namespace rg = regimen;

struct Warmup { rg::Steps steps{}; } warmup{.steps = 500};
