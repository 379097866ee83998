// regimen/core/on.hpp - the user's own lines at a moment of the run
#pragma once
#include <type_traits>
#include <utility>

#include "regimen/core/facts.hpp"
#include "regimen/core/hooks.hpp"

namespace regimen {
namespace detail {
template <Moment M> constexpr bool a_moment_for_inline_hooks = false;
// One of these per moment that takes only the step: a policy must have the member, and a member's name can't be a parameter.
template <Moment M, class F> struct On {
  F f;
  struct State {};
  static constexpr Facts facts{.name = "on"};
  static constexpr HookSet hooks{};
  static_assert(a_moment_for_inline_hooks<M>,
                "regimen: rg::on gives the step alone, and this moment has more: write a policy with this hook; see docs/errors.md#on");
};
#define REGIMEN_ON(moment)                                                                                        \
  template <class F> struct On<Moment::moment, F> {                                                               \
    F f;                                                                                                          \
    struct State {};                                                                                              \
    static constexpr Facts facts{.name = "on " #moment, .not_capturable = "an inline hook may do anything", .in_order = true}; \
    static constexpr HookSet hooks{.moment = true};                                                               \
    void moment(auto& step, State&) const { f(step); }                                                            \
  }
REGIMEN_ON(set_up);
REGIMEN_ON(before_run);
REGIMEN_ON(before_epoch);
REGIMEN_ON(before_window);
REGIMEN_ON(before_backward);
REGIMEN_ON(after_backward);
REGIMEN_ON(before_update);
REGIMEN_ON(after_update);
REGIMEN_ON(after_window);
REGIMEN_ON(before_validation);
REGIMEN_ON(after_validation);
REGIMEN_ON(checkpoint);
REGIMEN_ON(after_epoch);
REGIMEN_ON(report_epoch);
REGIMEN_ON(after_run);
#undef REGIMEN_ON
}  // namespace detail

/// Calls `f(step)` at a moment; several of one moment run in the order of writing. Inlined: costs what its lines cost.
/// Example: `rg::on<rg::after_update>([](auto& step) { std::cout << step.updates() << '\n'; })`.
template <Moment M, class F> constexpr auto on(F f) { return detail::On<M, F>{std::move(f)}; }
}  // namespace regimen
