// EXPECT: has_what_it_needs<Lookahead,
// EXPECT: "average"
// EXPECT: regimen: this policy needs another that is not there: add the one named
// LINES: 8
#include "regimen/core/check.hpp"
#include "../support/fakes.hpp"

struct Lookahead {
  static constexpr rg::Facts facts{.name = "lookahead", .needs = {"average"}};
  static constexpr rg::HookSet hooks{.after_update = true};
  struct State {};
  void after_update(auto&, State&) const {}
};
template struct rg::check<fake::Net, fake::AdamW, fake::CrossEntropy, fake::Amp, Lookahead>;
