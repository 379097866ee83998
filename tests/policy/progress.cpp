// tests/policy/progress.cpp - lines for people
#include "regimen/policy/progress.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <sstream>

#include "support/toy.hpp"

TEST_CASE("a line per epoch with what the report has, and shorter ones in between") {
  std::ostringstream out;
  toy::Line net;
  rg::Trainer trainer{net, rg::SGD{.lr = 0.5}, toy::mean, rg::Progress{.every_updates = 2, .out = &out}};
  const auto report = trainer.fit(toy::counting(3), toy::counting(1), rg::epochs(2));
  std::vector<std::string> lines;
  std::string line;
  for (std::istringstream in{out.str()}; std::getline(in, line);) lines.push_back(line);
  REQUIRE(lines.size() == 5);
  CHECK(lines[0] == "  update 2  loss -0.5000  lr 0.5");
  CHECK(lines[1] == report.epochs[0].line());
  CHECK(lines[4] == report.epochs[1].line());
  CHECK_THAT(lines[1], Catch::Matchers::StartsWith("epoch 1  loss ") && Catch::Matchers::ContainsSubstring("validation_loss") && Catch::Matchers::EndsWith("updates 3"));
}
