// EXPECT: listed_hook_exists<CountEpochs,
// EXPECT: "after_epoch"
// EXPECT: regimen: `hooks` lists this hook but the policy has no such member; see docs/errors.md#hooks
// LINES: 8
#include "regimen/core/check.hpp"
#include "../support/fakes.hpp"

struct CountEpochs {
  static constexpr rg::Facts facts{.name = "count"};
  static constexpr rg::HookSet hooks{.after_update = true, .after_epoch = true};
  struct State {};
  void after_update(auto&, State&) const {}
};
template struct rg::check<fake::Net, fake::AdamW, fake::CrossEntropy, CountEpochs>;
