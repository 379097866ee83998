// EXPECT: rg::recipe(fake::Amp{}, fake::Ema);
// LINES: 8
#include "regimen/core/check.hpp"
#include "../support/fakes.hpp"

// a type where a value is needed: the language itself refuses it, and shows the line
auto recipe = rg::recipe(fake::Amp{}, fake::Ema);
