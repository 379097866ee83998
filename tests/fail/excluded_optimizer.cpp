// EXPECT: go_together<OwnDecay, fake::AdamW>
// EXPECT: these two can't work together: take one out
// LINES: 8
#include "regimen/core/check.hpp"
#include "../support/fakes.hpp"

struct OwnDecay {
  static constexpr rg::Facts facts{.name = "own decay", .excludes = {"adamw"}};
  static constexpr rg::HookSet hooks{.after_update = true};
  struct State {};
  void after_update(auto&, State&) const {}
};
template struct rg::check<fake::Net, fake::AdamW, fake::CrossEntropy, OwnDecay>;
