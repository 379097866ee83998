// tests/examples/accumulate.cpp - the built example and its Python original, run side by side: losses and weights
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "support/program.hpp"

namespace accumulate_tests {
/// What Python prints: the losses with all their digits.
std::vector<double> losses(const std::string& text) {
  std::vector<double> all;
  for (auto at = text.find("loss "); at != text.npos; at = text.find("loss ", at + 1)) all.push_back(std::stod(text.substr(at + 5)));
  return all;
}
}  // namespace accumulate_tests

TEST_CASE("accumulate: losses and weights are those of the Python original, bit for bit") {
  const std::filesystem::path data = "/usr/share/datasets/fashion-mnist";
  if (!std::filesystem::exists(data)) SKIP("dataset-fashion-mnist is not installed");
  const auto folder = python::scratch("accumulate");
  const auto file = [&](const char* name) { return " '" + (folder / name).string() + "'"; };
  const auto of_python = [&](const char* name, const std::string& option) {
    const auto result = program::run_python("examples/accumulate/reference.py", data.string() + file(name) + option);
    CAPTURE(result.err);
    REQUIRE(result.code == 0);
    return accumulate_tests::losses(result.out);
  };
  const auto ours = program::run("accumulate", data.string() + file("ours"));
  CAPTURE(ours.out, ours.err);
  REQUIRE(ours.code == 0);
  const auto losses = accumulate_tests::losses(ours.out);
  const auto weights = python::floats(folder / "ours");
  REQUIRE(losses.size() == 3);
  REQUIRE(weights.size() == 784 * 512 + 512 + 512 * 10 + 10);

  // 4 is a power of two and the update is the same operator: nothing rounds otherwise.
  CHECK(of_python("fused", "") == losses);
  CHECK(python::floats(folder / "fused") == weights);

  // Python's default Adam takes other roundings in the update: 300 of them carry on.
  const auto plain = of_python("plain", " --plain");
  for (std::size_t i = 0; i < losses.size(); ++i) CHECK(std::abs(plain.at(i) - losses[i]) < 1e-7);
  const auto other = python::floats(folder / "plain");
  double most = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) most = std::max(most, std::abs(double(other.at(i)) - double(weights[i])));
  CHECK(most < 1e-7);
  CHECK(most > 0);
}

TEST_CASE("accumulate: without data it ends with 2 and one line") {
  const auto result = program::run("accumulate", "/no/such/folder");
  CHECK(result.code == 2);
  CHECK(result.err.starts_with("accumulate: regimen: read_mnist: there is no /no/such/folder"));
}
