// tests/core/plan.cpp - the plan is the sum of facts
#include "regimen/core/plan.hpp"

#include <catch2/catch_test_macros.hpp>
#include <sstream>

#include "support/fakes.hpp"

namespace plan_tests {
template <class O, class... Ps> constexpr rg::Plan plan_of = rg::detail::make_plan<O>(rg::detail::Sorted<Ps...>{});
std::string text_of(const rg::Plan& plan) {
  std::ostringstream out;
  out << plan;
  return out.str();
}
struct OwnRule : fake::AdamW {
  static constexpr rg::Facts facts{.name = "own", .slot = "optimizer", .passes = 3, .bytes = 40, .allocations = 2,
                                   .not_capturable = "it counts on the host"};
};
}  // namespace plan_tests
using namespace plan_tests;

TEST_CASE("an optimizer alone costs what it states") {
  constexpr auto plan = plan_of<fake::AdamW>;
  STATIC_CHECK((plan.passes == 1 && plan.bytes == 28 && plan.host_syncs == 0 && plan.allocations == 0 && plan.policies == 0));
  STATIC_CHECK((plan.capturable() && !plan.rewrites_gradients));
  STATIC_CHECK(plan.optimizer == "fake::AdamW");
  STATIC_CHECK_FALSE(plan_of<fake::TorchAdam>.capturable());
  STATIC_CHECK((plan_of<OwnRule>.passes == 3 && plan_of<OwnRule>.allocations == 2));
}
TEST_CASE("every policy adds its facts, whatever the order") {
  constexpr auto plan = plan_of<fake::AdamW, fake::Ema, fake::ClipAfter, fake::Accumulate<4>>;
  STATIC_CHECK(plan.passes == 1 + 1 + 2);
  STATIC_CHECK(plan.bytes == 28 + 12 + 8);
  STATIC_CHECK((plan.allocations == 1 && plan.rewrites_gradients && plan.policies == 3));
  constexpr auto other = plan_of<fake::AdamW, fake::Accumulate<4>, fake::ClipAfter, fake::Ema>;
  CHECK(text_of(other) == text_of(plan));
}
TEST_CASE("factors of all policies together cost one pass in place") {
  constexpr auto one = plan_of<fake::AdamW, fake::Amp>, two = plan_of<fake::AdamW, fake::Amp, fake::ClipNorm<>>;
  STATIC_CHECK((one.passes == 1 + 1 + 1 && one.bytes == 28 + 4 + 8 && one.rewrites_gradients));
  STATIC_CHECK((two.passes == 1 + 2 + 1 && two.bytes == 28 + 8 + 8));
}
TEST_CASE("the first reason against a CUDA graph is kept") {
  STATIC_CHECK(plan_of<fake::AdamW, fake::Ema, fake::Amp>.not_capturable == "its check is read");
  STATIC_CHECK(plan_of<OwnRule, fake::Amp>.not_capturable == "it counts on the host");
}
TEST_CASE("a plan prints who acts when, in the order in which they act, and the sums") {
  CHECK(text_of(plan_of<fake::AdamW, fake::ClipNorm<1>, fake::Ema, fake::ClipAfter, fake::Amp>) ==
        "one window (update by fake::AdamW):\n"
        "  before_backward: fake::Amp\n"
        "  before_update: fake::Amp, fake::ClipNorm<1>, fake::ClipAfter\n"
        "  update_term: fake::Ema\n"
        "  after_update: fake::Ema\n"
        "  passes over the gradients: 7, bytes per parameter: 64, host syncs on CUDA: 1, tensor allocations: 1\n"
        "  CUDA graph: its check is read\n");
  CHECK(text_of(plan_of<fake::AdamW>) == "one window (update by fake::AdamW):\n"
                                         "  passes over the gradients: 1, bytes per parameter: 28, host syncs on CUDA: 0, tensor allocations: 0\n"
                                         "  CUDA graph: can be captured\n");
}
