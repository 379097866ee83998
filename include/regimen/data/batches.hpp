// regimen/data/batches.hpp - shuffled mini-batches of tensors that lie in memory
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string>
#include <utility>

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>

#include "regimen/core/error.hpp"
#include "regimen/data/batch.hpp"
#include "regimen/data/permutation.hpp"

namespace regimen {
struct BatchesOptions {
  std::int64_t batch = 64;  // samples; the last batch of a pass may have fewer
  bool shuffle = true;
  std::uint64_t seed = 0;
  bool drop_last = false;  // leaves a short last batch out
};

/// Passes over samples in memory, batch by batch: row `i` of `inputs` and row `i` of `targets` are one sample.
/// The order depends on (seed, epoch) alone, on every compiler. `begin()` starts the pass of `epoch()` and sets the next one: plain loops see
/// epochs 0, 1, 2, ...; `set_epoch(e)` says which comes next (a trainer does so). A const one can't count: each of its passes is that of `epoch()`
/// (a trainer copies it, and counts).
/// One index_select per tensor where a batch is dereferenced, so that skipping is free; unshuffled batches are views. 8 bytes a sample for the order.
/// An input range in the sense of std and of range-v3. Iterators refer to the tensors, not to the range: it may move or die before them.
/// Throws regimen::Error for tensors that are undefined, empty, of different length or on different devices, and for `.batch` below 1.
/// Example: `rg::Batches train{images, labels, {.batch = 128, .seed = 1}}; for (auto [input, target] : train) ...`
class Batches {
 public:
  class Iterator;

  Batches(at::Tensor inputs, at::Tensor targets, BatchesOptions options = {}) : all_{std::move(inputs), std::move(targets)}, options_{options} { check(); }

  std::size_t size() const {  // batches of a pass
    const auto whole = samples() / options_.batch;
    return static_cast<std::size_t>(whole + (!options_.drop_last && samples() % options_.batch != 0));
  }
  std::int64_t samples() const { return all_.input.size(0); }  // those that `.drop_last` leaves out, too: others in each epoch
  const BatchesOptions& options() const { return options_; }

  std::int64_t epoch() const { return epoch_; }  // of the next pass
  void set_epoch(std::int64_t epoch) { epoch_ = epoch; }

  Iterator begin();
  Iterator begin() const;
  /// A pass without its first `n` batches, which are not gathered; what a resumed run needs.
  Iterator begin_at(std::int64_t n);
  Iterator begin_at(std::int64_t n) const;
  std::default_sentinel_t end() const { return {}; }

 private:
  void check() const {
    const auto refuse = [](const std::string& found, const std::string& write) { throw Error{"Batches", found, write}; };
    for (const auto* t : {&all_.input, &all_.target}) {
      const std::string which = t == &all_.input ? "inputs" : "targets";
      if (!t->defined()) refuse("the " + which + " are an undefined tensor", "a tensor with a row per sample");
      if (t->dim() == 0) refuse("the " + which + " are a single number", "a tensor with a row per sample");
      if (t->size(0) == 0) refuse("the " + which + " have no row", "at least one sample");
    }
    if (all_.input.size(0) != all_.target.size(0))
      refuse(std::to_string(all_.input.size(0)) + " inputs for " + std::to_string(all_.target.size(0)) + " targets", "tensors of one first dimension");
    if (all_.input.device() != all_.target.device())
      refuse("inputs on " + all_.input.device().str() + ", targets on " + all_.target.device().str(), "both on one device");
    if (options_.batch < 1) refuse(".batch is " + std::to_string(options_.batch), "at least 1 sample");
    if (size() == 0) refuse(".drop_last leaves none of " + std::to_string(samples()) + " samples with .batch = " + std::to_string(options_.batch), "a smaller .batch");
  }
  // The numbers of the samples in the order of a pass, where they lie.
  at::Tensor order_of(std::int64_t epoch) const {
    if (!options_.shuffle) return {};
    const auto numbers = permutation(samples(), options_.seed, static_cast<std::uint64_t>(epoch));
    auto order = at::empty({samples()}, at::TensorOptions{}.dtype(at::kLong));
    std::memcpy(order.mutable_data_ptr(), numbers.data(), numbers.size() * sizeof(numbers.front()));
    return order.to(all_.input.device());
  }

  Batch all_;
  BatchesOptions options_;
  std::int64_t epoch_ = 0;
};

/// Where a pass stands; dereferenced, it gathers its batch (each time anew).
class Batches::Iterator {
 public:
  using iterator_concept = std::input_iterator_tag;
  using iterator_category = std::input_iterator_tag;
  using value_type = Batch;
  using difference_type = std::ptrdiff_t;
  using reference = Batch;
  using pointer = void;

  Iterator() = default;
  Batch operator*() const { return {rows_of(all_.input), rows_of(all_.target)}; }
  Iterator& operator++() {
    ++at_;
    return *this;
  }
  Iterator operator++(int) {
    auto was = *this;
    ++at_;
    return was;
  }
  bool operator==(const Iterator& other) const { return at_ == other.at_; }  // of one pass
  bool operator==(std::default_sentinel_t) const { return at_ >= end_; }

 private:
  friend class Batches;
  Iterator(const Batches& set, std::int64_t at)
      : all_{set.all_}, order_{set.order_of(set.epoch_)}, batch_{set.options_.batch}, at_{at < 0 ? 0 : at}, end_{static_cast<std::int64_t>(set.size())} {}

  at::Tensor rows_of(const at::Tensor& all) const {
    const auto first = at_ * batch_, left = all.size(0) - first, count = left < batch_ ? left : batch_;
    return order_.defined() ? all.index_select(0, order_.narrow(0, first, count)) : all.narrow(0, first, count);
  }

  Batch all_{};
  at::Tensor order_{};  // undefined: as they lie
  std::int64_t batch_ = 1, at_ = 0, end_ = 0;
};

inline Batches::Iterator Batches::begin() { return begin_at(0); }
inline Batches::Iterator Batches::begin() const { return begin_at(0); }
inline Batches::Iterator Batches::begin_at(std::int64_t n) {
  Iterator start{*this, n};
  ++epoch_;
  return start;
}
inline Batches::Iterator Batches::begin_at(std::int64_t n) const { return {*this, n}; }
static_assert(std::input_iterator<Batches::Iterator> && std::sentinel_for<std::default_sentinel_t, Batches::Iterator>);
}  // namespace regimen
