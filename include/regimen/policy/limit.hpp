// regimen/policy/limit.hpp - short epochs, to try things out
#pragma once
#include <cstdint>

#include "regimen/core/error.hpp"
#include "regimen/core/policy.hpp"

namespace regimen {
/// Ends each pass over the training data after `.batches` and each validation after `.validation_batches`; 0 is no limit.
/// Schedules and progress count the shortened epoch. Example: `rg::Limit{.batches = 2, .validation_batches = 2}`.
struct Limit {
  std::int64_t batches = 0, validation_batches = 0;

  struct State {};
  static constexpr Facts facts{.name = "limit", .slot = "limit"};
  static constexpr HookSet hooks{.set_up = true};

  void set_up(auto& step, State&) const {
    if (batches < 0 || validation_batches < 0) throw Error{"Limit", "a negative number of batches", "0 for no limit, or a positive number"};
    step.limit_batches(batches, validation_batches);
  }
  bool operator==(const Limit&) const = default;
};
static_assert(policy<Limit>);
}  // namespace regimen
