// tests/schedule/constant.cpp - the base rate all along
#include "regimen/schedule/constant.hpp"

#include <catch2/catch_test_macros.hpp>

namespace rg = regimen;

TEST_CASE("a constant is the base rate at every update") {
  for (const std::int64_t t : {0, 1, 1'000'000}) CHECK(rg::Constant{}(0.3, {.update = t, .epoch = t, .length = 5}) == 0.3);
  STATIC_CHECK(rg::Constant{}(2, {}) == 2);
}
TEST_CASE("a constant has no length that somebody must know") { STATIC_CHECK_FALSE(rg::detail::has_length<rg::Constant>); }
