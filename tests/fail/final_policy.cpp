// EXPECT: an_open_class<Sealed>
// EXPECT: regimen: a policy is a class that is not final; see docs/errors.md#open-class
// LINES: 8
#include "regimen/core/check.hpp"
#include "../support/fakes.hpp"

struct Sealed final {
  static constexpr rg::Facts facts{.name = "sealed"};
  static constexpr rg::HookSet hooks{.after_update = true};
  struct State {};
  void after_update(auto&, State&) const {}
};
template struct rg::check<fake::Net, fake::AdamW, fake::CrossEntropy, Sealed>;
