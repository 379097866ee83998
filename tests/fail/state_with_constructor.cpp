// EXPECT: state_is_an_aggregate<Keeper>
// EXPECT: regimen: State must be an aggregate: no constructors, no private members; see docs/errors.md#state
// LINES: 8
#include "regimen/core/check.hpp"
#include "../support/fakes.hpp"

struct Keeper {
  static constexpr rg::Facts facts{.name = "keeper"};
  static constexpr rg::HookSet hooks{.after_update = true};
  struct State {
    State() {}
  };
  void after_update(auto&, State&) const {}
};
template struct rg::check<fake::Net, fake::AdamW, fake::CrossEntropy, Keeper>;
