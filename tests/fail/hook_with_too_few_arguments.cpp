// EXPECT: hook_fits<SeeOutput,
// EXPECT: "after_forward"
// EXPECT: "(step, output, batch, state)"
// EXPECT: regimen: wrong signature: write `void HOOK(auto& step, State& state) const`, with the arguments shown; see docs/errors.md#hook
// LINES: 8
#include "regimen/core/check.hpp"
#include "../support/fakes.hpp"

struct SeeOutput {
  static constexpr rg::Facts facts{.name = "see output"};
  static constexpr rg::HookSet hooks{.after_forward = true};
  struct State {};
  void after_forward(auto&, State&) const {}
};
template struct rg::check<fake::Net, fake::AdamW, fake::CrossEntropy, SeeOutput>;
