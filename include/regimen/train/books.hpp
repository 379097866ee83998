// regimen/train/books.hpp - what a call of fit counts: where it began, when it is done, and the row of each epoch
#pragma once
#include <chrono>
#include <string>
#include <utility>

#include "regimen/core/duration.hpp"
#include "regimen/core/error.hpp"
#include "regimen/data/source.hpp"
#include "regimen/train/report.hpp"
#include "regimen/train/table.hpp"

namespace regimen::detail {
class Books {
 public:
  void open(auto& e, auto& train, Length length) {
    if (!(length.count >= 0)) throw Error{"fit", "a negative length", "rg::epochs(n) or another length of at least 0"};
    auto& run = e.run;
    e.is_fitting = true;
    e.began = std::chrono::steady_clock::now();
    e.stop_reason.clear();
    if (!run.in_fit) {  // else a loaded state is in the middle of one: this call finishes it
      run.in_fit = true;
      run.fit_updates = run.updates;
      run.fit_epoch = run.epoch;
      run.fit_samples = run.samples;
      run.fit_tokens = run.tokens;
      run.fit_minutes = run.minutes;
      run.batch = 0;
      open_row(e);
    }
    e.total_updates.reset();
    if (length.unit == Unit::steps) e.total_updates = static_cast<std::int64_t>(length.count);
    if (length.unit == Unit::epochs)
      with_range(train, run.epoch, [&](auto& range) {
        if (const auto windows = windows_of_epoch(e, range)) e.total_updates = *windows * static_cast<std::int64_t>(length.count);
      });
    began_row_ = e.began;
    samples_at_row_ = run.samples;
  }
  void close(auto& e) {
    e.settle_clock();
    e.is_fitting = false;
    e.run.in_fit = false;
    if (e.run.batch > 0) ++e.run.epoch;  // a pass that was begun: the next call takes another order
    e.run.batch = 0;
    e.run.pass_ended = false;
  }
  static bool is_done(auto& e, Length length) {
    const auto& run = e.run;
    if (!e.stop_reason.empty()) return true;
    switch (length.unit) {
      case Unit::epochs: return static_cast<double>(run.epoch - run.fit_epoch) >= length.count;
      case Unit::steps: return static_cast<double>(run.updates - run.fit_updates) >= length.count;
      case Unit::samples: return static_cast<double>(run.samples - run.fit_samples) >= length.count;
      case Unit::tokens: return run.tokens - run.fit_tokens >= length.count;
      case Unit::minutes: return e.minutes() - run.fit_minutes >= length.count;
    }
    return true;
  }
  EpochReport close_row(auto& e) {
    auto& row = e.row;
    row.epoch = e.run.epoch + (e.run.batch > 0);
    row.train_loss = e.mean_loss.read();  // sync: once an epoch
    for (const auto& [name, mean] : e.logs) row.set(name, mean.read());  // sync: once an epoch
    row.learning_rate = e.groups().front().rate;
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began_row_;
    row.samples_per_second = static_cast<double>(e.run.samples - samples_at_row_) / (took.count() - e.validation_seconds);
    row.updates = e.run.updates;
    row.skipped = e.run.skipped;
    e.template tell<report_epoch>();
    auto done = std::move(row);
    open_row(e);
    return done;
  }

 private:
  void open_row(auto& e) {
    e.row = EpochReport{};
    e.mean_loss.clear();
    e.logs.clear();
    e.validation_seconds = 0;
    began_row_ = std::chrono::steady_clock::now();
    samples_at_row_ = e.run.samples;
  }

  std::chrono::steady_clock::time_point began_row_{};
  std::int64_t samples_at_row_ = 0;
};
}  // namespace regimen::detail
