// regimen/schedule/constant.hpp - the base rate all along
#pragma once
#include "regimen/schedule/schedule.hpp"

namespace regimen {
/// The base rate for every update; with `.warmup` of `Scheduler` a plain warm-up. Example: `rg::Scheduler<rg::Constant>{.warmup = rg::steps(100)}`.
struct Constant {
  constexpr double operator()(double base, At) const { return base; }
  bool operator==(const Constant&) const = default;
};
static_assert(schedule<Constant>);
}  // namespace regimen
