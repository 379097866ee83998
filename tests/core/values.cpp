// tests/core/values.cpp - a tuple without recursion
#include "regimen/core/values.hpp"

#include <catch2/catch_test_macros.hpp>
#include <memory>
#include <type_traits>

using regimen::detail::at, regimen::detail::Values;

TEST_CASE("values keep their types, and two of one type are two") {
  constexpr Values<int, double, int> values{1, 2.5, 3};
  STATIC_CHECK(at<0>(values) == 1);
  STATIC_CHECK(at<1>(values) == 2.5);
  STATIC_CHECK(at<2>(values) == 3);
  STATIC_CHECK(std::is_same_v<decltype(at<1>(values)), const double&>);
  auto copy = values;
  at<2>(copy) = 7;
  CHECK(at<2>(copy) == 7);
  CHECK(at<0>(copy) == 1);
}

TEST_CASE("values may be references, nothing, or value-initialised") {
  int n = 1;
  Values<const int&> reference{n};
  n = 2;
  CHECK(at<0>(reference) == 2);
  Values<> nothing{};
  (void)nothing;
  CHECK(at<1>(Values<int, double>{}) == 0);
}
