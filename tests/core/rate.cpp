// tests/core/rate.cpp - a rate without default, and the parts that a call leaves out
#include "regimen/core/rate.hpp"

#include <catch2/catch_test_macros.hpp>

namespace rg = regimen;

namespace rate_tests {
struct Sgd { rg::Rate lr; double momentum = 0; };
struct Adam { double lr = 1e-3; };
}  // namespace rate_tests
using namespace rate_tests;

TEST_CASE("a rate is a number that must be written") {
  STATIC_CHECK(Sgd{.lr = 0.1}.lr == 0.1);
  STATIC_CHECK(Sgd{.lr = 1}.lr * 2 == 2);
  STATIC_CHECK_FALSE(rg::detail::has_a_default<Sgd>);
}
TEST_CASE("a part that is left out has its defaults") {
  STATIC_CHECK(rg::detail::has_a_default<Adam>);
  STATIC_CHECK(rg::left_out<Adam>().lr == 1e-3);
}
