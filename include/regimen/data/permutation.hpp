// regimen/data/permutation.hpp - the order of the samples in one pass
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

namespace regimen {
namespace detail {
/// SplitMix64 (Steele, Lea and Flood, 2014): 64 random bits a call. In place of <random>, which would be the largest header of the library.
class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) : state_{seed} {}
  std::uint64_t operator()() {
    auto z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_;
};
}  // namespace detail

/// The numbers 0 .. count-1 in an order that depends on `seed` and `epoch` alone: the same with every compiler and standard library.
/// A Fisher-Yates shuffle (Durstenfeld, 1964) from the end, its draws made unbiased by rejection, by SplitMix64 seeded with
/// (first number of SplitMix64 seeded with `seed`) + epoch. Example: `rg::permutation(60'000, 0, epoch)`.
inline std::vector<std::int64_t> permutation(std::int64_t count, std::uint64_t seed, std::uint64_t epoch) {
  detail::SplitMix64 random{detail::SplitMix64{seed}() + epoch};

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
