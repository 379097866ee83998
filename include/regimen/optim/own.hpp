// regimen/optim/own.hpp - runs an own optimizer over the cells of a partition
#pragma once
#include <algorithm>
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
    for (const auto& w : partition.weights)
      if (w.trains() && !(is_dense(w.tensor) && w.tensor.is_floating_point()))
        throw Error{"Trainer", "parameter " + w.name + " is not a dense tensor of real numbers", "a contiguous float, double, bfloat16 or half parameter"};
    state_.resize(partition.weights.size());
    partition.build_cells();
    make_state(partition);
  }

  std::vector<ParameterGroup>& groups() { return groups_; }
  const std::vector<ParameterGroup>& groups() const { return groups_; }

  /// Gradients times the cell's factor, then the rule with the terms it takes; returns how many weights moved.
  std::size_t update(const Partition& partition, const auto&... terms) {
    at::NoGradGuard no_grad;
    for (const auto& cell : partition.cells)
      for (auto i : cell.weights)
        if (partition.takes_part(i)) check_gradient(partition.weights[i]);  // all of them before the first weight moves
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
    make_state(partition);  // loaded options may ask for other tensors: momentum where there was none
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
    const auto need = [&](bool fits, const char* what, double is, const char* write) {
      if (!fits) throw Error{describe(defaults_), "the " + std::string{what} + " of group " + group.name + " is " + std::to_string(is), write};
    };
    const auto need_size = [&](const char* what, double is) { need(is >= 0 && std::isfinite(is), what, is, "a finite number, at least 0"); };
    need_size("learning rate", hyper.lr);
    need_size("weight decay", hyper.weight_decay);
    if constexpr (requires { hyper.eps; }) need_size("eps", hyper.eps);
    if constexpr (requires { hyper.momentum; }) need_size("momentum", hyper.momentum);
    if constexpr (requires { hyper.betas.beta2; })
      for (double beta : {hyper.betas.beta1, hyper.betas.beta2}) need(beta >= 0 && beta < 1, "beta", beta, "a number in [0, 1)");
    if constexpr (requires { hyper.nesterov; hyper.momentum; hyper.dampening; })
      need(!hyper.nesterov || (hyper.momentum > 0 && hyper.dampening == 0), "momentum under nesterov", hyper.momentum, "a momentum above 0 and no dampening");
    return hyper;
  }

  // The tensors that each weight's options ask for, and the lists of them; what is there already stays.
  void make_state(const Partition& partition) {
    bool changed = lists_.empty();
    for (std::size_t i = 0; i < partition.weights.size(); ++i) {
      const auto& w = partition.weights[i];
      if (!w.trains()) continue;
      const auto names = hyper_[w.group].state_names();
      auto& tensors = state_[i].tensors;
      if (std::ranges::equal(names, tensors, {}, {}, [](const auto& known) { return std::string_view{known.first}; })) continue;
      tensors.clear();
      for (auto name : names) tensors.emplace_back(std::string{name}, at::zeros_like(w.tensor.detach()));
      changed = true;
    }
    if (!changed) return;
    lists_.clear();
    for (const auto& cell : partition.cells) lists_.push_back(list_of(partition, cell, cell.weights));
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
  static void check_gradient(const Weight& w) {
    const auto& gradient = w.tensor.grad();
    if (gradient.layout() != at::kStrided)
      throw Error{"Trainer", "the gradient of " + w.name + " is sparse", "a dense layer (`sparse(false)` for an embedding), or a wrapped torch::optim"};
    if (gradient.sizes() != w.tensor.sizes() || gradient.scalar_type() != w.tensor.scalar_type() || gradient.device() != w.tensor.device())
      throw Error{"Trainer", "the gradient of " + w.name + " has another shape, type or device than the weight",
                  "a gradient that backward made, or one like the weight"};
  }
  static at::Tensor fitting(const Weight& w, const at::Tensor& gradient) {
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
