// EXPECT: units_agree<regimen::unit::Steps, regimen::unit::Epochs>
// EXPECT: regimen: this length is counted in another unit: write the one that stands first; see docs/errors.md#unit
// LINES: 8
#include "regimen/core/duration.hpp"
namespace rg = regimen;

struct Warmup { rg::Steps steps{}; } warmup{.steps = rg::epochs(3)};
