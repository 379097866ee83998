// regimen/data/permutation.hpp - the order of the samples in one pass
#pragma once
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace regimen {
/// The numbers 0 .. count-1 in an order that depends on `seed` and `epoch` alone: the same with every compiler and standard library.
/// A Fisher-Yates shuffle (Durstenfeld, 1964) from the end, its draws made unbiased by rejection; the generator is std::mt19937_64,
/// whose output the standard fixes, seeded by std::seed_seq from the four 32-bit halves of `seed` and `epoch`, low half first.
/// Example: `rg::permutation(60'000, 0, epoch)`.
inline std::vector<std::int64_t> permutation(std::int64_t count, std::uint64_t seed, std::uint64_t epoch) {
  std::seed_seq words{std::uint32_t(seed), std::uint32_t(seed >> 32), std::uint32_t(epoch), std::uint32_t(epoch >> 32)};
  std::mt19937_64 random{words};

  std::vector<std::int64_t> order(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int64_t>(i);

  for (auto left = static_cast<std::uint64_t>(count); left > 1; --left) {
    const auto biased = (0 - left) % left;  // 2^64 mod left: of so many draws too many, the lowest are drawn again
    auto draw = random();
    while (draw < biased) draw = random();
    std::swap(order[left - 1], order[draw % left]);
  }
  return order;
}
}  // namespace regimen
