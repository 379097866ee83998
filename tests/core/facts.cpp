// tests/core/facts.cpp - names that facts give, and what matches them
#include "regimen/core/facts.hpp"

#include <catch2/catch_test_macros.hpp>

namespace rg = regimen;
using rg::detail::has_name, rg::detail::is_called, rg::detail::names_any;

TEST_CASE("a policy is called by its name or its slot") {
  constexpr rg::Facts ema{.name = "ema", .slot = "average"};
  STATIC_CHECK(is_called(ema, "ema"));
  STATIC_CHECK(is_called(ema, "average"));
  STATIC_CHECK_FALSE(is_called(ema, "swa"));
  STATIC_CHECK(names_any({"amp", "average"}, ema));
  STATIC_CHECK_FALSE(names_any({"amp", "em"}, ema));
}
TEST_CASE("an empty name or slot matches nothing, although unused places in a list are empty") {
  constexpr rg::Facts nameless{};
  STATIC_CHECK_FALSE(is_called(nameless, ""));
  STATIC_CHECK_FALSE(names_any({"amp"}, nameless));
  STATIC_CHECK_FALSE(has_name({}, ""));
}
TEST_CASE("facts that are not stated cost nothing") {
  constexpr rg::Facts f{.name = "x"};
  STATIC_CHECK(f.version == 1);
  STATIC_CHECK((f.passes == 0 && f.bytes == 0 && f.syncs == 0 && f.allocations == 0));
  STATIC_CHECK((f.not_capturable.empty() && !f.rewrites_gradients && !f.in_order));
}
