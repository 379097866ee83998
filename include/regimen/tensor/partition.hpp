// regimen/tensor/partition.hpp - parameters, frozen or in groups, as everything downstream sees them
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "regimen/tensor/compat.hpp"

namespace regimen {
struct Betas {
  double beta1 = 0.9, beta2 = 0.999;
  bool operator==(const Betas&) const = default;
};

/// What a group may set; what is unset is inherited from the optimizer. One that the optimizer lacks is an error at set-up.
struct Overrides {
  std::optional<double> lr{}, weight_decay{}, momentum{}, eps{};
  std::optional<Betas> betas{};
  bool operator==(const Overrides&) const = default;
};

/// One parameter tensor of the model, with all names that reach it.
struct Weight {
  std::string name;               // the first in order of registration
  std::vector<std::string> also;  // tied with
  at::Tensor tensor;
  std::vector<at::Tensor> aliases;  // other tensors over the same memory: their gradients belong to this one
  std::size_t group = 0;  // index into Partition::groups
  std::string frozen_by;  // empty: trains
  bool updated = true;    // false: a wrapped optimizer doesn't hold it

  bool trains() const { return frozen_by.empty() && updated; }
};

/// (rule, group, device, dtype, layout): the unit of norm, factor, update, save and table.
struct Cell {
  std::size_t rule = 0, group = 0;
  at::Device device = at::kCPU;
  at::ScalarType dtype = at::kFloat;
  at::Layout layout = at::kStrided;
  std::vector<std::size_t> weights;  // indices into Partition::weights
  double factor = 1;                 // of the gradients in the next update
};

/// Parameters, frozen or in groups of hyperparameters, and their cells. `version` rises whenever the cells are built anew.
struct Partition {
  struct Group { std::string name; Overrides overrides; bool no_decay = false; };
  std::vector<Weight> weights;
  std::vector<Group> groups;
  std::vector<Cell> cells;
  std::vector<std::string> frozen_modules;  // wholly frozen, with '.' behind; kept in eval mode
  std::uint64_t version = 0;

  /// Does this weight take part in the next update? Nothing else asks.
  bool takes_part(std::size_t weight) const { return weights[weight].tensor.grad().defined(); }

  /// Sorts the weights that train into cells, in their order; called when groups, devices or memory have changed.
  void build_cells() {
    cells.clear();
    ++version;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const auto& w = weights[i];
      if (!w.trains()) continue;
      const auto fits = [&](const Cell& c) {
        return c.group == w.group && c.device == w.tensor.device() && c.dtype == w.tensor.scalar_type() && c.layout == w.tensor.layout();
      };
      auto cell = std::find_if(cells.begin(), cells.end(), fits);
      if (cell == cells.end())
        cell = cells.insert(cell, Cell{.group = w.group, .device = w.tensor.device(), .dtype = w.tensor.scalar_type(), .layout = w.tensor.layout(), .weights = {}});
      cell->weights.push_back(i);
    }
  }
};
}  // namespace regimen
