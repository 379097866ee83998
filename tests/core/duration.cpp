// tests/core/duration.cpp - counts with their unit; what must not compile is in tests/fail
#include "regimen/core/duration.hpp"

#include <catch2/catch_test_macros.hpp>
#include <limits>
#include <type_traits>

namespace rg = regimen;

TEST_CASE("each unit is a type of its own") {
  STATIC_CHECK_FALSE(std::is_same_v<rg::Steps, rg::Epochs>);
  STATIC_CHECK(std::is_same_v<decltype(rg::steps(1)), rg::Steps>);
  STATIC_CHECK(std::is_same_v<decltype(rg::minutes(1)), rg::Minutes>);
  STATIC_CHECK(rg::steps(500).count == 500);
  STATIC_CHECK(rg::minutes(0.5).count == 0.5);
  STATIC_CHECK(rg::Steps{}.count == 0);
}
TEST_CASE("counts of one unit compare") {
  STATIC_CHECK(rg::steps(3) < rg::steps(4));
  STATIC_CHECK(rg::epochs(3) == rg::epochs(3));
  STATIC_CHECK(rg::minutes(1.5) > rg::minutes(1));
}
TEST_CASE("a length takes every unit and remembers which") {
  STATIC_CHECK(rg::Length{rg::epochs(3)} == rg::Length{rg::epochs(3)});
  STATIC_CHECK_FALSE(rg::Length{rg::epochs(3)} == rg::Length{rg::steps(3)});
  const rg::Length all[]{rg::epochs(1), rg::steps(2), rg::samples(3), rg::tokens(4), rg::minutes(5)};
  const char* const names[]{"epochs", "steps", "samples", "tokens", "minutes"};
  for (int i = 0; i < 5; ++i) {
    CHECK(rg::name_of(all[i].unit) == names[i]);
    CHECK(all[i].count == i + 1);
  }
  STATIC_CHECK(rg::Length{rg::samples((std::int64_t{1} << 53) - 1)}.count == 9007199254740991.0);  // exact below 2^53
}
TEST_CASE("a bare number is taken only to be refused: the conversion exists and does not compile") {
  STATIC_CHECK(std::is_convertible_v<int, rg::Steps>);  // so that its own message speaks, not "no known conversion"
  STATIC_CHECK(std::is_convertible_v<rg::Epochs, rg::Steps>);
  STATIC_CHECK_FALSE(std::is_convertible_v<const char*, rg::Steps>);
}
