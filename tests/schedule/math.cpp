// tests/schedule/math.cpp - cos at compile time
#include "regimen/schedule/math.hpp"

#include <array>
#include <catch2/catch_test_macros.hpp>

namespace rg = regimen;

namespace math_tests {
constexpr int n = 1'000;
constexpr double angle(int i) { return std::numbers::pi * i / n; }
constexpr auto table = [] {  // at compile time, on both compilers
  std::array<double, n + 1> values{};
  for (int i = 0; i <= n; ++i) values[std::size_t(i)] = rg::detail::cosine_of(angle(i));
  return values;
}();
}  // namespace math_tests
using namespace math_tests;

TEST_CASE("cos at compile time is within 2^-51 of std::cos on 0..pi") {
  double worst = 0;
  for (int i = 0; i <= n; ++i) worst = std::max(worst, std::abs(table[std::size_t(i)] - std::cos(angle(i))));
  CHECK(worst <= 0x1p-51);
  STATIC_CHECK((table[0] == 1 && table[n] == -1 && table[n / 2] == 0));
}
TEST_CASE("cos at run time is std::cos") {
  for (int i = 0; i <= n; ++i) {
    volatile double x = angle(i);
    CHECK(rg::detail::cosine_of(x) == std::cos(x));
  }
}
