// regimen/core/counters.hpp - where a run stands
#pragma once
#include <cstdint>

namespace regimen {
/// All counts of a run; saved with it. Updates rule schedules, logs and checkpoints: a skipped one doesn't count.
struct Counters {
  std::int64_t updates = 0;        // optimizer steps that happened
  std::int64_t windows = 0;        // closed ones, skipped ones too
  std::int64_t skipped = 0;        // windows without an update
  std::int64_t micro_batches = 0;  // forwards of the training
  std::int64_t samples = 0;        // the first dimension of each batch's input
  double tokens = 0;               // the weights that a {sum, weight} objective returned
  std::int64_t epoch = 0;          // passes before this one
  std::int64_t batch = 0;          // position in this pass: batches taken
  bool pass_ended = false;         // its last batch is taken
  double minutes = 0;              // spent in fit
  // one call of fit: a loaded state that was saved in the middle of one is finished by the next call
  bool in_fit = false;
  std::int64_t fit_updates = 0, fit_epoch = 0, fit_samples = 0;  // where it began
  double fit_tokens = 0, fit_minutes = 0;

  constexpr void archive(auto& a) {
    a("updates", updates); a("windows", windows); a("skipped", skipped); a("micro_batches", micro_batches);
    a("samples", samples); a("tokens", tokens); a("epoch", epoch); a("batch", batch); a("pass_ended", pass_ended); a("minutes", minutes);
    a("in_fit", in_fit); a("fit_updates", fit_updates); a("fit_epoch", fit_epoch); a("fit_samples", fit_samples);
    a("fit_tokens", fit_tokens); a("fit_minutes", fit_minutes);
  }
  bool operator==(const Counters&) const = default;
};
}  // namespace regimen
