// regimen/objective/loss.hpp - what an objective may return, brought to one form
#pragma once
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include "regimen/core/error.hpp"
#include "regimen/tensor/scalar.hpp"

namespace regimen {
/// A loss that is a mean over `weight` samples. Example: `return rg::Mean{loss, 16};`
struct Mean {
  at::Tensor value;
  double weight = 1;  // in the window
  double count = 1;   // of samples, for the mean that is reported

  Mean(at::Tensor v, double w, double n) : value{std::move(v)}, weight{w}, count{n} {}
  template <class N> requires std::is_arithmetic_v<N>  // x.size(0) too
  Mean(at::Tensor v, N w) : Mean{std::move(v), static_cast<double>(w), static_cast<double>(w)} {}
};
/// A loss that is a sum over `weight` tokens: the window divides by all its tokens, as one big batch would.
/// The weight may be a number or a tensor of one element (read on the host). Example: `return rg::Sum{loss_sum, mask.sum()};`
struct Sum {
  at::Tensor value;
  double weight = 1;

  template <class N> requires std::is_arithmetic_v<N> Sum(at::Tensor v, N w) : value{std::move(v)}, weight{static_cast<double>(w)} {}
  Sum(at::Tensor v, const at::Tensor& w) : value{std::move(v)}, weight{detail::read_number(w)} {}
};

/// How micro-batches are weighed against each other in a window: by samples, as one big batch would be, or all the same, as loss/N does.
enum class Weighing : std::uint8_t { by_samples, per_micro_batch };
inline constexpr Weighing by_samples = Weighing::by_samples, per_micro_batch = Weighing::per_micro_batch;

namespace detail {
struct Loss {
  at::Tensor value;
  double weight = 1;
  bool is_sum = false;
  double count = 0;  // of samples, for the mean that is reported; 0: the batch says it
};
template <class T> concept pair_of_loss_and_weight = requires(const T& t) { Sum{t.first, t.second}; } || requires(const T& t) { Sum{t.sum, t.weight}; };

/// A Tensor, Mean, Sum, {sum, weight}, or a struct with a member `loss` that is one of these.
template <class T> Loss to_loss(const T& loss) {
  if constexpr (std::is_convertible_v<const T&, at::Tensor>) return {loss, 1};
  else if constexpr (std::is_same_v<T, Mean>) return {loss.value, loss.weight, false, loss.count};
  else if constexpr (std::is_same_v<T, Sum>) return {loss.value, loss.weight, true, loss.weight};
  else if constexpr (requires { Sum{loss.first, loss.second}; }) return to_loss(Sum{loss.first, loss.second});
  else if constexpr (requires { Sum{loss.sum, loss.weight}; }) return to_loss(Sum{loss.sum, loss.weight});
  else if constexpr (requires { to_loss(loss.loss); }) return to_loss(loss.loss);
  else static_assert(sizeof(T) == 0, "regimen: an objective returns a Tensor, rg::Sum{sum, weight}, or a struct with a member `loss`; see docs/errors.md#loss");
}
inline void check_loss(const at::Tensor& loss) {
  if (!loss.defined()) throw Error{"objective", "it returned an undefined tensor", "a scalar loss"};
  if (loss.numel() != 1) throw Error{"objective", "its loss has " + std::to_string(loss.numel()) + " elements", "a scalar: .mean() or .sum()"};
  if (!loss.requires_grad()) throw Error{"objective", "its loss has no gradient", "a loss computed from the model's output, without detach() or a no_grad guard"};
}
inline std::string shape_of(const at::Tensor& t) {
  std::string text = "[";
  for (auto n : t.sizes()) text += (text.size() > 1 ? ", " : "") + std::to_string(n);
  return text + "]";
}
/// The class indices of a target, or of probabilities, for logits [batch, classes, ...]; a shape that would broadcast throws.
inline at::Tensor classes_of(const char* who, const at::Tensor& output, const at::Tensor& target) {
  const bool soft = output.dim() > 1 && target.sizes() == output.sizes() && target.is_floating_point();
  bool fits = soft || (output.dim() > 1 && target.dim() + 1 == output.dim());
  for (int64_t d = 0; fits && !soft && d < target.dim(); ++d) fits = target.size(d) == output.size(d == 0 ? 0 : d + 1);
  if (!fits) throw Error{who, "target " + shape_of(target) + " for logits " + shape_of(output), "targets [batch] for logits [batch, classes]"};
  return soft ? target.argmax(1) : target;
}
}  // namespace detail
}  // namespace regimen
