// tests/schedule/linear.cpp - the line against its closed form
#include "regimen/schedule/linear.hpp"

#include <catch2/catch_test_macros.hpp>
#include <cmath>

namespace rg = regimen;

namespace linear_tests {
constexpr double rate(const rg::Linear& linear, std::int64_t t, std::int64_t length = 0, double base = 1) {
  return linear(base, {.update = t, .length = length});
}
}  // namespace linear_tests
using namespace linear_tests;

TEST_CASE("the line equals its closed form to 1e-12 on 0..T") {
  for (const std::int64_t end : {1, 2, 3, 7, 1'000}) {
    const rg::Linear linear{.length = rg::steps(end), .start_factor = 1.0 / 3, .end_factor = 0.9};
    for (std::int64_t t = 0; t <= end; ++t) {
      const double share = double(t) / double(end);
      CAPTURE(end, t);
      CHECK(std::abs(rate(linear, t, 0, 0.3) - 0.3 * ((1 - share) / 3 + share * 0.9)) <= 1e-12);
    }
  }
}
TEST_CASE("it has the values of torch's LinearLR") {
  // torch.optim.lr_scheduler.LinearLR(SGD(lr=0.05), start_factor=0.5, total_iters=4): its own example
  const rg::Linear linear{.length = rg::steps(4), .start_factor = 0.5, .end_factor = 1};
  const double right[]{0.025, 0.03125, 0.0375, 0.04375, 0.05, 0.05};
  for (std::int64_t t = 0; t < 6; ++t) CHECK(std::abs(rate(linear, t, 0, 0.05) - right[t]) < 1e-15);
}
TEST_CASE("by default it falls from the base rate to 0 at the end of the run, and stays") {
  STATIC_CHECK((rate({}, 0, 8) == 1 && rate({}, 2, 8) == 0.75 && rate({}, 8, 8) == 0 && rate({}, 9, 8) == 0));
  STATIC_CHECK(rate({.length = rg::steps(4)}, 2, 8) == 0.5);  // its own length comes first
}
