// EXPECT: has_facts_and_hooks<CountUpdates>
// EXPECT: regimen: a policy lists its hooks: `static constexpr rg::HookSet hooks{.after_update = true}`
// LINES: 8
#include "regimen/core/check.hpp"
#include "../support/fakes.hpp"

struct CountUpdates {
  static constexpr rg::Facts facts{.name = "count"};
  struct State {};
  void after_update(auto&, State&) const {}
};
template struct rg::check<fake::Net, fake::AdamW, fake::CrossEntropy, CountUpdates>;
