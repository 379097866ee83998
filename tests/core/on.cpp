// tests/core/on.cpp - the user's own lines at a moment
#include "regimen/core/on.hpp"

#include <catch2/catch_test_macros.hpp>
#include <memory>
#include <string>

#include "regimen/core/check.hpp"
#include "regimen/core/order.hpp"
#include "support/fakes.hpp"

namespace on_tests {
inline auto writes(std::string text) {
  return [text](auto& step) { step.trace += text; };
}
template <rg::Moment M> constexpr bool stands = rg::policy<decltype(rg::on<M>([](auto&) {}))>;
}  // namespace on_tests
using namespace on_tests;

TEST_CASE("an inline hook is a policy, at each moment that has only the step") {
  STATIC_CHECK((stands<rg::set_up> && stands<rg::before_run> && stands<rg::before_epoch> && stands<rg::before_window>));
  STATIC_CHECK((stands<rg::before_backward> && stands<rg::after_backward> && stands<rg::before_update> && stands<rg::after_update> && stands<rg::after_window>));
  STATIC_CHECK((stands<rg::after_validation> && stands<rg::checkpoint> && stands<rg::after_epoch> && stands<rg::report_epoch> && stands<rg::after_run>));
}

TEST_CASE("inline hooks of one moment run in the order of writing, and only at their moment") {
  const auto b = rg::on<rg::after_update>(writes("b ")), a = rg::on<rg::after_update>(writes("a "));
  const auto late = rg::on<rg::after_run>(writes("end "));
  using Set = rg::detail::Sorted<decltype(late), decltype(b), fake::Ema, decltype(a)>;
  rg::detail::Cast<Set> cast{rg::detail::sorted_values(late, b, fake::Ema{}, a)};
  fake::Step step;
  cast.tell<rg::after_update>(step);
  CHECK(step.trace == "ema b a ");
  cast.tell<rg::after_run>(step);
  CHECK(step.trace == "ema b a end ");
  STATIC_CHECK(rg::check<fake::Net, fake::AdamW, fake::CrossEntropy, decltype(late), decltype(b), fake::Ema, decltype(a)>::ok);
}

TEST_CASE("an inline hook keeps what its lambda captured") {
  auto count = std::make_shared<int>(0);
  const auto counting = rg::on<rg::after_update>([count](auto&) { ++*count; });
  fake::Step step;
  decltype(counting)::State state;
  counting.after_update(step, state);
  counting.after_update(step, state);
  CHECK(*count == 2);
}
