// regimen/optim/wrapped.hpp - runs an existing torch::optim object as it is
#pragma once
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "regimen/core/check.hpp"
#include "regimen/core/error.hpp"
#include "regimen/optim/rule.hpp"
#include "regimen/tensor/draft.hpp"  // for is_tied
#include "regimen/tensor/scale.hpp"

namespace regimen::detail {
/// `O` is a torch::optim class, or a reference to one. Its groups, options and state stay its own; frozen and doubly listed tensors leave its groups.
template <class O> class WrappedOptimizer {
 public:
  static constexpr Facts facts = wrapped_optimizer_facts;
  static constexpr bool takes_terms = false;
  explicit WrappedOptimizer(O optimizer) : optimizer_(std::forward<O>(optimizer)) {}

  void set_up(Partition& partition) {
    for (auto& w : partition.weights) w.updated = false;
    partition.groups.clear();
    auto& groups = optimizer_.param_groups();
    std::vector<std::vector<at::Tensor>> kept(groups.size());  // the user's optimizer is left as it is until all is well
    for (std::size_t g = 0; g < groups.size(); ++g) {
      partition.groups.push_back({"group " + std::to_string(g), {}, false});
      const double rate = groups[g].options().get_lr();
      groups_.push_back({partition.groups.back().name, rate, rate});
      for (const auto& t : groups[g].params()) {
        auto w = std::ranges::find_if(partition.weights, [&](const Weight& known) { return is_tied(known.tensor, t); });
        if (w == partition.weights.end())
          throw Error{"Trainer", "the optimizer holds a tensor of " + std::to_string(t.numel()) + " numbers that is not a parameter of the model",
                      "an optimizer made from this model's parameters()"};
        if (!w->frozen_by.empty()) continue;
        if (w->updated) {  // first match wins: twice would be updated twice
          w->also.push_back("group " + std::to_string(g));
          continue;
        }
        w->updated = true;
        w->group = g;
        kept[g].push_back(w->tensor);  // not an alias of it: gradients are joined in this one
      }
    }
    partition.build_cells();
    if (partition.cells.empty() && std::ranges::any_of(partition.weights, [](const Weight& w) { return w.frozen_by.empty(); }))
      throw Error{"Trainer", "the optimizer holds no parameter that trains", "an optimizer made from this model's parameters()"};
    for (std::size_t g = 0; g < groups.size(); ++g) groups[g].params() = std::move(kept[g]);
  }

  std::vector<ParameterGroup>& groups() { return groups_; }
  const std::vector<ParameterGroup>& groups() const { return groups_; }

  std::size_t update(const Partition& partition) {
    std::size_t moved = 0;
    for (const auto& cell : partition.cells) {
      gradients_.clear();
      for (auto i : cell.weights)
        if (partition.takes_part(i)) gradients_.push_back(partition.weights[i].tensor.grad());
      if (cell.factor != 1) scale(gradients_, cell.factor);
      moved += gradients_.size();
    }
    gradients_.clear();
    if (moved == 0) return 0;
    auto& torch_groups = optimizer_.param_groups();
    for (std::size_t g = 0; g < torch_groups.size(); ++g) {
      auto& options = torch_groups[g].options();
      if (options.get_lr() != groups_[g].rate) options.set_lr(groups_[g].rate);
    }
    optimizer_.step();
    return moved;
  }

  void archive(auto&, const Partition&) const {
    throw Error{"Trainer", "a wrapped torch::optim keeps its state to itself", "rg::AdamW, rg::Adam or rg::SGD where a run is saved"};
  }

 private:
  O optimizer_;
  std::vector<ParameterGroup> groups_;
  std::vector<at::Tensor> gradients_;
};
}  // namespace regimen::detail
