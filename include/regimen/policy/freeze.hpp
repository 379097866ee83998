// regimen/policy/freeze.hpp - parameters that do not train
#pragma once
#include <string>

#include "regimen/core/policy.hpp"
#include "regimen/core/selector.hpp"
#include "regimen/core/text.hpp"

namespace regimen {
/// Takes the selected parameters out of training: out of the optimizer, out of autograd, gradient undefined; wholly frozen modules run in eval mode
/// (so that a BatchNorm keeps its statistics) unless `.keep_train_mode`. Selectors are globs over names and module types.
/// Costs nothing per step, saves backward below the lowest trained layer. A selector that matches nothing throws regimen::Error with the nearest names.
/// Equals `requires_grad_(False)` with the parameters left out of the optimizer. Example: `rg::Freeze<"backbone.*", rg::type<torch::nn::BatchNorm2d>>{}`.
template <Selector... S> struct Freeze {
  static_assert(sizeof...(S) > 0, "regimen: Freeze<> selects nothing: write Freeze<\"backbone.*\">; see docs/errors.md#freeze");
  bool keep_train_mode = false;
  bool allow_empty = false;  // nothing left to train is an error otherwise

  struct State {};
  static constexpr Facts facts{.name = "freeze"};
  static constexpr HookSet hooks{.partition = true};

  void partition(auto& draft, State&) const {
    (draft.freeze(draft.template select<S>("Freeze"), "Freeze", keep_train_mode), ...);
    if (allow_empty) draft.allow_empty();
  }
  bool operator==(const Freeze&) const = default;
};
static_assert(policy<Freeze<"*">>);
}  // namespace regimen
