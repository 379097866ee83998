// tests/core/policy.cpp - what makes a type a policy, and the first fault of one that isn't; messages are in tests/fail
#include "regimen/core/policy.hpp"

#include <catch2/catch_test_macros.hpp>

#include "support/fakes.hpp"

using Fault = rg::detail::Fault;

namespace policy_tests {
template <class P> constexpr Fault fault = rg::detail::judge_policy<P>(0).fault;

struct Good {
  static constexpr rg::Facts facts{.name = "good"};
  static constexpr rg::HookSet hooks{.after_update = true};
  struct State {
    int count = 0;
    constexpr void archive(auto& a) { a("count", count); }
  };
  void after_update(auto&, State& state) const { ++state.count; }
};
struct Derived : Good {};
struct Sealed final : Good {};
struct Nameless : Good { static constexpr rg::Facts facts{}; };
struct WithoutState {
  static constexpr rg::Facts facts{.name = "x"};
  static constexpr rg::HookSet hooks{};
};
struct WithoutHooks {
  static constexpr rg::Facts facts{.name = "x"};
  struct State {};
};
struct NumberForFacts : Good { static constexpr int facts = 3; };
struct Unlisted : Good { void after_run(auto&, State&) const {} };
struct Missing : Good { static constexpr rg::HookSet hooks{.after_update = true, .after_run = true}; };
struct Misspelt : Good { void on_update() {} };
struct WrongSignature : Good { int after_update(auto&, State&) const { return 0; } };
struct TermAlone {
  static constexpr rg::Facts facts{.name = "term"};
  static constexpr rg::HookSet hooks{.update_term = true};
  struct State {};
  double update_term(auto&, State&) const { return 0; }
};
struct OddState : Good {
  struct State { int count = 0; };
  void after_update(auto&, State&) const {}
};
}  // namespace policy_tests
using namespace policy_tests;

TEST_CASE("a class with facts, listed hooks and a State is a policy") {
  STATIC_CHECK(rg::policy<Good>);
  STATIC_CHECK(rg::policy<Derived>);
  STATIC_CHECK(rg::policy<fake::Freeze<"a.*", rg::type<fake::Net>>>);
}
TEST_CASE("what is no policy is told apart") {
  STATIC_CHECK(fault<int> == Fault::not_an_open_class);
  STATIC_CHECK(fault<Sealed> == Fault::not_an_open_class);
  STATIC_CHECK(fault<fake::AdamW> == Fault::optimizer_as_policy);
  STATIC_CHECK(fault<fake::TorchAdam> == Fault::torch_optimizer_as_policy);
  STATIC_CHECK(fault<fake::CrossEntropy> == Fault::objective_as_policy);
  STATIC_CHECK(fault<fake::Net> == Fault::no_facts);
  STATIC_CHECK(fault<NumberForFacts> == Fault::no_facts);
  STATIC_CHECK(fault<WithoutHooks> == Fault::no_hooks);
  STATIC_CHECK(fault<WithoutState> == Fault::no_state);
  STATIC_CHECK(fault<Nameless> == Fault::no_name);
}
TEST_CASE("the first wrong hook is named") {
  STATIC_CHECK(fault<Unlisted> == Fault::unlisted_hook);
  STATIC_CHECK(fault<Missing> == Fault::missing_hook);
  STATIC_CHECK(fault<WrongSignature> == Fault::hook_signature);
  STATIC_CHECK(fault<Misspelt> == Fault::misspelt_hook);
  STATIC_CHECK(fault<TermAlone> == Fault::term_without_hook);
  STATIC_CHECK(fault<OddState> == Fault::state_not_archived);
  constexpr auto verdict = rg::detail::judge_policy<Misspelt>(7);
  STATIC_CHECK(verdict.first == 7);
  STATIC_CHECK(rg::detail::cut<verdict.name>().view() == "on_update");
  STATIC_CHECK(rg::detail::cut<verdict.meant>().view() == "after_update");
  constexpr auto wrong = rg::detail::judge_policy<WrongSignature>(0);
  STATIC_CHECK(rg::detail::cut<wrong.meant>().view() == "(step, state)");
}
