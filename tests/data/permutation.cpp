// tests/data/permutation.cpp - the order of the samples: fixed numbers, every number once, no bias that one would see
#include "regimen/data/permutation.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <map>
#include <vector>

using Order = std::vector<std::int64_t>;

TEST_CASE("a permutation depends on seed and epoch alone: the numbers that an independent program gives") {
  using regimen::permutation;
  CHECK(permutation(10, 0, 0) == Order{0, 1, 4, 6, 3, 9, 8, 7, 2, 5});
  CHECK(permutation(10, 7, 3) == Order{9, 1, 8, 7, 5, 0, 3, 6, 4, 2});
  CHECK(permutation(12, (std::uint64_t{1} << 40) + 5, 1) == Order{9, 3, 11, 0, 7, 6, 8, 4, 10, 5, 1, 2});  // the high half of a seed counts
  std::uint64_t digest = 0;
  for (auto i : permutation(60'000, 0, 1)) digest = digest * 31 + static_cast<std::uint64_t>(i);
  CHECK(digest == 14271524864799873416u);
  CHECK(permutation(10, 1, 0) != permutation(10, 0, 1));
}

TEST_CASE("SplitMix64 gives the numbers that its authors' program gives") {
  regimen::detail::SplitMix64 random{1234567};
  CHECK(random() == 6457827717110365317u);
  CHECK(random() == 3203168211198807973u);
  CHECK(random() == 9817491932198370423u);
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
