// tests/core/order.cpp - who acts first within a moment
#include "regimen/core/order.hpp"

#include <catch2/catch_test_macros.hpp>
#include <stdexcept>
#include <string>

#include "support/fakes.hpp"

using rg::detail::acting_order, rg::detail::Cast, rg::detail::Pack, rg::detail::Sorted;

namespace order_tests {
template <class... Ps> auto cast_of(const Ps&... ps) { return Cast<Sorted<Ps...>>{rg::detail::sorted_values(ps...)}; }
template <rg::Moment M> std::string trace_of(auto cast) {
  fake::Step step;
  cast.template tell<M>(step);
  return step.trace;
}
/// A scope of this name that writes into the trace when it opens and when it closes.
template <rg::Text Name> struct Scoped {
  struct State {};
  struct Scope {
    std::string& trace;
    ~Scope() { trace += ")"; }
  };
  static constexpr rg::Facts facts{.name = Name.view()};
  static constexpr rg::HookSet hooks{.forward_scope = true};
  Scope forward_scope(auto& step, State&) const {
    step.trace += std::string{Name.view()} + "(";
    return {step.trace};
  }
};
template <rg::Text Name, rg::Text After> struct Chained {
  struct State {};
  static constexpr rg::Facts facts{.name = Name.view(), .after = {After.view()}};
  static constexpr rg::HookSet hooks{.after_update = true};
  void after_update(auto& step, State&) const { step.trace += Name.view(); }
};
struct Counting {
  struct State {
    int seen = 0;
    constexpr void archive(auto& a) { a("seen", seen); }
  };
  static constexpr rg::Facts facts{.name = "counting"};
  static constexpr rg::HookSet hooks{.after_forward = true};
  void after_forward(auto& step, auto& output, auto& batch, State& state) const { state.seen += step.x + output + batch; }
};
}  // namespace order_tests
using namespace order_tests;

TEST_CASE("within a moment `after` rules, then canonical order; the order of writing never") {
  CHECK(trace_of<rg::before_update>(cast_of(fake::ClipAfter{}, fake::ClipNorm<>{}, fake::Amp{})) == "amp clip_norm a_late_clip ");
  CHECK(trace_of<rg::before_update>(cast_of(fake::Amp{}, fake::ClipNorm<>{}, fake::ClipAfter{})) == "amp clip_norm a_late_clip ");
  CHECK(trace_of<rg::before_update>(cast_of(fake::ClipAfter{}, fake::Amp{})) == "a_late_clip amp ");  // nobody is there to wait for
  STATIC_CHECK(acting_order(Sorted<fake::ClipAfter, fake::ClipNorm<>, fake::Amp>{}) == std::array<std::size_t, 3>{1, 2, 0});
  STATIC_CHECK(acting_order(Pack<>{}).empty());
}
TEST_CASE("a chain of `after` is followed to its end, a circle leaves canonical order") {
  CHECK(trace_of<rg::after_update>(cast_of(Chained<"a", "b">{}, Chained<"b", "c">{}, Chained<"c", "">{})) == "cba");
  CHECK(trace_of<rg::after_update>(cast_of(Chained<"a", "b">{}, Chained<"b", "a">{}, Chained<"c", "">{})) == "cab");
}
TEST_CASE("a moment reaches only those that hook into it, with its arguments and their own state") {
  CHECK(trace_of<rg::set_up>(cast_of(fake::Ema{}, fake::Accumulate<4>{}, fake::Amp{})) == "accumulate ");
  CHECK(trace_of<rg::after_run>(cast_of(fake::Ema{}, fake::Amp{})).empty());
  auto cast = cast_of(Counting{}, fake::Ema{});
  struct { int x = 1; } step;
  int output = 20, batch = 300;
  cast.tell<rg::after_forward>(step, output, batch);
  cast.tell<rg::after_forward>(step, output, batch);
  CHECK(rg::detail::at<0>(cast.states).seen == 642);
}
TEST_CASE("an update takes the terms that policies offer, and these then keep silent") {
  auto cast = cast_of(fake::Swa{}, fake::Ema{.decay = 0.75}, fake::Amp{});
  fake::Step step;
  double weight = 0;
  cast.with_terms(step, [&](const auto&... terms) {
    STATIC_CHECK(sizeof...(terms) == 1);
    ((weight += terms), ...);
  });
  CHECK(weight == 0.25);
  cast.tell_after_update<true>(step);
  CHECK(step.trace == "swa ");
  step.trace.clear();
  cast.tell_after_update<false>(step);
  CHECK(step.trace == "ema swa ");
}
TEST_CASE("scopes open in acting order and close in reverse, also when the forward throws") {
  auto cast = cast_of(Scoped<"b">{}, Scoped<"a">{}, fake::Ema{});
  fake::Step step;
  CHECK(cast.in_scopes(step, [&] { step.trace += "f"; return 7; }) == 7);
  CHECK(step.trace == "a(b(f))");
  step.trace.clear();
  CHECK_THROWS_AS(cast.in_scopes(step, [&]() -> int { throw std::runtime_error{"out of memory"}; }), std::runtime_error);
  CHECK(step.trace == "a(b())");
}
