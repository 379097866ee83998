// regimen/train/table.hpp - plan and parameters as text
#pragma once
#include <algorithm>
#include <cstdio>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "regimen/core/plan.hpp"
#include "regimen/core/window.hpp"
#include "regimen/data/source.hpp"
#include "regimen/objective/loss.hpp"
#include "regimen/optim/rule.hpp"

namespace regimen::detail {
/// Batches of a pass under the limit, where the range says its size.
std::optional<std::int64_t> batches_of_epoch(auto& engine, auto& range) {
  auto known = batches_in(range);
  if (known && engine.limit > 0) known = std::min(*known, engine.limit);
  return known;
}
std::optional<std::int64_t> windows_of_epoch(auto& engine, auto& range) {
  const auto batches = batches_of_epoch(engine, range);
  if (!batches) return std::nullopt;
  return static_cast<std::int64_t>(windows_in(static_cast<std::size_t>(*batches), engine.window_length));
}
template <class Objective> std::string weighing_of(const Objective& objective) {
  if constexpr (requires { objective.weight == per_micro_batch; }) return objective.weight == per_micro_batch ? "all alike (loss/N)" : "by samples";
  else return "all alike, or by the weight that the objective returns";
}

std::string plan_text(const Plan& plan, auto& engine, const auto& objective, auto& range) {
  std::ostringstream out;
  out << plan;
  const auto n = static_cast<std::int64_t>(engine.window_length);
  out << "  window: " << n << " micro-batch" << (n == 1 ? "" : "es") << ", weighted " << weighing_of(objective) << '\n';
  if (const auto batches = batches_of_epoch(engine, range)) {
    out << "  epoch: " << *batches << " batches, " << *windows_of_epoch(engine, range) << " updates";
    if (*batches % n != 0) out << "; last window has " << *batches % n << " of " << n << " micro-batches";
    out << '\n';
  } else out << "  epoch: of unknown length; a short last window divides by its own weight\n";
  return out.str();
}

inline std::string parameters_table(const Partition& partition, const std::vector<ParameterGroup>& groups) {
  std::vector<std::vector<std::string>> rows{{"parameter", "shape", "group", "lr", "weight decay", "state", "tied with"}};
  const auto number = [](double x) { char text[32]; std::snprintf(text, sizeof text, "%g", x); return std::string{text}; };
  std::int64_t trained = 0, frozen = 0;
  for (const auto& w : partition.weights) {
    std::string tied;
    for (const auto& name : w.also) tied += (tied.empty() ? "" : ", ") + name;
    const bool trains = w.trains();
    (trains ? trained : frozen) += w.tensor.numel();
    const auto& group = groups[std::min(w.group, groups.size() - 1)];
    rows.push_back({w.name, shape_of(w.tensor), trains ? group.name : "-", trains ? number(group.base_rate) : "-",
                    trains && group.weight_decay ? number(*group.weight_decay) : "-",
                    trains ? "trains" : !w.frozen_by.empty() ? "frozen by " + w.frozen_by : "not in the optimizer", tied});
  }
  std::vector<std::size_t> width(rows.front().size());
  for (const auto& row : rows)
    for (std::size_t c = 0; c < row.size(); ++c) width[c] = std::max(width[c], row[c].size());
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) line += row[c] + std::string(width[c] - row[c].size() + 2, ' ');
    text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  }
  return text + std::to_string(trained) + " numbers train, " + std::to_string(frozen) + " don't\n";
}
}  // namespace regimen::detail
