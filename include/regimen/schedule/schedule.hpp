// regimen/schedule/schedule.hpp - what a schedule is: a pure function of where the run stands
#pragma once
#include <concepts>
#include <cstdint>
#include <optional>

#include "regimen/core/duration.hpp"

namespace regimen {
/// Where a run stands, and how long the schedule is if it doesn't say so itself.
struct At {
  std::int64_t update = 0;  // counted from 0: the one that comes next
  std::int64_t epoch = 0;
  std::int64_t length = 0;  // updates from the schedule's first to its end; 0 where nobody knows
};

/// A callable (base rate, At) -> rate that promises to have no memory: resume and the order of loading can't go wrong.
template <class S> concept schedule = requires(const S& s, double base, At at) { { s(base, at) } -> std::convertible_to<double>; };

namespace detail {
/// Does this schedule have an end that somebody must know?
template <class S> concept has_length = requires(const S& s) { { s.length } -> std::convertible_to<std::optional<Steps>>; };
template <class S> constexpr std::int64_t own_length(const S& s) {
  if constexpr (has_length<S>) return s.length ? s.length->count : 0;
  else return 0;
}
}  // namespace detail

/// Warm-up over w updates multiplies the rate by (t+1)/w: no update is wasted at 0, the last one of the warm-up has the base rate.
/// Example: `rg::warmup(0, 5) == 0.2`, `rg::warmup(4, 5) == 1`.
constexpr double warmup(std::int64_t update, std::int64_t w) { return update + 1 >= w ? 1 : static_cast<double>(update + 1) / static_cast<double>(w); }
}  // namespace regimen
