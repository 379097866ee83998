// tests/core/version.cpp - the library's version
#include "regimen/core/version.hpp"

#include <catch2/catch_test_macros.hpp>

namespace rg = regimen;

TEST_CASE("the version reads as text and compares as numbers") {
  STATIC_CHECK(rg::Version{0, 9, 1} < rg::Version{0, 10, 0});
  CHECK(rg::Version{1, 20, 3}.text() == "1.20.3");
}
