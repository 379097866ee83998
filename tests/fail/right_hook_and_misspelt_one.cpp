// EXPECT: hook_is_spelt_right<CountBoth,
// EXPECT: "afterEpoch"
// EXPECT: "after_epoch"
// EXPECT: regimen: no moment has this name: write the second one shown; see docs/errors.md#misspelt
// LINES: 8
#include "regimen/core/check.hpp"
#include "../support/fakes.hpp"

struct CountBoth {
  static constexpr rg::Facts facts{.name = "count"};
  static constexpr rg::HookSet hooks{.after_update = true};
  struct State {};
  void after_update(auto&, State&) const {}
  void afterEpoch(auto&, State&) const {}
};
template struct rg::check<fake::Net, fake::AdamW, fake::CrossEntropy, CountBoth>;
