// EXPECT: a_number_without_unit<regimen::Length, int>
// EXPECT: regimen: a length needs its unit: write rg::steps(500), rg::epochs(3), ...
// LINES: 8
#include "regimen/core/duration.hpp"
namespace rg = regimen;

void fit(rg::Length);
void train() { fit(10); }
