// regimen/schedule/linear.hpp - a straight line between two factors of the base rate
#pragma once
#include <algorithm>
#include <optional>

#include "regimen/schedule/schedule.hpp"

namespace regimen {
/// base x (start + (end - start) t / T) over T updates, then the end holds.
/// Equals `torch.optim.lr_scheduler.LinearLR(start_factor, end_factor, total_iters)` in closed form.
/// T is `.length`, else all updates of the run behind the warm-up. Example: `rg::Scheduler<rg::Linear>{.warmup = rg::steps(500)}` decays to 0.
struct Linear {
  std::optional<Steps> length{};
  double start_factor = 1, end_factor = 0;

  constexpr double operator()(double base, At at) const {
    const auto end = length ? length->count : at.length;
    if (at.update >= end) return base * end_factor;
    return base * (start_factor + (end_factor - start_factor) * static_cast<double>(at.update) / static_cast<double>(end));
  }
  bool operator==(const Linear&) const = default;
};
static_assert(schedule<Linear>);
}  // namespace regimen
