// EXPECT: state_can_be_saved<Keeper>
// EXPECT: regimen: State has a field that can't be saved: use numbers, strings, tensors, vectors and maps of them; see docs/errors.md#archive
// LINES: 8
#include "regimen/core/check.hpp"
#include "../support/fakes.hpp"

#include <cstdio>
struct Keeper {
  static constexpr rg::Facts facts{.name = "keeper"};
  static constexpr rg::HookSet hooks{.after_update = true};
  struct State {
    std::FILE* log = nullptr;
    constexpr void archive(auto& a) { a("log", log); }
  };
  void after_update(auto&, State&) const {}
};
template struct rg::check<fake::Net, fake::AdamW, fake::CrossEntropy, Keeper>;
