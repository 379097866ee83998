// EXPECT: term_has_a_hook<Decay>
// EXPECT: regimen: a policy with an update_term also has after_update, for optimizers that can't take the term
// LINES: 8
#include "regimen/core/check.hpp"
#include "../support/fakes.hpp"

struct Decay {
  static constexpr rg::Facts facts{.name = "decay"};
  static constexpr rg::HookSet hooks{.update_term = true};
  struct State {};
  double update_term(auto&, State&) const { return 0.1; }
};
template struct rg::check<fake::Net, fake::AdamW, fake::CrossEntropy, Decay>;
