// EXPECT: unit::Steps
// EXPECT: unit::Samples
#include "regimen/core/duration.hpp"
namespace rg = regimen;

bool done = rg::steps(3) < rg::samples(3);
