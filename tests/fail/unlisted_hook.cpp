// EXPECT: hook_is_listed<CountUpdates,
// EXPECT: "after_update"
// EXPECT: regimen: this hook is not in `hooks`: list it, or it would never be called; see docs/errors.md#hooks
// LINES: 8
#include "regimen/core/check.hpp"
#include "../support/fakes.hpp"

struct CountUpdates {
  static constexpr rg::Facts facts{.name = "count"};
  static constexpr rg::HookSet hooks{};
  struct State {};
  void after_update(auto&, State&) const {}
};
template struct rg::check<fake::Net, fake::AdamW, fake::CrossEntropy, CountUpdates>;
