// EXPECT: has_a_state<CountUpdates>
// EXPECT: regimen: a policy has a public `struct State`, `struct State {};` if it keeps nothing
// LINES: 8
#include "regimen/core/check.hpp"
#include "../support/fakes.hpp"

struct CountUpdates {
  static constexpr rg::Facts facts{.name = "count"};
  static constexpr rg::HookSet hooks{.after_update = true};
  void after_update(auto&, auto&) const {}
};
template struct rg::check<fake::Net, fake::AdamW, fake::CrossEntropy, CountUpdates>;
