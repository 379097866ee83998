// regimen/train/step.hpp - what a hook sees of the run, and what it may do to it
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "regimen/core/counters.hpp"
#include "regimen/core/duration.hpp"
#include "regimen/core/outcome.hpp"
#include "regimen/core/window.hpp"
#include "regimen/data/parts.hpp"
#include "regimen/tensor/norm.hpp"

namespace regimen {
enum class Reduce : std::uint8_t { sum, max };

/// The view of the run that every hook gets. Valid during the call only.
/// Example: `rg::on<rg::after_update>([](auto& step) { step.log("norm", step.outcome().norm); })`.
template <class Engine> class Step {
 public:
  explicit Step(Engine& engine) : e_{engine} {}

  // Where the run stands.
  const Counters& counters() const { return e_.run; }
  std::int64_t updates() const { return e_.run.updates; }                              // that happened, since the trainer was made
  std::int64_t updates_of_run() const { return e_.run.updates - e_.run.fit_updates; }  // in this call of fit
  std::int64_t epoch() const { return e_.run.epoch; }                                  // passes finished
  std::int64_t epoch_of_run() const { return e_.run.epoch - e_.run.fit_epoch; }
  bool at_epoch_start() const { return e_.run.batch == 0; }  // false after a resume in mid-epoch
  std::optional<std::int64_t> total_updates() const { return e_.total_updates; }  // of this call of fit, if its length is known
  double count_of(Unit unit) const {
    const auto& run = e_.run;
    const double counts[]{double(run.epoch), double(run.updates), double(run.samples), run.tokens, e_.minutes()};
    return counts[static_cast<int>(unit)];
  }
  bool is_validating() const { return e_.is_validating; }
  /// Will this micro-batch end its window? Known before its forward.
  bool closes_window() const { return e_.window.closes_with_next(e_.is_last_batch); }

  // What is trained.
  auto& model() const { return e_.module(); }
  at::Device device() const { return e_.partition.weights.front().tensor.device(); }
  const auto& partition() const { return e_.partition; }
  auto& groups() const { return e_.groups(); }  // name, base_rate, rate
  double learning_rate() const { return e_.groups().front().rate; }
  /// The weights that train, tied ones once.
  std::vector<at::Tensor> weights() const { return e_.trained(); }
  /// Their gradients, those that are defined.
  std::vector<at::Tensor> gradients() const { return e_.gradients(); }
  auto& target_of(auto& batch) const { return detail::target_of(batch); }
  double samples_of(auto& batch) const { return detail::samples_of(batch); }

  // The window.
  void set_window(std::size_t micro_batches) { e_.window_length = micro_batches; }
  const StepOutcome& outcome() const { return e_.outcome; }
  const Window& window() const { return e_.window; }
  /// Multiplies the root gradient of every backward of this window; taken out again before the update.
  void scale_loss(double scale) { e_.loss_scale = scale; }
  /// The P-norm of the true gradient (loss scale and weights taken out), NaN or infinite if an element is; one pass, remembered for this window.
  template <auto P = 2> double norm() { return e_.template norm<P>(); }
  /// Is an element of the gradient not finite? Shares the pass of `norm`.
  bool nonfinite() { return e_.nonfinite(); }
  /// Multiplies the gradients in the update to come: of all cells, or of one.
  void scale_gradients(double factor) { for (auto& cell : e_.partition.cells) cell.factor *= factor; }
  auto& cells() { return e_.partition.cells; }
  /// Vetoes the update of this window: weights, schedule, averages and the count of updates stay.
  void skip(Skip why = Skip::veto) { if (e_.skip == Skip::none) e_.skip = why; }
  /// Joins a value over all processes; with one it is the value.
  template <class T> T reduce(T value, Reduce) const { return value; }

  // The loop.
  void limit_batches(std::int64_t training, std::int64_t validation) { e_.limit = training; e_.validation_limit = validation; }
  void validate() { e_.wants_validation = true; }
  void stop(std::string why) { e_.stop_reason = std::move(why); }

  // What is told.
  /// Adds to the mean that this epoch's report has under `name`; a tensor stays on its device until then.
  void log(std::string_view name, const at::Tensor& value) { e_.logs[std::string{name}].add(value, 1); }
  void log(std::string_view name, double value) { e_.logs[std::string{name}].add(value, 1); }
  /// Sets a value of this epoch's report.
  void report(const std::string& name, double value) { e_.row.set(name, value); }
  const auto& row() const { return e_.row; }
  double mean_loss() const { return e_.mean_loss.read(); }  // of this epoch so far; sync: on a device, when asked for

 private:
  Engine& e_;
};
}  // namespace regimen
