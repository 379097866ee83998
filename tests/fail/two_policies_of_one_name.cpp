// EXPECT: have_names_of_their_own<fake::Ema, OwnAverage>
// EXPECT: regimen: these two have the same `facts.name`, and a saved run would mix them up: rename one
// LINES: 8
#include "regimen/core/check.hpp"
#include "../support/fakes.hpp"

struct OwnAverage {
  static constexpr rg::Facts facts{.name = "ema", .slot = "own average"};
  static constexpr rg::HookSet hooks{.after_update = true};
  struct State {};
  void after_update(auto&, State&) const {}
};
template struct rg::check<fake::Net, fake::AdamW, fake::CrossEntropy, fake::Ema, OwnAverage>;
