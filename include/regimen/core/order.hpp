// regimen/core/order.hpp - who acts first within a moment, and how a moment reaches the policies
#pragma once
#include <array>
#include <cstddef>
#include <tuple>
#include <utility>

#include "regimen/core/facts.hpp"
#include "regimen/core/hooks.hpp"
#include "regimen/core/recipe.hpp"

namespace regimen::detail {
/// Canonical order, but each policy behind those that its `facts.after` names; a circle leaves canonical order.
template <class... Ps> consteval auto acting_order(Pack<Ps...>) {
  constexpr std::size_t n = sizeof...(Ps);
  const std::array<Facts, n + 1> facts{Ps::facts..., Facts{}};
  std::array<std::size_t, n> order{};
  std::array<bool, n + 1> placed{};
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t next = n;
    for (std::size_t i = 0; i < n && next == n; ++i) {
      bool waits = placed[i];
      for (std::size_t j = 0; j < n; ++j) waits = waits || (j != i && !placed[j] && names_any(facts[i].after, facts[j]));
      if (!waits) next = i;
    }
    for (std::size_t i = 0; i < n && next == n; ++i)
      if (!placed[i]) next = i;
    placed[next] = true;
    order[k] = next;
  }
  return order;
}

/// Policies with their states, in canonical order; `tell<moment>` reaches those that hook into it.
template <class P> class Cast;
template <class... Ps> class Cast<Pack<Ps...>> {
 public:
  Values<Ps...> policies;
  Values<typename Ps::State...> states{};

  template <Moment M> void tell(auto&... arguments) {
    each([&]<std::size_t I>() {
      if constexpr (hooks_into<At<I>>(M)) Caller<M>::call(at<I>(policies), arguments..., at<I>(states));
    });
  }
  /// Tells `after_update` those whose update term the optimizer did not take.
  template <bool TermsTaken> void tell_after_update(auto& step) {
    each([&]<std::size_t I>() {
      if constexpr (hooks_into<At<I>>(after_update) && !(TermsTaken && hooks_into<At<I>>(update_term)))
        Caller<after_update>::call(at<I>(policies), step, at<I>(states));
    });
  }
  /// Calls `f(terms...)` with what the `update_term` hooks return.
  template <std::size_t K = 0> void with_terms(auto& step, auto&& f, const auto&... terms) {
    if constexpr (K == sizeof...(Ps)) f(terms...);
    else {
      constexpr auto I = order[K];
      if constexpr (hooks_into<At<I>>(update_term))
        with_terms<K + 1>(step, f, terms..., Caller<update_term>::call(at<I>(policies), step, at<I>(states)));
      else with_terms<K + 1>(step, f, terms...);
    }
  }
  /// Opens the scopes of all policies that have one, calls `f`, closes them in reverse, also on exceptions.
  template <std::size_t K = 0> decltype(auto) in_scopes(auto& step, auto&& f) {
    if constexpr (K == sizeof...(Ps)) return f();
    else {
      constexpr auto I = order[K];
      if constexpr (hooks_into<At<I>>(forward_scope)) {
        [[maybe_unused]] auto scope = Caller<forward_scope>::call(at<I>(policies), step, at<I>(states));
        return in_scopes<K + 1>(step, f);
      } else return in_scopes<K + 1>(step, f);
    }
  }
  /// Calls `f.operator()<I>()` for the index of every policy, in the order in which they act.
  static void each(auto&& f) {
    [&]<std::size_t... K>(std::index_sequence<K...>) { (f.template operator()<order[K]>(), ...); }(std::index_sequence_for<Ps...>{});
  }
  template <std::size_t I> using At = std::tuple_element_t<I, std::tuple<Ps...>>;

 private:
  static constexpr auto order = acting_order(Pack<Ps...>{});
};
}  // namespace regimen::detail
