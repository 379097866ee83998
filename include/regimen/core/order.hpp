// regimen/core/order.hpp - who acts first within a moment, and how a moment reaches the policies
#pragma once
#include <array>
#include <cstddef>
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

/// Policies with their states, in canonical order; `tell<moment>` reaches those that hook into it, and names no others:
/// code for a policy that does nothing there would cost each unit its compile time.
template <class P> class Cast;
template <class... Ps> class Cast<Pack<Ps...>> {
 public:
  Values<Ps...> policies;
  Values<typename Ps::State...> states{};

  template <Moment M> void tell(auto&... arguments) { tell<M>(acting<M>(), arguments...); }
  /// Tells `after_update` those whose update term the optimizer did not take.
  template <bool TermsTaken> void tell_after_update(auto& step) {
    if constexpr (TermsTaken) tell<after_update>(acting<after_update, update_term>(), step);
    else tell<after_update>(step);
  }
  /// Calls `f(terms...)` with what the `update_term` hooks return.
  void with_terms(auto& step, auto&& f) { with_terms(acting<update_term>(), step, f); }
  /// Opens the scopes of all policies that have one, calls `f`, closes them in reverse, also on exceptions.
  decltype(auto) in_scopes(auto& step, auto&& f) { return in_scopes(acting<forward_scope>(), step, f); }
  /// Calls `f(policy, state)` for every policy, in the order in which they act.
  void each(auto&& f) {
    [&]<std::size_t... K>(std::index_sequence<K...>) { (f(at<order[K]>(policies), at<order[K]>(states)), ...); }(std::index_sequence_for<Ps...>{});
  }

 private:
  static constexpr std::size_t count = sizeof...(Ps);
  static constexpr auto order = acting_order(Pack<Ps...>{});

  // The policies with hook M but without the hook But, in the order in which they act.
  template <Moment M, Moment But = M> static consteval auto acting() {
    return picked<std::array<bool, count + 1>{(hooks_into<Ps>(M) && (But == M || !hooks_into<Ps>(But)))..., false}>();
  }
  template <std::array<bool, count + 1> Picked> static consteval auto picked() {
    constexpr auto found = [] {
      std::array<std::size_t, count + 1> all{};  // the last one counts them
      for (auto i : order)
        if (Picked[i]) all[all[count]++] = i;
      return all;
    }();
    return [&]<std::size_t... K>(std::index_sequence<K...>) { return std::index_sequence<found[K]...>{}; }(std::make_index_sequence<found[count]>{});
  }

  template <Moment M, std::size_t... I> void tell(std::index_sequence<I...>, auto&... arguments) {
    (Caller<M>::call(at<I>(policies), arguments..., at<I>(states)), ...);
  }
  void with_terms(std::index_sequence<>, auto&, auto& f, const auto&... terms) { f(terms...); }
  template <std::size_t I, std::size_t... Rest> void with_terms(std::index_sequence<I, Rest...>, auto& step, auto& f, const auto&... terms) {
    with_terms(std::index_sequence<Rest...>{}, step, f, terms..., Caller<update_term>::call(at<I>(policies), step, at<I>(states)));
  }
  decltype(auto) in_scopes(std::index_sequence<>, auto&, auto& f) { return f(); }
  template <std::size_t I, std::size_t... Rest> decltype(auto) in_scopes(std::index_sequence<I, Rest...>, auto& step, auto& f) {
    [[maybe_unused]] auto scope = Caller<forward_scope>::call(at<I>(policies), step, at<I>(states));
    return in_scopes(std::index_sequence<Rest...>{}, step, f);
  }
};
}  // namespace regimen::detail
