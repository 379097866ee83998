// regimen/optim/own.hpp - runs an own optimizer over the cells of a partition
#pragma once
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros_like.h>

#include "regimen/core/describe.hpp"
#include "regimen/core/error.hpp"
#include "regimen/optim/rule.hpp"
#include "regimen/tensor/compat.hpp"
#include "regimen/tensor/scalar.hpp"
#include "regimen/tensor/scale.hpp"

namespace regimen::detail {
/// State per weight, hyperparameters per group, lists per cell. A weight without gradient keeps weight, moments and step count.
template <rule O> class OwnOptimizer {
 public:
  static constexpr Facts facts = O::facts;
  static constexpr bool takes_terms = detail::takes_terms<O>;
  explicit OwnOptimizer(O defaults) : defaults_{std::move(defaults)} {}

  void set_up(Partition& partition) {
    for (const auto& group : partition.groups) {
      hyper_.push_back(resolved(group));
      groups_.push_back({group.name, double(hyper_.back().lr), double(hyper_.back().lr), double(hyper_.back().weight_decay)});
    }
    for (std::size_t i = 0; i < partition.weights.size(); ++i) {
      const auto& w = partition.weights[i];
      state_.push_back({});
      if (!w.trains()) continue;
      if (!is_dense(w.tensor) || !w.tensor.is_floating_point())
        throw Error{"Trainer", "parameter " + w.name + " is not a dense tensor of real numbers", "a contiguous float, double, bfloat16 or half parameter"};
      for (auto name : hyper_[w.group].state_names()) state_[i].tensors.emplace_back(std::string{name}, at::zeros_like(w.tensor.detach()));
    }
    partition.build_cells();
    for (const auto& cell : partition.cells) lists_.push_back(list_of(partition, cell, cell.weights));
  }

  std::vector<ParameterGroup>& groups() { return groups_; }
  const std::vector<ParameterGroup>& groups() const { return groups_; }

  /// Gradients times the cell's factor, then the rule with the terms it takes; returns how many weights moved.
  std::size_t update(const Partition& partition, const auto&... terms) {
    at::NoGradGuard no_grad;
    std::size_t moved = 0;
    for (std::size_t c = 0; c < partition.cells.size(); ++c) moved += update_cell(partition, partition.cells[c], lists_[c], terms...);
    return moved;
  }

  /// Visits all that changes, by the weights' names.
  void archive(auto& a, const Partition& partition) {
    for (std::size_t g = 0; g < groups_.size(); ++g) {  // all options: a state that is loaded brings its own
      const auto key = "group/" + std::to_string(g);
      if constexpr (requires { hyper_[g].archive(a); }) a(key, hyper_[g]);
      a(key + "/base_rate", groups_[g].base_rate);
      a(key + "/rate", groups_[g].rate);
      groups_[g].weight_decay = double(hyper_[g].weight_decay);
    }
    for (std::size_t i = 0; i < state_.size(); ++i) {
      if (!partition.weights[i].trains()) continue;
      a(partition.weights[i].name + "/steps", state_[i].steps);
      for (auto& [name, tensor] : state_[i].tensors) a(partition.weights[i].name + '/' + name, tensor);
    }
  }

 private:
  struct WeightState {
    std::int64_t steps = 0;
    std::vector<std::pair<std::string, at::Tensor>> tensors;
  };
  struct Lists {
    std::vector<at::Tensor> weights, gradients, steps;
    std::vector<std::vector<at::Tensor>> state;
  };

  O resolved(const Partition::Group& group) const {
    O hyper = defaults_;
    const auto& o = group.overrides;
    const auto lacks = [&](const char* what) { throw Error{"ParamGroups", "group " + group.name + " sets " + what + ", which " + describe(defaults_) + " does not have", "only what the optimizer has"}; };
    if (o.lr) hyper.lr = *o.lr;
    if (o.weight_decay) hyper.weight_decay = *o.weight_decay;
    if (group.no_decay) hyper.weight_decay = 0;
    if (o.momentum) { if constexpr (requires { hyper.momentum; }) hyper.momentum = *o.momentum; else lacks("momentum"); }
    if (o.eps) { if constexpr (requires { hyper.eps; }) hyper.eps = *o.eps; else lacks("eps"); }
    if (o.betas) { if constexpr (requires { hyper.betas; }) hyper.betas = *o.betas; else lacks("betas"); }
    if (!(double(hyper.lr) >= 0) || !std::isfinite(double(hyper.lr)))
      throw Error{describe(defaults_), "the learning rate of group " + group.name + " is " + std::to_string(double(hyper.lr)), "a finite number, at least 0"};
    return hyper;
  }

  Lists list_of(const Partition& partition, const Cell& cell, const std::vector<std::size_t>& members) const {
    Lists l;
    const auto step = at::empty({}, at::TensorOptions{}.dtype(at::kFloat).device(cell.device));
    l.state.resize(hyper_[cell.group].state_names().size());
    for (auto i : members) {
      l.weights.push_back(partition.weights[i].tensor);
      l.steps.push_back(step);
      for (std::size_t k = 0; k < l.state.size(); ++k) l.state[k].push_back(state_[i].tensors[k].second);
    }
    l.gradients.reserve(members.size());
    return l;
  }

  std::size_t update_cell(const Partition& partition, const Cell& cell, Lists& lists, const auto&... terms) {
    if (cell.weights.empty()) return 0;
    const auto steps = state_[cell.weights.front()].steps;
    bool alike = true;
    for (auto i : cell.weights) alike = alike && partition.takes_part(i) && state_[i].steps == steps;
    if (alike) return apply(partition, cell, lists, cell.weights, terms...);
    // some have no gradient in this window, or had none in an earlier one: one pass per number of updates
    std::vector<std::vector<std::size_t>> alikes;
    for (auto i : cell.weights) {
      if (!partition.takes_part(i)) continue;
      auto same = alikes.begin();
      while (same != alikes.end() && state_[same->front()].steps != state_[i].steps) ++same;
      if (same == alikes.end()) same = alikes.insert(same, std::vector<std::size_t>{});
      same->push_back(i);
    }
    std::size_t moved = 0;
    for (const auto& members : alikes) {
      auto some = list_of(partition, cell, members);
      moved += apply(partition, cell, some, members, terms...);
    }
    return moved;
  }

  std::size_t apply(const Partition& partition, const Cell& cell, Lists& l, const std::vector<std::size_t>& members, const auto&... terms) {
    l.gradients.clear();
    for (auto i : members) l.gradients.push_back(fitting(partition.weights[i], partition.weights[i].tensor.grad()));
    if (cell.factor != 1) scale(l.gradients, cell.factor);
    auto& steps = state_[members.front()].steps;
    const bool first = steps == 0;
    write_number(l.steps.front(), static_cast<double>(steps + 1));
    const auto& group = groups_[cell.group];
    hyper_[cell.group].update({l.weights, l.gradients, l.state, l.steps, group.rate, first, members, {}}, terms...);
    for (auto i : members) {
      ++state_[i].steps;
      bump_version(partition.weights[i].tensor);  // the fused operators don't
    }
    l.gradients.clear();
    return members.size();
  }

  // The fused operators read memory in the weight's order and check nothing.
  static at::Tensor fitting(const Weight& w, const at::Tensor& gradient) {
    if (gradient.layout() != at::kStrided)
      throw Error{"Trainer", "the gradient of " + w.name + " is sparse", "a dense layer (`sparse(false)` for an embedding), or a wrapped torch::optim"};
    if (gradient.strides() == w.tensor.strides() || (gradient.is_contiguous() && w.tensor.is_contiguous())) return gradient;
    auto copy = at::zeros_like(w.tensor.detach());
    copy.copy_(gradient);
    return copy;
  }

  O defaults_;
  std::vector<O> hyper_;
  std::vector<ParameterGroup> groups_;
  std::vector<WeightState> state_;  // per weight of the partition
  std::vector<Lists> lists_;        // per cell
};
}  // namespace regimen::detail
