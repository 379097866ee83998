// regimen/policy/progress.hpp - a line per epoch
#pragma once
#include <cstdint>
#include <cstdio>
#include <ostream>
#include <string>

#include "regimen/core/policy.hpp"

namespace regimen {
/// Prints one line per epoch to stdout (or `.out`): losses, metrics, learning rate, samples per second, updates; with `.every_updates` shorter ones in between.
/// Waits for the device only where it prints. Example: `rg::Progress{}`.
struct Progress {
  std::int64_t every_updates = 0;
  std::ostream* out = nullptr;

  struct State {};
  static constexpr Facts facts{.name = "progress", .slot = "progress", .after = {"metrics"}};
  static constexpr HookSet hooks{.after_window = true, .report_epoch = true};

  void after_window(auto& step, State&) const {
    if (every_updates <= 0 || !step.outcome().stepped || step.updates() % every_updates != 0) return;
    char line[160];
    std::snprintf(line, sizeof line, "  update %lld  loss %.4f  lr %.3g\n", static_cast<long long>(step.updates()), step.mean_loss(), step.learning_rate());  // sync: when it prints
    print(line);
  }
  void report_epoch(auto& step, State&) const { print(step.row().line() + '\n'); }
  bool operator==(const Progress&) const = default;

 private:
  void print(const std::string& text) const {
    if (out) *out << text << std::flush;
    else {
      std::fputs(text.c_str(), stdout);
      std::fflush(stdout);
    }
  }
};
static_assert(policy<Progress>);
}  // namespace regimen
