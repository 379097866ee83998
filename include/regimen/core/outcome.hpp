// regimen/core/outcome.hpp - what became of a micro-batch and of its window
#pragma once
#include <cstdint>
#include <limits>
#include <string_view>

namespace regimen {
enum class Skip : std::uint8_t { none, open, no_weight, no_gradient, nonfinite, veto };

constexpr std::string_view name_of(Skip s) {
  constexpr std::string_view names[]{"updated", "window still open", "no micro-batch had weight", "no gradient", "gradient not finite", "vetoed by a policy"};
  return names[static_cast<int>(s)];
}

/// What `backward` and `flush` return. `if (outcome.stepped) ...`: the weights are new.
struct StepOutcome {
  bool closed = false;      // this micro-batch ended the window
  bool stepped = false;     // and the update happened
  Skip why = Skip::open;    // why not
  double weight = 0;        // of the window: micro-batches, samples or tokens
  double norm = std::numeric_limits<double>::quiet_NaN();  // of the true gradient before clipping, if a policy measured it
  double scale = 1;         // the loss scale it ran with

  constexpr explicit operator bool() const { return stepped; }
};
}  // namespace regimen
