// regimen/train/loop.hpp - the loop over epochs, in order of time; it knows no policy by name
#pragma once
#include <chrono>
#include <cmath>
#include <string>
#include <utility>

#include "regimen/core/duration.hpp"
#include "regimen/core/error.hpp"
#include "regimen/data/parts.hpp"
#include "regimen/data/source.hpp"
#include "regimen/train/engine.hpp"
#include "regimen/train/table.hpp"

namespace regimen::detail {
template <class T> struct Restore {  // sets a value for a scope
  T& place;
  T was;
  Restore(T& p, T now) : place{p}, was{std::exchange(p, now)} {}
  Restore(const Restore&) = delete;
  ~Restore() { place = was; }
};

template <class Engine, class Objective> class Loop {
 public:
  Engine e;
  Objective objective;

  Loop(auto&& model, auto&& optimizer, auto&& goal, auto&& policies)
      : e(std::forward<decltype(model)>(model), std::forward<decltype(optimizer)>(optimizer), std::forward<decltype(policies)>(policies)),
        objective(std::forward<decltype(goal)>(goal)) {}

  /// `validate()` runs a validation; it returns false where there is no data for one.
  Report fit(auto& train, Length length, auto&& validate) {
    const Counters before = e.run;
    int barren = 0;  // epochs in a row without an update
    Report report;
    begin_run(train, length);
    e.guarded([&] {
      e.template tell<before_run>();
      while (!is_done(length)) {
        e.template tell<before_epoch>();
        e.train_mode();  // a train() of the user's reaches frozen modules too
        const auto updates_before = e.run.updates;
        const bool whole = with_range(train, e.run.epoch, [&](auto& range) { return train_epoch(range, length, validate); });
        if (!whole) break;  // the length ended in mid-epoch
        if (e.run.batch == 0) throw Error{"fit", "the training data gave no batch", "data with at least one batch"};
        barren = e.run.updates == updates_before ? barren + 1 : 0;
        if (barren == 10 && length.unit == Unit::steps)  // it would never end
          throw Error{"fit", "10 epochs passed without an update (last window: " + std::string{name_of(e.outcome.why)} + ")", "a lower learning rate, or look for NaN in the data"};
        ++e.run.epoch;
        e.run.batch = 0;
        e.template tell<after_epoch>();
        if (std::exchange(e.wants_validation, false) || !validation_is_planned) validate();
        report.epochs.push_back(close_row());
      }
      if (e.run.batch > 0) report.epochs.push_back(close_row());
      e.template tell<after_run>();
    });
    report.ended = e.stop_reason.empty() ? "length" : e.stop_reason;
    end_run();
    report.updates = e.run.updates - before.updates;
    report.skipped = e.run.skipped - before.skipped;
    report.samples = e.run.samples - before.samples;
    report.seconds = (e.run.minutes - before.minutes) * 60;
    return report;
  }

  /// Loss and metrics in eval mode without gradients; modes come back, also on exceptions.
  Evaluation evaluate(auto& data) {
    at::NoGradGuard no_grad;
    ModeGuard mode{e.module()};
    Restore validating{e.is_validating, true};
    DeviceMean loss;
    Evaluation result;
    with_range(data, 0, [&](auto& range) {
      return for_each_batch(range, 0, e.validation_limit, [&](auto& batch, bool) {
        e.template tell<batch_arrival>(batch);
        const Loss value = e.in_scopes([&] { return loss_of(batch); });
        const double samples = samples_of(batch), weight = value.weight > 0 && !value.is_sum ? samples : value.weight;
        if (weight > 0) loss.add(value.value, value.is_sum ? 1 : weight, weight);
        ++result.batches;
        result.samples += samples;
        return true;
      });
    });
    e.row.validation_loss = result.loss = loss.read();  // sync: once per validation
    e.template tell<after_validation>();
    return result;
  }

 private:
  // Returns false where the length ended before the data did.
  bool train_epoch(auto& range, Length length, auto&& validate) {
    const auto known = batches_in(range);
    bool whole = true;
    for_each_batch(range, e.run.batch, e.limit, [&](auto& batch, bool is_last) {
      e.is_last_batch = is_last;
      e.batches_left = known ? std::optional{(e.limit > 0 ? std::min(*known, e.limit) : *known) - e.run.batch} : std::nullopt;
      ++e.run.batch;
      e.template tell<batch_arrival>(batch);
      e.run.samples += static_cast<std::int64_t>(samples_of(batch));

      const auto loss = e.forward([&] { return loss_of(batch); });
      e.add(loss, true);
      const auto outcome = e.after_micro_batch(is_last);

      // once in a while
      if (outcome.closed && std::exchange(e.wants_validation, false)) validate();
      whole = is_last || !(outcome.closed && is_done(length));
      return whole && (is_last || e.stop_reason.empty());
    });
    e.close();  // data that was shorter than its size said
    return whole && e.stop_reason.empty();
  }

  Loss loss_of(auto& batch) {
    if constexpr (requires { Objective::on_output; }) {
      auto output = with_inputs(batch, [&](auto&... inputs) { return call_model(e.model, inputs...); });
      const auto loss = to_loss(objective(output, target_of(batch)));
      e.template tell<after_forward>(output, batch);
      return loss;
    } else if constexpr (requires { objective(e.model, batch); }) return parts_of(objective(e.model, batch));
    else
      static_assert(sizeof(Objective) == 0, "regimen: an objective is rg::CrossEntropy{} and the like, or callable as (model, batch) -> loss; see docs/errors.md#objective");
  }
  // A struct with named parts logs them: `void parts(auto&& log) const { log("kl", kl); }`.
  Loss parts_of(const auto& loss) {
    auto step = Step{e};
    const auto log = [&](std::string_view name, const auto& value) { if (!e.is_validating) step.log(name, value); };
    if constexpr (requires { loss.parts(log); }) loss.parts(log);
    return to_loss(loss);
  }

  void begin_run(auto& train, Length length) {
    if (!(length.count >= 0)) throw Error{"fit", "a negative length", "rg::epochs(n) or another length of at least 0"};
    auto& run = e.run;
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
      open_row();
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
  void end_run() {
    e.run.minutes = e.minutes();
    e.began = std::chrono::steady_clock::now();
    e.run.in_fit = false;
    e.run.batch = 0;
  }
  bool is_done(Length length) const {
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
  void open_row() {
    e.row = EpochReport{};
    e.mean_loss.clear();
    e.logs.clear();
    began_row_ = std::chrono::steady_clock::now();
    samples_at_row_ = e.run.samples;
  }
  EpochReport close_row() {
    auto& row = e.row;
    row.epoch = e.run.epoch + (e.run.batch > 0);
    row.train_loss = e.mean_loss.read();  // sync: once an epoch
    for (const auto& [name, mean] : e.logs) row.set(name, mean.read());  // sync: once an epoch
    row.learning_rate = e.groups().front().rate;
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began_row_;
    row.samples_per_second = static_cast<double>(e.run.samples - samples_at_row_) / took.count();
    row.updates = e.run.updates;
    row.skipped = e.run.skipped;
    e.template tell<report_epoch>();
    auto done = std::move(row);
    open_row();
    return done;
  }

  static constexpr bool validation_is_planned = has_slot(typename Engine::Policies{}, "validation");
  std::chrono::steady_clock::time_point began_row_{};
  std::int64_t samples_at_row_ = 0;
};
}  // namespace regimen::detail
