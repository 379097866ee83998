// EXPECT: has_a_default<Sgd>
// EXPECT: regimen: this part has no default (no learning rate anywhere?): write it in the call, as rg::SGD{.lr = 0.1}; see docs/errors.md#rate
// LINES: 8
#include "regimen/core/rate.hpp"
namespace rg = regimen;

struct Sgd { rg::Rate lr; };
auto optimizer = rg::left_out<Sgd>();
