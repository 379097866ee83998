// EXPECT: state_names_all_fields<Keeper>
// EXPECT: regimen: State must name each field once: `constexpr void archive(auto& a) { a(
// LINES: 8
#include "regimen/core/check.hpp"
#include "../support/fakes.hpp"

struct Keeper {
  static constexpr rg::Facts facts{.name = "keeper"};
  static constexpr rg::HookSet hooks{.after_update = true};
  struct State {
    int updates = 0, skipped = 0;
    constexpr void archive(auto& a) { a("updates", updates); a("updates", skipped); }
  };
  void after_update(auto&, State&) const {}
};
template struct rg::check<fake::Net, fake::AdamW, fake::CrossEntropy, Keeper>;
