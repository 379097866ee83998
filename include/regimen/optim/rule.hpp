// regimen/optim/rule.hpp - what an own optimizer is: hyperparameters, the names of its state, one pass over a list
#pragma once
#include <concepts>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "regimen/core/facts.hpp"
#include "regimen/tensor/partition.hpp"

namespace regimen {
/// Weights of one cell that have the same number of updates behind them, for one pass: list by list, in the same order.
struct UpdateList {
  at::TensorList weights, gradients;
  std::span<const std::vector<at::Tensor>> state;  // a list per name in `state_names()`
  at::TensorList steps;  // one shared float32 tensor, this update included: an own one each costs 1.5 to 2.8 us a weight
  double rate = 0;
  bool first = false;    // no update is behind them
  std::span<const std::size_t> members{};  // each weight's index in the partition, for terms that keep a tensor beside it
  std::optional<at::Tensor> skip{};  // on a device: 1 leaves everything as it is
};

/// An optimizer of Regimen's own: an aggregate with `lr` and `weight_decay`, `facts`, `state_names()`, and `update(list)`.
/// Its hyperparameters are copied per group, with the group's own values in place. One that says `static constexpr bool takes_terms = true`
/// has `update(list, terms...)`: what `update_term` hooks returned goes into its pass, and the `after_update` of these policies stays silent.
template <class O> concept rule = requires(const O& o, const UpdateList& list) {
  { O::facts } -> std::convertible_to<Facts>;
  { O::is_optimizer } -> std::convertible_to<bool>;
  { double(o.lr) };
  { double(o.weight_decay) };
  { o.state_names() } -> std::convertible_to<std::vector<std::string_view>>;
  { o.update(list) } -> std::same_as<void>;
};

namespace detail {
template <class O> constexpr bool takes_terms = false;
template <class O> requires requires { O::takes_terms; } constexpr bool takes_terms<O> = O::takes_terms;
}  // namespace detail

/// A group of hyperparameters as the run sees it. `rate` is `base_rate` unless a schedule writes it.
struct ParameterGroup {
  std::string name;
  double base_rate = 0, rate = 0;
  std::optional<double> weight_decay{};  // a wrapped torch::optim doesn't tell its own
};
}  // namespace regimen
