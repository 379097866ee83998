// regimen/policy/scheduler.hpp - the learning rate of each update
#pragma once
#include <string>

#include "regimen/core/error.hpp"
#include "regimen/core/policy.hpp"
#include "regimen/core/text.hpp"
#include "regimen/schedule/cosine.hpp"
#include "regimen/schedule/schedule.hpp"

namespace regimen {
/// Sets every group's rate before each update from a schedule of that group's base rate, behind `.warmup` updates of linear warm-up.
/// Counts updates that happened: a skipped window doesn't tick. Without a length of its own the schedule ends with the call of `fit`,
/// and a second `fit` begins it anew; where nobody knows the number of updates it throws regimen::Error. No pass, no sync.
/// Example: `rg::Scheduler<rg::Cosine>{.warmup = rg::steps(500)}`.
template <schedule Schedule = Cosine> struct Scheduler {
  Schedule schedule{};
  Steps warmup{};

  struct State {
    std::int64_t length = 0;  // updates behind the warm-up
    constexpr void archive(auto& a) { a("length", length); }
  };
  static constexpr Facts facts{.name = "scheduler", .slot = "schedule", .writes = {"rate"}};
  static constexpr HookSet hooks{.before_run = true, .before_update = true};

  void before_run(auto& step, State& state) const {
    if (warmup.count < 0) throw Error{"Scheduler", "a warm-up of " + std::to_string(warmup.count) + " steps", "0 or more"};
    if constexpr (detail::has_length<Schedule>) {
      if (schedule.length && schedule.length->count <= 0)
        throw Error{"Scheduler", "a length of " + std::to_string(schedule.length->count) + " steps", "at least 1"};
      const auto total = step.total_updates();
      if (!schedule.length && !total)
        throw Error{"Scheduler", "nobody knows how many updates this run takes", std::string{type_name<Scheduler>()} + "{.schedule = {.length = rg::steps(n)}}"};
      if (total) state.length = *total > warmup.count ? *total - warmup.count : 1;
    }
  }
  void before_update(auto& step, State& state) const {
    for (auto& group : step.groups()) group.rate = rate(group.base_rate, step.updates_of_run(), step.epoch_of_run(), state.length);
  }

  /// The rate of one update, counted from 0. Example: `rg::Scheduler<rg::Cosine>{.warmup = rg::steps(4)}.rate(1.0, 1, 0, 100)` is 0.5.
  constexpr double rate(double base, std::int64_t update, std::int64_t epoch = 0, std::int64_t length = 0) const {
    if (update < warmup.count) return base * regimen::warmup(update, warmup.count);
    return schedule(base, At{.update = update - warmup.count, .epoch = epoch, .length = length});
  }
  bool operator==(const Scheduler&) const = default;
};
template <schedule S> Scheduler(S) -> Scheduler<S>;
template <schedule S> Scheduler(S, Steps) -> Scheduler<S>;
static_assert(policy<Scheduler<>>);
}  // namespace regimen
