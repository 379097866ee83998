// tests/core/check.cpp - which sets of policies are good, and the culprits of those that aren't; messages are in tests/fail
#include "regimen/core/check.hpp"

#include <catch2/catch_test_macros.hpp>

#include "support/fakes.hpp"

using Fault = rg::detail::Fault;
using rg::detail::Pack;

namespace check_tests {
template <class... Ps> constexpr auto verdict = rg::detail::judge<fake::Net, fake::AdamW, fake::CrossEntropy>(Pack<Ps...>{});
template <class... Ps> constexpr bool fails(Fault fault, int first, int second = -1) {
  const auto& v = verdict<Ps...>;
  return v.fault == fault && v.first == first && v.second == second;
}
template <class O, class L> constexpr Fault fault_of = rg::detail::judge<fake::Net, O, L>(Pack<fake::Ema>{}).fault;

/// A policy with these facts that acts at the end of a window.
template <rg::Facts (*MakeFacts)()> struct With {
  struct State {};
  static constexpr rg::Facts facts = MakeFacts();
  static constexpr rg::HookSet hooks{.after_window = true};
  void after_window(auto&, State&) const {}
};
constexpr rg::Facts loner() { return {.name = "loner", .excludes = {"average", "adamw"}}; }
constexpr rg::Facts needy() { return {.name = "needy", .needs = {"ema"}}; }
constexpr rg::Facts needs_itself() { return {.name = "selfish", .slot = "selfish", .needs = {"selfish"}}; }
constexpr rg::Facts sees_output() { return {.name = "metrics", .needs = {"output"}}; }
constexpr rg::Facts needs_adamw() { return {.name = "for adamw", .needs = {"adamw"}}; }
constexpr rg::Facts a() { return {.name = "a", .writes = {"batch", "rate"}}; }
constexpr rg::Facts b() { return {.name = "b", .writes = {"rate"}}; }
constexpr rg::Facts b_after_a() { return {.name = "b", .after = {"a"}, .writes = {"rate"}}; }
constexpr rg::Facts ema_again() { return {.name = "ema", .slot = "my average"}; }
template <class F> struct FreezeIf {
  F f{};
  struct State {};
  static constexpr rg::Facts facts{.name = "freeze"};
  static constexpr rg::HookSet hooks{.partition = true};
  void partition(auto&, State&) const {}
};
using One = decltype([](int) {});
using Other = decltype([](int) {});
}  // namespace check_tests
using namespace check_tests;

TEST_CASE("sets that make sense pass, through the public check too") {
  STATIC_CHECK(rg::check<fake::Net, fake::AdamW, fake::CrossEntropy>::ok);
  STATIC_CHECK(rg::check<fake::Net, fake::TorchAdam, fake::OwnLoss, fake::Ema, fake::Amp, fake::ClipNorm<1>,
                         fake::ClipAfter, fake::Accumulate<3>>::ok);
  STATIC_CHECK(rg::check<fake::Net, fake::AdamW, fake::CrossEntropy, fake::Freeze<"a.*">, fake::Freeze<"b.*">>::ok);
}
TEST_CASE("recipes are opened and off ones gone before anything is judged") {
  using Base = decltype(rg::recipe(fake::Ema{}, fake::Amp{}));
  STATIC_CHECK(rg::check<fake::Net, fake::AdamW, fake::CrossEntropy, Base, fake::ClipNorm<>>::ok);
  STATIC_CHECK(rg::check<fake::Net, fake::AdamW, fake::CrossEntropy, fake::Ema, rg::Off<fake::Ema>, fake::Swa>::ok);
}
TEST_CASE("model, optimizer and objective have their places") {
  STATIC_CHECK(rg::detail::judge<fake::Ema, fake::AdamW, fake::CrossEntropy>(Pack<>{}).fault == Fault::model_is_policy);
  STATIC_CHECK(fault_of<fake::Amp, fake::CrossEntropy> == Fault::optimizer_is_policy);
  STATIC_CHECK(fault_of<fake::CrossEntropy, fake::AdamW> == Fault::not_an_optimizer);
  STATIC_CHECK(fault_of<fake::AdamW, fake::Amp> == Fault::objective_is_policy);
  STATIC_CHECK(fault_of<fake::AdamW, fake::AdamW> == Fault::objective_is_policy);
  STATIC_CHECK(fault_of<fake::TorchAdam, fake::OwnLoss> == Fault::none);
}
TEST_CASE("a slot holds one policy, and a type without a slot stands once") {
  STATIC_CHECK(fails<fake::Amp, fake::Ema, fake::Swa>(Fault::two_in_slot, 1, 2));
  STATIC_CHECK(fails<fake::ClipNorm<1>, fake::ClipNorm<2>>(Fault::two_in_slot, 0, 1));
  STATIC_CHECK(fails<fake::Freeze<"a">, fake::Ema, fake::Freeze<"a">>(Fault::written_twice, 0, 2));
  STATIC_CHECK(fails<FreezeIf<One>, FreezeIf<One>>(Fault::written_twice, 0, 1));
}
TEST_CASE("types of equal spelling are still two types") {
  STATIC_CHECK(verdict<FreezeIf<One>, FreezeIf<Other>>.fault == Fault::none);
}
TEST_CASE("two policies of one name would share their place in a saved run") {
  STATIC_CHECK(fails<fake::Ema, With<ema_again>>(Fault::same_name, 0, 1));
}
TEST_CASE("exclusion works from either side, by name or slot, and against the optimizer") {
  STATIC_CHECK(fails<fake::Swa, With<loner>>(Fault::excluded, 0, 1));
  STATIC_CHECK(fails<With<loner>, fake::Swa>(Fault::excluded, 0, 1));
  STATIC_CHECK(fails<With<loner>>(Fault::excluded, 0, 1));  // the optimizer stands behind the policies
}
TEST_CASE("a need is met by another policy, the optimizer or the objective, never by oneself") {
  STATIC_CHECK(fails<With<needy>, fake::Swa>(Fault::missing_need, 0));
  STATIC_CHECK(verdict<With<needy>, fake::Ema>.fault == Fault::none);
  STATIC_CHECK(fails<With<needs_itself>>(Fault::missing_need, 0));
  STATIC_CHECK(verdict<With<needs_adamw>>.fault == Fault::none);
  STATIC_CHECK(verdict<With<sees_output>>.fault == Fault::none);
  STATIC_CHECK(rg::detail::judge<fake::Net, fake::AdamW, fake::OwnLoss>(Pack<With<sees_output>>{}).fault == Fault::missing_need);
  STATIC_CHECK(rg::detail::cut<verdict<With<needy>>.name>().view() == "ema");
}
TEST_CASE("two that write the same in one moment must say who is first") {
  STATIC_CHECK(fails<With<a>, With<b>>(Fault::same_write, 0, 1));
  STATIC_CHECK(rg::detail::cut<verdict<With<a>, With<b>>.name>().view() == "rate");
  STATIC_CHECK(verdict<With<a>, With<b_after_a>>.fault == Fault::none);
  STATIC_CHECK(verdict<With<b_after_a>, With<a>>.fault == Fault::none);
  STATIC_CHECK(verdict<fake::Amp, With<b>>.fault == Fault::none);  // another moment, another thing
}
TEST_CASE("of several mistakes the first speaks: a policy's own before those of the set") {
  STATIC_CHECK(fails<fake::Ema, fake::Swa, fake::AdamW, int>(Fault::optimizer_as_policy, 2));
}
