// tests/data/permutation.cpp - the order of the samples: fixed numbers, every number once, no bias that one would see
#include "regimen/data/permutation.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <map>
#include <vector>

using Order = std::vector<std::int64_t>;

TEST_CASE("a permutation depends on seed and epoch alone: the numbers that an independent mt19937_64 gives") {
  using regimen::permutation;
  CHECK(permutation(10, 0, 0) == Order{8, 2, 3, 5, 1, 6, 9, 7, 0, 4});
  CHECK(permutation(10, 7, 3) == Order{2, 8, 0, 1, 3, 6, 4, 5, 9, 7});
  CHECK(permutation(12, (std::uint64_t{1} << 40) + 5, 1) == Order{3, 1, 11, 8, 2, 9, 5, 0, 4, 10, 7, 6});  // the high half of a seed counts
  std::uint64_t digest = 0;
  for (auto i : permutation(60'000, 0, 1)) digest = digest * 31 + static_cast<std::uint64_t>(i);
  CHECK(digest == 5455963295430243624u);
  CHECK(permutation(10, 1, 0) != permutation(10, 0, 1));
}

TEST_CASE("a permutation has every number once") {
  for (std::int64_t count : {0, 1, 2, 3, 17, 1000}) {
    auto order = regimen::permutation(count, 5, 6);
    std::ranges::sort(order);
    REQUIRE(std::ssize(order) == count);
    for (std::int64_t i = 0; i < count; ++i) REQUIRE(order[static_cast<std::size_t>(i)] == i);
  }
}

TEST_CASE("all 24 orders of 4 come up about as often") {
  std::map<Order, int> seen;
  for (std::uint64_t epoch = 0; epoch < 24'000; ++epoch) ++seen[regimen::permutation(4, 9, epoch)];
  REQUIRE(seen.size() == 24);
  double chi_squared = 0;
  for (const auto& [order, times] : seen) chi_squared += (times - 1000.0) * (times - 1000.0) / 1000;
  CHECK(chi_squared < 59);  // 23 degrees of freedom: exceeded once in 20,000
}
