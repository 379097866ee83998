// EXPECT: hook_is_spelt_right<CountEpochs,
// EXPECT: "on_epoch_end"
// EXPECT: "after_epoch"
// EXPECT: regimen: no moment has this name: write the second one shown; see docs/errors.md#misspelt
// LINES: 8
#include "regimen/core/check.hpp"
#include "../support/fakes.hpp"

struct CountEpochs {
  static constexpr rg::Facts facts{.name = "count"};
  static constexpr rg::HookSet hooks{};
  struct State {};
  void on_epoch_end(auto&, State&) const {}
};
template struct rg::check<fake::Net, fake::AdamW, fake::CrossEntropy, CountEpochs>;
