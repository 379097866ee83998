// EXPECT: go_together<Sam, fake::Amp>
// EXPECT: regimen: these two can't work together: take one out; see docs/errors.md#excludes
// LINES: 8
#include "regimen/core/check.hpp"
#include "../support/fakes.hpp"

struct Sam {
  static constexpr rg::Facts facts{.name = "sam", .excludes = {"precision"}};
  static constexpr rg::HookSet hooks{.after_update = true};
  struct State {};
  void after_update(auto&, State&) const {}
};
template struct rg::check<fake::Net, fake::AdamW, fake::CrossEntropy, Sam, fake::Ema, fake::Amp>;
