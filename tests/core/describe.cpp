// tests/core/describe.cpp - hyperparameters as text
#include "regimen/core/describe.hpp"

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <vector>

#include "support/fakes.hpp"

namespace describe_tests {
struct Betas { double beta1 = 0.9, beta2 = 0.999; };
enum class Mode { first, second };
struct Rule {
  double lr = 1e-3;
  Betas betas{};
  bool nesterov = false;
  Mode mode = Mode::second;
  std::string name = "sgd";
  std::optional<double> momentum{};
  rg::Steps warmup = rg::steps(500);
  rg::Length every = rg::epochs(2);
};
struct Many { int a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8, i = 9; };
struct Odd { std::vector<int> list{1, 2}; std::array<int, 2> pair{3, 4}; };
struct Big { rg::Steps length = rg::steps(123'456'789); rg::Length every = rg::samples(1'000'000); double tiny = 1e-8, third = 0.1; };
struct Sealed {
  explicit Sealed(int) {}
};
struct Own {
  int n = 3;
  std::string describe() const { return "Own with " + std::to_string(n); }
};
}  // namespace describe_tests
using namespace describe_tests;

TEST_CASE("a description is the type and its fields in order of declaration") {
  CHECK(rg::describe(Rule{}) == "describe_tests::Rule{0.001, {0.9, 0.999}, false, 1, sgd, unset, 500 steps, 2 epochs}");
  CHECK(rg::describe(Rule{.nesterov = true, .momentum = 0.5, .every = rg::minutes(1.5)}) ==
        "describe_tests::Rule{0.001, {0.9, 0.999}, true, 1, sgd, 0.5, 500 steps, 1.5 minutes}");
  CHECK(rg::describe(fake::Accumulate<4>{}) == "fake::Accumulate<4>{}");
  CHECK(rg::describe(fake::Ema{.decay = 0.5}) == "fake::Ema{0.5}");
}
TEST_CASE("the library's own namespace is left out") { CHECK(rg::describe(rg::steps(3)) == "Duration<regimen::unit::Steps>"); }
TEST_CASE("numbers are written so that they read back as the same ones") {
  CHECK(rg::describe(Big{}) == "describe_tests::Big{123456789 steps, 1e+06 samples, 1e-08, 0.1}");
  CHECK(rg::describe(Big{.every = rg::steps(1'234'567)}).find("1234567 steps") != std::string::npos);
  CHECK(rg::describe(fake::Ema{.decay = 0.123456789012}) == "fake::Ema{0.123456789012}");
}
TEST_CASE("what has too many fields or can't be printed says so") {
  CHECK(rg::describe(Many{}) == "describe_tests::Many{...}");
  CHECK(rg::describe(Odd{}) == "describe_tests::Odd{..., {3, 4}}");
  CHECK(rg::describe(Sealed{1}) == "describe_tests::Sealed");
}
TEST_CASE("a type that describes itself is asked") { CHECK(rg::describe(Own{}) == "Own with 3"); }
