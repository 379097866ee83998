// regimen/policy/accumulate.hpp - one update per N micro-batches
#pragma once
#include <cstddef>
#include <limits>
#include <string>

#include "regimen/core/error.hpp"
#include "regimen/core/policy.hpp"

namespace regimen {
/// As the argument of `Accumulate`: N is known at run time only.
inline constexpr std::size_t at_run_time = std::numeric_limits<std::size_t>::max();

/// One update per `N` micro-batches, equal to one big batch to rounding; the short last window of an epoch divides by its own weight.
/// No pass, no sync, no memory of its own: the division is in the root gradient of each backward. `Accumulate<>{n}` takes N at run time.
/// Example: `rg::Trainer{net, rg::AdamW{}, rg::CrossEntropy{}, rg::Accumulate<4>{}}`.
template <std::size_t N = at_run_time> struct Accumulate {
  static_assert(N > 0, "regimen: Accumulate<0> would never update: write at least 1; see docs/errors.md#accumulate");
  struct State {};
  static constexpr Facts facts{.name = "accumulate", .slot = "accumulation"};
  static constexpr HookSet hooks{.set_up = true};

  void set_up(auto& step, State&) const { step.set_window(N); }
  bool operator==(const Accumulate&) const = default;
};

template <> struct Accumulate<at_run_time> {
  std::size_t n = 1;

  struct State {};
  static constexpr Facts facts{.name = "accumulate", .slot = "accumulation"};
  static constexpr HookSet hooks{.set_up = true};

  void set_up(auto& step, State&) const {
    if (n == 0) throw Error{"Accumulate", "n is 0", "at least 1 micro-batch"};
    step.set_window(n);
  }
  std::string describe() const { return "Accumulate<>{" + std::to_string(n) + "}"; }
  bool operator==(const Accumulate&) const = default;
};
static_assert(policy<Accumulate<4>> && policy<Accumulate<>>);
}  // namespace regimen
