// EXPECT: hook_fits<CountUpdates,
// EXPECT: "after_update"
// EXPECT: "(step, state)"
// EXPECT: regimen: wrong signature: write `void HOOK(auto& step, State& state) const`, with the arguments shown; see docs/errors.md#hook
// LINES: 8
#include "regimen/core/check.hpp"
#include "../support/fakes.hpp"

struct CountUpdates {
  static constexpr rg::Facts facts{.name = "count"};
  static constexpr rg::HookSet hooks{.after_update = true};
  struct State {};
  int after_update(auto&, State&) const { return 1; }
};
template struct rg::check<fake::Net, fake::AdamW, fake::CrossEntropy, CountUpdates>;
