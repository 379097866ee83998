// regimen/policy/validate.hpp - when to validate
#pragma once
#include <cmath>

#include "regimen/core/duration.hpp"
#include "regimen/core/error.hpp"
#include "regimen/core/policy.hpp"

namespace regimen {
/// Validates every so often; without this policy a trainer validates at the end of each epoch.
/// Epochs count passes; steps, samples, tokens and minutes are looked at after each window. Example: `rg::Validate{.every = rg::steps(500)}`.
struct Validate {
  Length every = epochs(1);

  struct State {
    double done = 0;  // the count at the last validation
    constexpr void archive(auto& a) { a("done", done); }
  };
  static constexpr Facts facts{.name = "validate", .slot = "validation"};
  static constexpr HookSet hooks{.set_up = true, .after_window = true, .after_epoch = true};

  void set_up(auto&, State&) const {
    if (!(every.count > 0)) throw Error{"Validate", "an interval that is not above 0", "rg::epochs(1), rg::steps(500), ..."};
  }
  void after_window(auto& step, State& state) const {
    if (every.unit != Unit::epochs) look(step, state);
  }
  void after_epoch(auto& step, State& state) const {
    if (every.unit == Unit::epochs) look(step, state);
  }
  bool operator==(const Validate&) const = default;

 private:
  void look(auto& step, State& state) const {
    const double now = step.count_of(every.unit);
    if (now - state.done < every.count) return;
    state.done = now;
    step.validate();
  }
};
static_assert(policy<Validate>);
}  // namespace regimen
