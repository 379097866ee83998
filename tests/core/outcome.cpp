// tests/core/outcome.cpp - what became of a window
#include "regimen/core/outcome.hpp"

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <set>

namespace rg = regimen;

TEST_CASE("an outcome is true if the weights are new") {
  STATIC_CHECK(rg::StepOutcome{.closed = true, .stepped = true, .why = rg::Skip::none});
  STATIC_CHECK_FALSE(rg::StepOutcome{.closed = true, .why = rg::Skip::veto});
  STATIC_CHECK_FALSE(rg::StepOutcome{});
  STATIC_CHECK(rg::StepOutcome{}.why == rg::Skip::open);
  CHECK(std::isnan(rg::StepOutcome{}.norm));  // nobody measured it
}
TEST_CASE("each reason to skip has its own words") {
  using enum rg::Skip;
  std::set<std::string_view> words;
  for (const auto why : {none, open, no_weight, no_gradient, nonfinite, veto}) words.insert(rg::name_of(why));
  CHECK(words.size() == 6);
  CHECK(rg::name_of(nonfinite) == "gradient not finite");
  CHECK(rg::name_of(veto) == "vetoed by a policy");
}
