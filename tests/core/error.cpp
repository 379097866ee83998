// tests/core/error.cpp - who, what was found, what to write
#include "regimen/core/error.hpp"

#include <catch2/catch_test_macros.hpp>
#include <string>

namespace rg = regimen;

TEST_CASE("an error reads as a sentence and keeps its parts") {
  try {
    throw rg::Error{"Ema", "decay is 1.5", "a number in [0, 1)"};
  } catch (const std::runtime_error& e) {
    CHECK(e.what() == std::string{"regimen: Ema: decay is 1.5; write a number in [0, 1)"});
    const auto& error = dynamic_cast<const rg::Error&>(e);
    CHECK(error.who == "Ema");
    CHECK(error.found == "decay is 1.5");
    CHECK(error.write == "a number in [0, 1)");
  }
}
