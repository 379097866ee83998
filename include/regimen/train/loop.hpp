// regimen/train/loop.hpp - the loop over epochs, in order of time; it knows no policy by name
#pragma once
#include <string>
#include <utility>

#include "regimen/core/duration.hpp"
#include "regimen/core/error.hpp"
#include "regimen/data/parts.hpp"
#include "regimen/data/source.hpp"
#include "regimen/train/books.hpp"
#include "regimen/train/evaluate.hpp"

namespace regimen::detail {
template <class Engine, class Objective> class Loop : public Evaluator<Engine, Objective> {
  using Base = Evaluator<Engine, Objective>;

 public:
  using Base::Base, Base::e;

  /// Trains; `validate()` runs a validation, or does nothing where there is no data for one.
  Report fit(auto& train, Length length, auto&& validate) {
    const Counters before = e.run;
    int barren = 0;  // epochs in a row without an update
    Report report;
    e.guarded([&] {
      const Opened opened{books_, e, train, length};
      e.template tell<before_run>();
      while (!Books::is_done(e, length) || e.run.pass_ended) {
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
        e.run.pass_ended = false;
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

 private:
  // Returns false where the length ended before the data did.
  bool train_epoch(auto& range, Length length, auto&& validate) {
    const auto known = batches_in(range);
    bool whole = true;
    for_each_batch(range, e.run.batch, e.limit, [&](auto& batch, bool is_last) {
      e.is_last_batch = is_last;
      e.batches_left = known ? std::optional{(e.limit > 0 ? std::min(*known, e.limit) : *known) - e.run.batch} : std::nullopt;
      ++e.run.batch;
      e.run.pass_ended = is_last;
      e.template tell<batch_arrival>(batch);
      e.run.samples += static_cast<std::int64_t>(samples_of(batch));

      const auto loss = e.forward([&] { return this->loss_of(batch); });
      e.add(loss, true);
      const auto outcome = e.after_micro_batch(is_last);

      if (outcome.closed) {
        if (std::exchange(e.wants_validation, false)) validate();
        e.template tell<checkpoint>();
      }
      whole = is_last || (e.stop_reason.empty() && !(outcome.closed && Books::is_done(e, length)));
      return whole;
    });
    e.close();  // data that was shorter than its size said
    return whole;
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
