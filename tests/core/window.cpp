// tests/core/window.cpp - a window of micro-batches has the gradient of one big batch
#include "regimen/core/window.hpp"

#include <catch2/catch_get_random_seed.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <random>
#include <vector>

namespace rg = regimen;

namespace window_tests {
/// The toy T: the loss of a sample x is w x, so that its gradient is x, and a step with rate 1 moves w by minus the window's gradient.
struct Toy {
  std::size_t n;
  std::vector<double> moves{};
  rg::Window window{};
  double gradient = 0;

  /// One micro-batch, as the trainer runs it. `left`: batches of the epoch from this one on, 0 where nobody knows.
  void run(double value, double weight, bool is_sum, std::size_t left) {
    if (!window.is_open()) window.open(left > 0 && left < n ? left : n);
    const bool usable = std::isfinite(value) && weight > 0;
    if (usable) gradient += value * (is_sum ? window.root_of_sum(weight) : window.root_of_mean(weight));
    window.add(usable ? weight : 0);
    if (window.is_full()) close();
  }
  void close() {
    if (window.has_gradient()) moves.push_back(-gradient * window.factor());
    gradient = 0;
    window = rg::Window{};
  }
  /// An epoch of micro-batches of one sample each.
  Toy& epoch(std::vector<double> x, bool known_length = true) {
    for (std::size_t i = 0; i < x.size(); ++i) run(x[i], 1, false, known_length ? x.size() - i : 0);
    if (!window.is_empty()) close();
    return *this;
  }
  /// An epoch of micro-batches that return a sum and a count.
  Toy& sums(std::vector<std::pair<double, double>> sum_and_count) {
    for (const auto& [sum, count] : sum_and_count) run(sum, count, true, 0);
    if (!window.is_empty()) close();
    return *this;
  }
};
using Moves = std::vector<double>;
bool close(const Moves& a, const Moves& b) {
  bool same = a.size() == b.size();
  for (std::size_t i = 0; same && i < a.size(); ++i) same = std::abs(a[i] - b[i]) <= 1e-12 * std::abs(b[i]);
  return same;
}
Moves counted_to(int n) {
  Moves x;
  for (int i = 1; i <= n; ++i) x.push_back(i);
  return x;
}
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
}  // namespace window_tests
using namespace window_tests;

TEST_CASE("K1 token sums are divided by the tokens of the window") {
  CHECK(close(Toy{2}.sums({{1 + 2 + 3, 3}, {10, 1}}).moves, {-4}));
  CHECK(close(Toy{2}.sums({{6 + 3 * 0.5, 3}, {10 + 0.5, 1}}).moves, {-4.5}));  // a second term as count x term
}
TEST_CASE("K7 the tail of an epoch is divided by its own size") {
  CHECK(close(Toy{4}.epoch(counted_to(10)).moves, {-2.5, -6.5, -9.5}));
  CHECK(close(Toy{4}.epoch(counted_to(10), false).moves, {-2.5, -6.5, -9.5}));  // also if nobody knew that it is short
}
TEST_CASE("K9 the last short window moves the weight") { CHECK(close(Toy{2}.epoch({1, 2, 3}).moves, {-1.5, -3})); }
TEST_CASE("K11 no window crosses an epoch") { CHECK(close(Toy{2}.epoch({1, 2, 3}).epoch({1, 2, 3}).moves, {-1.5, -3, -1.5, -3})); }
TEST_CASE("K13 a window without tokens takes no step, one with few counts only these") {
  CHECK(close(Toy{2}.sums({{0, 0}, {0, 0}, {6, 2}, {0, 0}, {8, 1}, {0, 3}}).moves, {-3, -2}));
}
TEST_CASE("K15 a loss that is not finite fills the window and leaves the divisor") {
  CHECK(close(Toy{4}.epoch({1, not_a_number, 3, 4, 5, 6, 7, 8}).moves, {-8.0 / 3, -6.5}));
}
TEST_CASE("K17 a micro-batch without valid targets adds nothing") {
  CHECK(Toy{1}.sums({{0, 0}}).moves.empty());
  CHECK(close(Toy{2}.sums({{0, 0}, {3, 1}}).moves, {-3}));
}
TEST_CASE("KZ16 boundary and divisor of the tail are two things") {
  CHECK(close(Toy{4}.epoch(counted_to(7)).moves, {-2.5, -6}));
  CHECK(close(Toy{8}.epoch(counted_to(13)).moves, {-4.5, -11}));
}

TEST_CASE("with equal micro-batches each root is 1/N and the last factor exactly 1") {
  for (const double weight : {1.0, 3.0, 16.0, 1021.0})
    for (std::size_t n = 1; n <= 33; ++n) {
      rg::Window window;
      window.open(n);
      for (std::size_t i = 0; i < n; ++i) {
        CHECK(window.root_of_mean(weight) == 1.0 / double(n));
        CHECK(window.root_of_sum(weight) == 1.0 / (weight * double(n)));
        window.add(weight);
      }
      CHECK(window.factor() == 1);
    }
}

TEST_CASE("any weights in any window give the mean of one big batch") {
  const auto seed = Catch::getSeed();
  std::mt19937 random{seed};
  for (int round = 0; round < 2'000; ++round) {
    const auto n = 1 + random() % 9, filled = 1 + random() % n;
    rg::Window window;
    window.open(n);
    double gradient = 0, sum = 0, weights = 0, size = 0;
    for (std::size_t i = 0; i < filled; ++i) {
      const double weight = double(random() % 5), mean = double(random() % 2001) - 1000;
      const bool is_sum = random() % 2;
      gradient += is_sum ? weight * mean * window.root_of_sum(weight) : mean * window.root_of_mean(weight);
      window.add(weight);
      sum += weight * mean;
      size += std::abs(weight * mean);
      weights += weight;
    }
    CAPTURE(seed, round, n, filled);
    REQUIRE(window.has_gradient() == (weights > 0));
    REQUIRE(window.weight() == weights);
    if (weights > 0) REQUIRE(std::abs(gradient * window.factor() - sum / weights) <= 1e-14 * size / weights * 10);
    else REQUIRE((gradient == 0 && window.factor() == 0));
  }
}

TEST_CASE("weights that are zero, negative or NaN count as nothing") {
  rg::Window window;
  window.open(4);
  for (const double weight : {0.0, -1.0, not_a_number}) {
    CHECK(window.root_of_mean(weight) == 0);
    CHECK(window.root_of_sum(weight) == 0);
    window.add(weight);
  }
  CHECK(window.weight() == 0);
  CHECK_FALSE(window.has_gradient());
  CHECK(window.root_of_mean(2) == 0.25);  // the first weight that counts sets what is expected
  window.add(2);
  CHECK(window.is_full());
  CHECK(window.factor() == 4);
}

TEST_CASE("a window says when it will close, before the micro-batch runs") {
  constexpr auto closes = [](std::size_t length, std::size_t seen, bool last_batch) {
    rg::Window window;
    window.open(length);
    for (std::size_t i = 0; i < seen; ++i) window.add(1);
    return window.closes_with_next(last_batch);
  };
  STATIC_CHECK_FALSE(closes(3, 1, false));
  STATIC_CHECK(closes(3, 2, false));
  STATIC_CHECK(closes(3, 0, true));
  STATIC_CHECK(closes(1, 0, false));
}

TEST_CASE("opening empties a window; one that isn't open is empty") {
  rg::Window window;
  CHECK_FALSE(window.is_open());
  window.open(2);
  window.root_of_mean(3);
  window.add(3);
  window.open(0);  // at least 1
  CHECK(window.is_open());
  CHECK(window.is_empty());
  CHECK(window.length() == 1);
  CHECK(window.root_of_mean(5) == 1);
}

TEST_CASE("an epoch has as many updates as windows, the short one too") {
  STATIC_CHECK(rg::windows_in(10, 4) == 3);
  STATIC_CHECK(rg::windows_in(8, 4) == 2);
  STATIC_CHECK(rg::windows_in(0, 4) == 0);
  STATIC_CHECK(rg::windows_in(3, 100) == 1);
  STATIC_CHECK(rg::windows_in(3, 0) == 0);
}
