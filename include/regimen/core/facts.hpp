// regimen/core/facts.hpp - what a policy or optimizer states of itself, from which checks and the plan are made
#pragma once
#include <array>
#include <cstddef>
#include <string_view>

namespace regimen {
/// Up to six names. Example: `.excludes = {"swa", "lookahead"}`.
using Names = std::array<std::string_view, 6>;

/// One constexpr value per policy: `static constexpr rg::Facts facts{.name = "ema", .slot = "average", .passes = 1, .bytes = 8};`
/// Every number is per window (one optimizer update); a test compares each with what is counted.
struct Facts {
  std::string_view name{};             // stable: checkpoints and messages use it
  int version = 1;                     // of the State's layout
  std::string_view slot{};             // holds one policy; empty for those that may stand several times
  Names excludes{};                    // names or slots that can't stand beside it
  Names needs{};                       // names, slots, or "output" (an objective on output and target) that must
  Names after{};                       // names or slots that act before it in the same moment
  Names writes{};                      // what it changes: "factor", "gradients", "rate", "weights", "batch"
  std::string_view shares{};           // a pass that several make together, whose costs count once: "norm"
  int passes = 0;                      // over the gradients
  double bytes = 0;                    // moved per parameter element, float32
  int syncs = 0;                       // waits for the device, on CUDA; the CPU has none
  int allocations = 0;                 // tensors, after the first window
  std::string_view not_capturable{};   // why it can't be part of a CUDA graph; empty if it can
  bool rewrites_gradients = false;     // in place, beside the factor of the window
  bool in_order = false;               // several of one name keep the order of writing (inline hooks)
};

namespace detail {
constexpr bool has_name(const Names& names, std::string_view name) {
  for (auto each : names)
    if (!name.empty() && each == name) return true;
  return false;
}
constexpr bool is_called(const Facts& f, std::string_view name) { return !name.empty() && (f.name == name || f.slot == name); }
constexpr bool names_any(const Names& names, const Facts& f) { return has_name(names, f.name) || has_name(names, f.slot); }
}  // namespace detail
}  // namespace regimen
