// regimen/core/window.hpp - the arithmetic of one optimizer window: what each loss weighs, and what the sum is divided by
#pragma once
#include <cstddef>

namespace regimen {
/// Adds up N micro-batches so that their gradient equals one big batch's.
/// A mean loss over weight w enters backward with factor w / expected; at the end the gradient takes the factor expected / true weight.
/// `expected` is the length times the first non-zero weight: with equal micro-batches each factor is 1/N and the last one exactly 1,
/// so that half-precision gradients have the size that loss/N gives them, and accumulation needs no pass of its own.
/// Example: `rg::Window w; w.open(4); loss.backward(w.root_of_mean(16)); w.add(16); if (w.is_full()) scale(gradients, w.factor());`
class Window {
 public:
  /// Starts a window of `length` micro-batches, at least 1.
  constexpr void open(std::size_t length) { *this = Window{}; is_open_ = true; length_ = length > 0 ? length : 1; }

  /// The factor of a loss that is a mean over `weight` samples or tokens; 0 for weight 0.
  constexpr double root_of_mean(double weight) { return weight > 0 ? weight / expect(weight) : 0; }
  /// The factor of a loss that is a sum over `weight` samples or tokens; 0 for weight 0.
  constexpr double root_of_sum(double weight) { return weight > 0 ? 1 / expect(weight) : 0; }

  /// Counts one micro-batch; weight 0 (no valid target, a loss that is not finite) fills the window and adds nothing.
  constexpr void add(double weight) {
    ++seen_;
    if (weight > 0) weight_ += weight;  // written so that NaN adds nothing
  }

  constexpr std::size_t length() const { return length_; }
  constexpr std::size_t seen() const { return seen_; }
  constexpr double weight() const { return weight_; }
  constexpr bool is_open() const { return is_open_; }
  constexpr bool is_empty() const { return seen_ == 0; }
  constexpr bool is_full() const { return seen_ >= length_; }
  constexpr bool has_gradient() const { return weight_ > 0; }
  /// Will the micro-batch that comes next be the last of this window? `last_batch`: no further one follows in the epoch.
  constexpr bool closes_with_next(bool last_batch) const { return last_batch || seen_ + 1 >= length_; }
  /// What the summed gradient is multiplied by: exactly 1 where all micro-batches weighed the same whole number and the window is full.
  constexpr double factor() const { return weight_ > 0 ? expected_ / weight_ : 0; }

 private:
  constexpr double expect(double weight) {
    if (expected_ == 0) expected_ = weight * static_cast<double>(length_);
    return expected_;
  }

  bool is_open_ = false;
  std::size_t length_ = 1, seen_ = 0;
  double expected_ = 0, weight_ = 0;
};

/// Updates of one epoch: ceil(batches / n), the last window may be short. Example: 10 batches by 4 are 3 updates.
constexpr std::size_t windows_in(std::size_t batches, std::size_t n) { return n == 0 ? 0 : (batches + n - 1) / n; }
}  // namespace regimen
