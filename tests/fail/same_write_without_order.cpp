// EXPECT: write_in_a_stated_order<fake::Amp, Damp,
// EXPECT: "factor"
// EXPECT: regimen: two policies write the same thing in one moment: say `.after = {"other"}` in one's facts
// LINES: 8
#include "regimen/core/check.hpp"
#include "../support/fakes.hpp"

struct Damp {
  static constexpr rg::Facts facts{.name = "damp", .writes = {"factor"}};
  static constexpr rg::HookSet hooks{.before_update = true};
  struct State {};
  void before_update(auto&, State&) const {}
};
template struct rg::check<fake::Net, fake::AdamW, fake::CrossEntropy, fake::Amp, Damp>;
