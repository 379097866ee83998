// regimen/train/loop.hpp - the loop over epochs, in order of time; it knows no policy by name
#pragma once
#include <string>
#include <utility>

#include "regimen/core/duration.hpp"
#include "regimen/core/error.hpp"
#include "regimen/data/parts.hpp"
#include "regimen/data/source.hpp"
#include "regimen/train/books.hpp"
#include "regimen/train/engine.hpp"

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
    e.guarded([&] {
      const Opened opened{books_, e, train, length};
      e.template tell<before_run>();
      while (!Books::is_done(e, length)) {
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
        report.epochs.push_back(books_.close_row(e));
        e.template tell<checkpoint>();
      }
      if (e.run.batch > 0) {  // a part of an epoch
        if (!validation_is_planned) validate();
        report.epochs.push_back(books_.close_row(e));
      }
      e.template tell<after_run>();
    });
    report.ended = e.stop_reason.empty() ? "length" : e.stop_reason;
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
    e.doing = "validation";
    DeviceMean loss;
    Evaluation result;
    with_range(data, 0, [&](auto& range) {
      return for_each_batch(range, 0, e.validation_limit, [&](auto& batch, bool) {
        e.template tell<batch_arrival>(batch);
        const Loss value = e.in_scopes([&] { return loss_of(batch); });
        if (value.weight > 0) loss.add(value.value, value.is_sum ? 1 : value.count, value.count);
        ++result.batches;
        result.samples += samples_of(batch);
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

      if (outcome.closed) {
        if (std::exchange(e.wants_validation, false)) validate();
        e.template tell<checkpoint>();
      }
      whole = is_last || !(outcome.closed && Books::is_done(e, length));
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
    } else if constexpr (requires { objective(e.model, batch); }) {
      auto loss = parts_of(objective(e.model, batch));
      if (loss.count == 0) loss.count = samples_of(batch);
      return loss;
    } else
      static_assert(sizeof(Objective) == 0, "regimen: an objective is rg::CrossEntropy{} and the like, or callable as (model, batch) -> loss; see docs/errors.md#objective");
  }
  // A struct with named parts logs them: `void parts(auto&& log) const { log("kl", kl); }`.
  Loss parts_of(const auto& loss) {
    auto step = Step{e};
    const auto log = [&](std::string_view name, const auto& value) { if (!e.is_validating) step.log(name, value); };
    if constexpr (requires { loss.parts(log); }) loss.parts(log);
    return to_loss(loss);
  }

  static constexpr bool validation_is_planned = has_slot(typename Engine::Policies{}, "validation");
  struct Opened {  // a call of fit that throws is over, too
    Books& books;
    Engine& e;
    Opened(Books& b, Engine& engine, auto& train, Length length) : books{b}, e{engine} { books.open(e, train, length); }
    Opened(const Opened&) = delete;
    ~Opened() { books.close(e); }
  };
  Books books_{};
};
}  // namespace regimen::detail
