// regimen/core/policy.hpp - what a policy is, and the first thing that is wrong with a type that is not one
#pragma once
#include <concepts>
#include <type_traits>

#include "regimen/core/archive.hpp"
#include "regimen/core/facts.hpp"
#include "regimen/core/hooks.hpp"

namespace regimen {
namespace detail {
enum class Fault : unsigned char {
  none,
  // of one policy
  spoken, not_an_open_class, optimizer_as_policy, objective_as_policy, torch_optimizer_as_policy, no_facts, no_name, no_hooks, no_state,
  misspelt_hook, unlisted_hook, missing_hook, hook_signature, state_not_plain, state_not_archived, field_not_savable, term_without_hook,
  // of a set
  model_is_policy, optimizer_is_policy, not_an_optimizer, objective_is_policy, two_in_slot, written_twice, same_name, excluded, missing_need, same_write
};

struct Verdict {
  Fault fault = Fault::none;
  int first = -1, second = -1;  // of the policies, the culprits
  Label name = label("");       // a hook's or need's name
  Label meant = label("");
};

template <class T> concept own_optimizer = requires { T::facts; T::is_optimizer; };
template <class T> concept torch_optimizer = requires(T& t) { t.param_groups(); t.step(); };
template <class T> concept own_objective = requires { T::is_objective; };
template <class T> concept has_facts = requires { { T::facts } -> std::convertible_to<const Facts&>; };
template <class T> concept has_hook_set = requires { { T::hooks } -> std::convertible_to<const HookSet&>; };
template <class T> concept looks_like_policy = has_facts<T> && has_hook_set<T>;

template <class P> consteval Verdict judge_policy(int index) {
  auto guilty = [&](Fault fault, Label name = label(""), Label meant = label("")) { return Verdict{fault, index, -1, name, meant}; };
  if constexpr (own_optimizer<P>) return guilty(Fault::optimizer_as_policy);
  else if constexpr (own_objective<P>) return guilty(Fault::objective_as_policy);
  else if constexpr (torch_optimizer<P>) return guilty(Fault::torch_optimizer_as_policy);
  else if constexpr (!std::is_class_v<P> || std::is_final_v<P>) return guilty(Fault::not_an_open_class);
  else if constexpr (!requires { &Probe<P>::nobody_has_this_name; }) return guilty(Fault::spoken);  // on clang: an assert of its own has failed
  else if constexpr (!has_facts<P>) return guilty(Fault::no_facts);
  else if constexpr (!has_hook_set<P>) return guilty(Fault::no_hooks);
  else if constexpr (!requires { typename P::State; }) return guilty(Fault::no_state);
  else {
    if (P::facts.name.empty()) return guilty(Fault::no_name);
    constexpr auto wrong = misspelling<P>();
    if (!wrong.wrong.empty()) return guilty(Fault::misspelt_hook, label(wrong.wrong), label(wrong.right));
    for (std::size_t m = 0; m < moment_count; ++m) {
      const auto name = label(moment_names[m]);
      if (has_hook<P>[m] && !listed(P::hooks)[m]) return guilty(Fault::unlisted_hook, name);
      if (!has_hook<P>[m] && listed(P::hooks)[m]) return guilty(Fault::missing_hook, name);
      if (has_hook<P>[m] && !callable_hook<P>[m]) return guilty(Fault::hook_signature, name, label(moment_arguments[m]));
    }
    if (P::hooks.update_term && !P::hooks.after_update) return guilty(Fault::term_without_hook);
    using State = typename P::State;
    if constexpr (!state_is_plain<State>) return guilty(Fault::state_not_plain);
    else if constexpr (!state_is_archived<State>()) return guilty(Fault::state_not_archived);
    else if constexpr (!fields_are_savable<State>()) return guilty(Fault::field_not_savable);
    else return {};
  }
}
}  // namespace detail

/// A class of hyperparameters with `facts`, a `HookSet hooks`, a nested `State`, and a member for each listed hook.
/// A hook promises not to keep the address of what it is given. Example: `static_assert(rg::policy<MyPolicy>);` under the class.
template <class P> concept policy = detail::judge_policy<P>(0).fault == detail::Fault::none;
}  // namespace regimen
