// tests/core/recipe.cpp - policies as values: one type for all ways of writing a set
#include "regimen/core/recipe.hpp"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <type_traits>

#include "regimen/core/on.hpp"
#include "support/fakes.hpp"

using rg::detail::Pack, rg::detail::Sorted;

namespace recipe_tests {
template <std::size_t I, class Indices, class... Ps> struct SwapAt;
template <std::size_t I, std::size_t... K, class... Ps> struct SwapAt<I, std::index_sequence<K...>, Ps...> {
  using type = Sorted<std::tuple_element_t<K == I ? I + 1 : K == I + 1 ? I : K, std::tuple<Ps...>>...>;
};
/// Do all sets that differ by one swap of neighbours have the type of this one?
template <class... Ps> constexpr bool order_has_no_meaning = []<std::size_t... I>(std::index_sequence<I...>) {
  return (std::is_same_v<Sorted<Ps...>, typename SwapAt<I, std::index_sequence_for<Ps...>, Ps...>::type> && ...);
}(std::make_index_sequence<sizeof...(Ps) - 1>{});

using Base = decltype(rg::recipe(fake::Swa{}, fake::Freeze<"z.*">{}));
template <class... Ps> using RecipeOf = decltype(rg::recipe(Ps{}...));
/// Not a literal type.
struct Heavy {
  std::string text = "x";
  struct State {};
  static constexpr rg::Facts facts{.name = "heavy"};
  static constexpr rg::HookSet hooks{};
};
}  // namespace recipe_tests
using namespace recipe_tests;

TEST_CASE("a set has one type under all adjacent swaps, recipes and off ones among it") {
  STATIC_CHECK(order_has_no_meaning<fake::Ema, fake::Amp, fake::ClipNorm<1>, fake::Freeze<"b.*">, fake::Accumulate<4>, fake::Freeze<"a.*">,
                                   fake::ClipAfter, fake::ClipNorm<2>>);
  STATIC_CHECK(order_has_no_meaning<fake::Ema, Base, fake::Amp, rg::Off<fake::ClipNorm<>>, fake::ClipNorm<>, fake::Accumulate<4>>);
  STATIC_CHECK(std::is_same_v<Sorted<fake::Freeze<"z.*">, fake::Ema, fake::Swa>, Sorted<fake::Ema, Base>>);
}
TEST_CASE("canonical order is by name, then by spelling") {
  STATIC_CHECK(std::is_same_v<Sorted<fake::Freeze<"b">, fake::Ema, fake::Freeze<"a">, fake::Amp>,
                              Pack<fake::Amp, fake::Ema, fake::Freeze<"a">, fake::Freeze<"b">>>);
  STATIC_CHECK(std::is_same_v<Sorted<>, Pack<>>);
}
TEST_CASE("inline hooks of one moment alone keep the order of writing") {
  auto f = rg::on<rg::after_update>([](auto&) {});
  auto g = rg::on<rg::after_run>([](auto&) {});
  auto h = rg::on<rg::after_update>([](auto& step) { step.trace += "h"; });
  using F = decltype(f);
  using G = decltype(g);
  using H = decltype(h);
  STATIC_CHECK_FALSE(std::is_same_v<Sorted<F, H>, Sorted<H, F>>);
  STATIC_CHECK(std::is_same_v<Sorted<F, G, H>, Sorted<G, F, H>>);
  STATIC_CHECK(std::is_same_v<Sorted<F, G, H>, Sorted<F, H, G>>);
}
TEST_CASE("values follow their types into canonical order") {
  constexpr auto values = rg::detail::sorted_values(fake::Ema{.decay = 0.5}, rg::recipe(fake::ClipNorm<>{.max = 2.5}), fake::Amp{});
  STATIC_CHECK(std::is_same_v<std::remove_const_t<decltype(values)>, rg::detail::Values<fake::Amp, fake::ClipNorm<>, fake::Ema>>);
  STATIC_CHECK(rg::detail::at<fake::ClipNorm<>>(values).max == 2.5);
  STATIC_CHECK(rg::detail::at<fake::Ema>(values).decay == 0.5);
}
TEST_CASE("a recipe of literal policies is constexpr; any other is a value all the same") {
  constexpr auto base = rg::recipe(fake::Accumulate<4>{}, fake::ClipNorm<>{1.5});
  constexpr auto more = base + fake::Amp{};
  STATIC_CHECK(rg::detail::at<fake::ClipNorm<>>(more.policies).max == 1.5);
  STATIC_CHECK(std::is_same_v<decltype(rg::recipe(fake::Amp{}, base)), std::remove_const_t<decltype(more)>>);
  const auto heavy = rg::recipe(Heavy{"a long text that lies on the heap"}) + base;
  CHECK(rg::detail::at<Heavy>(heavy.policies).text == "a long text that lies on the heap");
}
TEST_CASE("off is the same type as absence, in nested recipes too") {
  constexpr auto base = rg::recipe(fake::Ema{}, fake::ClipNorm<>{});
  STATIC_CHECK(std::is_same_v<decltype(base + rg::off<fake::ClipNorm<>>), RecipeOf<fake::Ema>>);
  STATIC_CHECK(std::is_same_v<decltype(rg::recipe(rg::off<fake::ClipNorm<>>, rg::recipe(base))), RecipeOf<fake::Ema>>);
  STATIC_CHECK(std::is_same_v<decltype(rg::recipe(rg::off<fake::Swa>)), rg::Recipe<>>);
  STATIC_CHECK(std::is_same_v<RecipeOf<fake::ClipNorm<1>, rg::Off<fake::ClipNorm<2>>>, RecipeOf<fake::ClipNorm<1>>>);  // only this very type
}
TEST_CASE("off, then a new one, replaces a policy of a recipe") {
  constexpr auto base = rg::recipe(fake::Ema{}, fake::ClipNorm<>{1});
  constexpr auto replaced = base + rg::off<fake::ClipNorm<>> + fake::ClipNorm<>{3};
  STATIC_CHECK(std::is_same_v<decltype(replaced), decltype(base)>);
  STATIC_CHECK(rg::detail::at<fake::ClipNorm<>>(replaced.policies).max == 3);
}
TEST_CASE("choose runs one of two recipes, each with its own static type") {
  constexpr auto base = rg::recipe(fake::Accumulate<4>{});
  constexpr auto size = [](auto recipe) { return decltype(recipe.policies)::size; };
  STATIC_CHECK(rg::choose(true, base + fake::Amp{}, base, size) == 2);
  STATIC_CHECK(rg::choose(false, base + fake::Amp{}, base, size) == 1);
  std::string said;
  for (const bool amp : {true, false})
    rg::choose(amp, base + fake::Amp{}, base, [&](auto recipe) {
      said += std::is_same_v<decltype(recipe), RecipeOf<fake::Accumulate<4>, fake::Amp>> ? "amp " : "plain ";
    });
  CHECK(said == "amp plain ");
}
TEST_CASE("the place of a policy in a pack, or its size where it isn't there") {
  using Set = Sorted<fake::Ema, fake::Amp>;
  STATIC_CHECK(rg::detail::index_in<fake::Ema>(Set{}) == 1);
  STATIC_CHECK(rg::detail::index_in<fake::Swa>(Set{}) == 2);
  STATIC_CHECK(rg::detail::has_slot(Set{}, "average"));
  STATIC_CHECK_FALSE(rg::detail::has_slot(Set{}, "clip norm"));
}
