// EXPECT: a_moment_for_inline_hooks
// EXPECT: after_forward
// EXPECT: regimen: rg::on gives the step alone, and this moment has more: write a policy with this hook; see docs/errors.md#on
#include "regimen/core/on.hpp"
namespace rg = regimen;

auto see = rg::on<rg::after_forward>([](auto&) {});
