// regimen/policy/param_groups.hpp - groups of parameters with hyperparameters of their own
#pragma once
#include <optional>
#include <string>
#include <tuple>

#include "regimen/core/policy.hpp"
#include "regimen/core/selector.hpp"
#include "regimen/core/text.hpp"
#include "regimen/tensor/partition.hpp"

namespace regimen {
/// Parameters that one glob or module type selects, with what differs from the optimizer; the rest is inherited.
/// Example: `rg::Group<"head.*">{.lr = 1e-2}`.
template <Selector S> struct Group {
  std::optional<double> lr{}, weight_decay{}, momentum{}, eps{};
  std::optional<Betas> betas{};

  void apply(auto& draft) const {
    std::string name{S.view()};
    if constexpr (S.by_type) name = detail::short_name<typename decltype(S)::Type>();
    draft.group(draft.template select<S>("Group"), std::move(name), Overrides{lr, weight_decay, momentum, eps, betas});
  }
  bool operator==(const Group&) const = default;
};

/// No weight decay for biases and norms: all parameters of at most one dimension, whatever group they are in.
/// Equals the usual `no_decay` list of transformers. Example: `rg::ParamGroups{rg::NoDecay{}}`.
struct NoDecay {
  void apply(auto& draft) const {
    std::vector<bool> flat;
    for (const auto& w : draft.weights()) flat.push_back(w.tensor.dim() <= 1);
    draft.no_decay(flat);
  }
  bool operator==(const NoDecay&) const = default;
};

/// Splits the parameters into groups: the first `Group` that matches has a parameter, `NoDecay` acts last, what none matches keeps the optimizer's values.
/// Each trainable tensor is in exactly one group; set-up throws regimen::Error for a group that matches nothing. Costs nothing per step.
/// Equals parameter groups of `torch.optim`. Example: `rg::ParamGroups{rg::Group<"head.*">{.lr = 1e-2}, rg::NoDecay{}}`.
template <class... Parts> struct ParamGroups {
  std::tuple<Parts...> parts{};

  constexpr ParamGroups() = default;
  constexpr ParamGroups(const Parts&... p) requires(sizeof...(Parts) > 0) : parts{p...} {}

  struct State {};
  static constexpr Facts facts{.name = "param_groups", .slot = "groups", .excludes = {"wrapped optimizer"}};
  static constexpr HookSet hooks{.partition = true};

  void partition(auto& draft, State&) const {
    std::apply([&](const auto&... part) {
      (apply_if<false>(part, draft), ...);
      (apply_if<true>(part, draft), ...);
    }, parts);
  }
  bool operator==(const ParamGroups&) const = default;

 private:
  template <bool Last, class Part> static void apply_if(const Part& part, auto& draft) {
    if constexpr (std::is_same_v<Part, NoDecay> == Last) part.apply(draft);
  }
};
template <class... Parts> ParamGroups(const Parts&...) -> ParamGroups<Parts...>;
static_assert(policy<ParamGroups<NoDecay>>);
}  // namespace regimen
