// regimen/schedule/cosine.hpp - half a cosine from the base rate down
#pragma once
#include <algorithm>
#include <numbers>
#include <optional>

#include "regimen/schedule/math.hpp"
#include "regimen/schedule/schedule.hpp"

namespace regimen {
/// Half a cosine from 1 at t = 0 to 0 at t = 1; outside it holds. Equals (1 + cos(pi t)) / 2.
constexpr double cosine(double t) { return (1 + detail::cosine_of(std::numbers::pi * std::clamp(t, 0.0, 1.0))) / 2; }

/// eta_min + (base - eta_min) (1 + cos(pi t / T)) / 2 over T updates, then eta_min holds.
/// Equals `torch.optim.lr_scheduler.CosineAnnealingLR` in closed form on 0..T (Loshchilov and Hutter, 2017).
/// T is `.length`, else all updates of the run behind the warm-up. Example: `rg::Scheduler<rg::Cosine>{.warmup = rg::steps(500)}`.
struct Cosine {
  std::optional<Steps> length{};  // unset: to the end of the run
  double eta_min = 0;

  constexpr double operator()(double base, At at) const {
    const auto end = length ? length->count : at.length;
    if (at.update >= end) return eta_min;
    return eta_min + (base - eta_min) * cosine(static_cast<double>(at.update) / static_cast<double>(end));
  }
  bool operator==(const Cosine&) const = default;
};
static_assert(schedule<Cosine>);
}  // namespace regimen
