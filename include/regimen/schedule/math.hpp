// regimen/schedule/math.hpp - cos at compile time: clang has no constexpr cmath
#pragma once
#include <cmath>
#include <numbers>
#include <type_traits>

namespace regimen::detail {
/// cos(x) for 0 <= x <= pi; at compile time a Taylor sum around the nearest of 0, pi/2, pi, within 2^-51 of std::cos.
constexpr double cosine_of(double x) {
  if (!std::is_constant_evaluated()) return std::cos(x);
  constexpr double pi = std::numbers::pi;
  const bool middle = x > pi / 4 && x < 3 * pi / 4;
  const double y = middle ? pi / 2 - x : x >= 3 * pi / 4 ? pi - x : x;  // cos(x) is sin(y), -cos(y) or cos(y)
  double term = middle ? y : 1, sum = term;
  for (int k = middle ? 2 : 1; k < 26; k += 2) {
    term *= -y * y / (k * (k + 1));
    sum += term;
  }
  return !middle && x >= 3 * pi / 4 ? -sum : sum;
}
}  // namespace regimen::detail
