// EXPECT: has_what_it_needs<Accuracy,
// EXPECT: "output"
// EXPECT: an objective on output and target
// LINES: 8
#include "regimen/core/check.hpp"
#include "../support/fakes.hpp"

struct Accuracy {
  static constexpr rg::Facts facts{.name = "accuracy", .needs = {"output"}};
  static constexpr rg::HookSet hooks{.after_update = true};
  struct State {};
  void after_update(auto&, State&) const {}
};
template struct rg::check<fake::Net, fake::AdamW, fake::OwnLoss, Accuracy>;
