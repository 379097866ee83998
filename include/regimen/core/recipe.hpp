// regimen/core/recipe.hpp - policies as one value, and the one order that all ways of writing them share
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "regimen/core/policy.hpp"
#include "regimen/core/text.hpp"
#include "regimen/core/values.hpp"

namespace regimen {
namespace detail {
template <class... Ps> struct Pack {
  static constexpr std::size_t size = sizeof...(Ps);
};
}  // namespace detail

template <class P> struct Off {};
/// Switches policy `P` off: whatever set it stands in has the type of the set without `P`. Example: `base + rg::off<rg::ClipNorm<>>`.
template <class P> inline constexpr Off<P> off{};

/// Policies as a value, made by `rg::recipe`; give it to a trainer like a policy, join two with `+`.
template <class... Ps> struct Recipe {
  detail::Values<Ps...> policies{};
};

namespace detail {
template <class P> struct Switch { using Killed = void; static constexpr bool is_off = false, is_plain = true; };
template <class P> struct Switch<Off<P>> { using Killed = P; static constexpr bool is_off = true, is_plain = false; };
template <class... Ps> struct Switch<Recipe<Ps...>> { using Killed = void; static constexpr bool is_off = false, is_plain = false; };
template <class... Ps> constexpr bool all_plain = (Switch<Ps>::is_plain && ...);

// A tree of policies, recipes and `off` becomes a flat tuple of policies that are on.
template <class P> constexpr auto leaves(const P& p) { return std::tuple<P>{p}; }
template <class... Ps> constexpr auto leaves(const Recipe<Ps...>& r) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) { return std::tuple_cat(leaves(at<I>(r.policies))...); }(std::index_sequence_for<Ps...>{});
}
template <class P, class... All> constexpr bool stays = !Switch<P>::is_off && !(std::is_same_v<P, typename Switch<All>::Killed> || ...);
template <class... All> constexpr auto without_off(const std::tuple<All...>& all) {
  return std::apply(
      [](const auto&... p) {
        [[maybe_unused]] auto one = []<class P>(const P& policy) {
          if constexpr (stays<P, All...>) return std::tuple<P>{policy};
          else return std::tuple<>{};
        };
        return std::tuple_cat(one(p)...);
      },
      all);
}
template <class... Ps> constexpr auto flat(const Ps&... ps) { return without_off(std::tuple_cat(leaves(ps)...)); }

template <class Tuple> struct ToPack;
template <class... Ps> struct ToPack<std::tuple<Ps...>> { using type = Pack<Ps...>; };
template <bool Plain, class... Ps> struct FlatOf { using type = Pack<Ps...>; };
template <class... Ps> struct FlatOf<false, Ps...> : ToPack<decltype(flat(std::declval<const Ps&>()...))> {};
template <class... Ps> using FlatOfPlain = typename FlatOf<all_plain<Ps...>, Ps...>::type;
template <class... Ps> using Flat = FlatOfPlain<std::remove_cv_t<Ps>...>;  // `decltype` of a constexpr recipe is const

// Canonical order: by name, then by spelling; those that keep the order of writing stay as they are.
struct Key {
  std::string_view name, spelling;
  bool in_order;
};
template <class P> constexpr Key key() {
  if constexpr (looks_like_policy<P>) return {P::facts.name, type_name<P>(), P::facts.in_order};
  else return {"", type_name<P>(), false};
}
constexpr bool before(const Key& a, const Key& b) {
  if (a.name != b.name) return a.name < b.name;
  return !(a.in_order && b.in_order) && a.spelling < b.spelling;
}
template <class... Ps> constexpr auto canonical_order(Pack<Ps...>) {
  constexpr std::array<Key, sizeof...(Ps) + 1> keys{key<Ps>()..., Key{}};
  std::array<std::size_t, sizeof...(Ps)> order{};
  for (std::size_t i = 0; i < order.size(); ++i) {  // insertion keeps equal ones as written
    std::size_t at = i;
    for (; at > 0 && before(keys[i], keys[order[at - 1]]); --at) order[at] = order[at - 1];
    order[at] = i;
  }
  return order;
}
template <class P, class Indices> struct Reordered;
template <class... Ps, std::size_t... I> struct Reordered<Pack<Ps...>, std::index_sequence<I...>> {
  static constexpr auto order = canonical_order(Pack<Ps...>{});
  using type = Pack<std::tuple_element_t<order[I], std::tuple<Ps...>>...>;
  static constexpr auto values(const Values<const Ps&...>& written) {
    return Values<std::tuple_element_t<order[I], std::tuple<Ps...>>...>{at<order[I]>(written)...};
  }
};
template <class P> using Canonical = Reordered<P, std::make_index_sequence<P::size>>;
template <class... Ps> using Sorted = typename Canonical<Flat<Ps...>>::type;

/// The values of policies as written, in canonical order.
template <class... Ps> constexpr auto sorted_values(const Ps&... ps) {
  if constexpr (all_plain<Ps...>) return Canonical<Pack<Ps...>>::values(Values<const Ps&...>{ps...});
  else return std::apply([](const auto&... p) { return sorted_values(p...); }, flat(ps...));
}
template <class... Ps> constexpr bool has_slot(Pack<Ps...>, [[maybe_unused]] std::string_view slot) { return ((Ps::facts.slot == slot) || ...); }
template <class P, class... Ps> constexpr std::size_t index_in(Pack<Ps...>) {
  std::size_t i = 0;
  (void)((std::is_same_v<P, Ps> || (++i, false)) || ...);
  return i;  // the size where it isn't there
}

template <class Sorted> struct ToRecipe;
template <class... Ps> struct ToRecipe<Values<Ps...>> { using type = Recipe<Ps...>; };
}  // namespace detail

/// Policies as one value, constexpr when every policy is literal. Example: `constexpr auto base = rg::recipe(rg::Accumulate<4>{}, rg::ClipNorm<>{1.0});`
template <class... Ps> constexpr auto recipe(const Ps&... policies) {
  auto sorted = detail::sorted_values(policies...);
  return typename detail::ToRecipe<decltype(sorted)>::type{std::move(sorted)};
}
/// Joins two recipes, or a recipe and a policy; from left to right, so that `base + rg::off<P> + P{...}` replaces `P`.
/// Otherwise the order has no meaning. Example: `base + rg::Amp<torch::kBFloat16>{}`.
template <class... As, class P> constexpr auto operator+(const Recipe<As...>& recipe_, const P& policy_) { return recipe(recipe_, policy_); }

/// Makes a choice at run time between loops that are each compiled whole: calls `use` with one of two recipes.
/// Example: `rg::choose(amp, base + rg::Amp<torch::kBFloat16>{}, base, [&](auto recipe) { train_with(recipe); });`
template <class A, class B, class Use> constexpr decltype(auto) choose(bool first, const A& a, const B& b, Use&& use) {
  if (first) return use(a);
  return use(b);
}
}  // namespace regimen
