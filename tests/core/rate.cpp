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
}
TEST_CASE("a part that is left out has its defaults") {
  STATIC_CHECK(rg::left_out<Adam>().lr == 1e-3);
}
TEST_CASE("the first part that is left out and has no default is the culprit") {
  using rg::detail::Lacking;
  STATIC_CHECK(std::is_void_v<Lacking<0, Adam, Adam>::type>);
  STATIC_CHECK(std::is_same_v<Lacking<0, Adam, Sgd, Adam>::type, Sgd>);
  STATIC_CHECK(std::is_same_v<Lacking<1, Sgd, Adam, Sgd>::type, Sgd>);
  STATIC_CHECK(std::is_void_v<Lacking<2, Adam, Sgd, Adam>::type>);  // it was given
}
