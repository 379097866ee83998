// regimen/core/check.hpp - every rule of composition; the first one broken speaks, alone
#pragma once
#include <cstddef>
#include <tuple>
#include <type_traits>

#include "regimen/core/policy.hpp"
#include "regimen/core/recipe.hpp"

namespace regimen {
namespace detail {
inline constexpr Facts wrapped_optimizer_facts{.name = "torch::optim", .slot = "wrapped optimizer", .passes = 1,
                                               .not_capturable = "a wrapped torch::optim counts its steps on the host"};
template <class O> constexpr Facts optimizer_facts() {
  if constexpr (own_optimizer<O>) return O::facts;
  else return wrapped_optimizer_facts;
}

template <class Model, class O, class Objective, class... Ps> consteval Verdict judge(Pack<Ps...>) {
  if constexpr (looks_like_policy<Model>) return {Fault::model_is_policy};
  else if constexpr (looks_like_policy<O> && !own_optimizer<O>) return {Fault::optimizer_is_policy};
  else if constexpr (!own_optimizer<O> && !torch_optimizer<O>) return {Fault::not_an_optimizer};
  else if constexpr (looks_like_policy<Objective> || own_optimizer<Objective>) return {Fault::objective_is_policy};
  else {
    Verdict verdict;
    [[maybe_unused]] int index = 0;
    ((verdict = verdict.fault == Fault::none ? judge_policy<Ps>(index++) : verdict), ...);
    if (verdict.fault != Fault::none) return verdict;
    if constexpr ((looks_like_policy<Ps> && ...)) {
      constexpr int n = sizeof...(Ps);
      const Facts facts[n + 1]{Ps::facts..., optimizer_facts<O>()};
      const HookSet hooks[n + 1]{Ps::hooks..., HookSet{}};
      const std::size_t types[n + 1]{index_in<Ps>(Pack<Ps...>{})..., n};  // not the spellings: two lambdas may share one, globs on clang 14 too
      for (int i = 0; i < n; ++i)
        for (int j = i + 1; j < n; ++j) {
          const auto &a = facts[i], &b = facts[j];
          if (!a.slot.empty() && a.slot == b.slot) return {Fault::two_in_slot, i, j, label(a.slot)};
          if (types[i] == types[j] && !a.in_order) return {Fault::written_twice, i, j};
          if (a.name == b.name && !a.slot.empty() && !b.slot.empty()) return {Fault::same_name, i, j};
          if (names_any(a.excludes, b) || names_any(b.excludes, a)) return {Fault::excluded, i, j};
          const auto moments_a = listed(hooks[i]), moments_b = listed(hooks[j]);
          bool share = false;
          for (auto m = static_cast<std::size_t>(before_epoch); m < moment_count; ++m) share = share || (moments_a[m] && moments_b[m]);
          for (auto what : a.writes)
            if (share && has_name(b.writes, what) && !names_any(a.after, b) && !names_any(b.after, a) && !(a.in_order && b.in_order))
              return {Fault::same_write, i, j, label(what)};
        }
      for (int i = 0; i < n; ++i) {
        if (names_any(facts[i].excludes, facts[n])) return {Fault::excluded, i, n};
        for (auto need : facts[i].needs) {
          bool met = need.empty() || is_called(facts[n], need);
          if constexpr (requires { Objective::on_output; }) met = met || (need == "output" && Objective::on_output);
          for (int j = 0; j < n; ++j) met = met || (j != i && is_called(facts[j], need));
          if (!met) return {Fault::missing_need, i, -1, label(need)};
        }
      }
    }
    return verdict;
  }
}

// The culprit as a type, or void where another rule, or none, is broken: a bool template fed with it prints it.
template <int I, class O, class... Ps> struct Nth { using type = std::tuple_element_t<I, std::tuple<Ps..., O>>; };
template <class O, class... Ps> struct Nth<-1, O, Ps...> { using type = void; };

template <class A> constexpr bool an_open_class = std::is_void_v<A>;
template <class A> constexpr bool a_policy_and_no_optimizer = std::is_void_v<A>;
template <class A> constexpr bool a_policy_and_no_objective = std::is_void_v<A>;
template <class A> constexpr bool has_facts_and_hooks = std::is_void_v<A>;
template <class A> constexpr bool has_a_state = std::is_void_v<A>;
template <class A, auto Wrong, auto Meant> constexpr bool hook_is_spelt_right = std::is_void_v<A>;
template <class A, auto Hook> constexpr bool hook_is_listed = std::is_void_v<A>;
template <class A, auto Hook> constexpr bool listed_hook_exists = std::is_void_v<A>;
template <class A, auto Hook, auto Arguments> constexpr bool hook_fits = std::is_void_v<A>;
template <class A> constexpr bool term_has_a_hook = std::is_void_v<A>;
template <class A> constexpr bool state_is_an_aggregate = std::is_void_v<A>;
template <class A> constexpr bool state_names_all_fields = std::is_void_v<A>;
template <class A> constexpr bool state_can_be_saved = std::is_void_v<A>;
template <class A> constexpr bool a_model = std::is_void_v<A>;
template <class A> constexpr bool an_optimizer = std::is_void_v<A>;
template <class A> constexpr bool an_objective = std::is_void_v<A>;
template <class A, class B> constexpr bool one_policy_per_slot = std::is_void_v<A>;
template <class A> constexpr bool written_once = std::is_void_v<A>;
template <class A, class B> constexpr bool have_names_of_their_own = std::is_void_v<A>;
template <class A, class B> constexpr bool go_together = std::is_void_v<A>;
template <class A, auto Missing> constexpr bool has_what_it_needs = std::is_void_v<A>;
template <class A, class B, auto What> constexpr bool write_in_a_stated_order = std::is_void_v<A>;

template <class Model, class O, class Objective, class P> struct Judged;
template <class Model, class O, class Objective, class... Ps> struct Judged<Model, O, Objective, Pack<Ps...>> {
  static constexpr Verdict verdict = judge<Model, O, Objective>(Pack<Ps...>{});
  static constexpr bool ok = verdict.fault == Fault::none;
  template <Fault F> using first = typename Nth<verdict.fault == F ? verdict.first : -1, O, Ps...>::type;
  template <Fault F> using second = typename Nth<verdict.fault == F ? verdict.second : -1, O, Ps...>::type;
  template <Fault F, class T> using part = std::conditional_t<verdict.fault == F, T, void>;
};
}  // namespace detail

/// All rules of composition; instantiating it reports the first one that the set breaks, with its culprits as types.
/// Example: `template struct rg::check<Net, rg::AdamW, rg::CrossEntropy, rg::Accumulate<4>, rg::ClipNorm<>>;`
template <class Model, class Optimizer, class Objective, class... Policies> struct check {
  static_assert(((sizeof(Policies) > 0) && ...));  // what a policy checks of its own arguments speaks from here, not from deep inside
  using J = detail::Judged<Model, Optimizer, Objective, detail::Flat<Policies...>>;
  using F = detail::Fault;
  static constexpr auto name = detail::cut<J::verdict.name>();
  static constexpr auto meant = detail::cut<J::verdict.meant>();

  // One assert per way to be wrong, flat, each message on its own line.
  static_assert(detail::an_open_class<typename J::template first<F::not_an_open_class>>,
                "regimen: a policy is a class that is not final; see docs/errors.md#open-class");
  static_assert(detail::a_policy_and_no_optimizer<typename J::template first<F::optimizer_as_policy>>,
                "regimen: this is an optimizer: write it second, rg::Trainer{model, optimizer, objective, policies...}; see docs/errors.md#order");
  static_assert(detail::a_policy_and_no_optimizer<typename J::template first<F::torch_optimizer_as_policy>>,
                "regimen: this is a torch optimizer: write it second, rg::Trainer{model, optimizer, objective, policies...}; see docs/errors.md#order");
  static_assert(detail::a_policy_and_no_objective<typename J::template first<F::objective_as_policy>>,
                "regimen: this is an objective: write it third, rg::Trainer{model, optimizer, objective, policies...}; see docs/errors.md#order");
  static_assert(detail::has_facts_and_hooks<typename J::template first<F::no_facts>>,
                "regimen: not a policy: one has `static constexpr rg::Facts facts{.name = \"...\"}`; see docs/errors.md#facts");
  static_assert(detail::has_facts_and_hooks<typename J::template first<F::no_name>>,
                "regimen: a policy's facts need a name: `static constexpr rg::Facts facts{.name = \"...\"}`; see docs/errors.md#facts");
  static_assert(detail::has_facts_and_hooks<typename J::template first<F::no_hooks>>,
                "regimen: a policy lists its hooks: `static constexpr rg::HookSet hooks{.after_update = true}`; see docs/errors.md#hooks");
  static_assert(detail::has_a_state<typename J::template first<F::no_state>>,
                "regimen: a policy has a public `struct State`, `struct State {};` if it keeps nothing; see docs/errors.md#state");
  static_assert(detail::hook_is_spelt_right<typename J::template first<F::misspelt_hook>, name, meant>,
                "regimen: no moment has this name: write the second one shown; see docs/errors.md#misspelt");
  static_assert(detail::hook_is_listed<typename J::template first<F::unlisted_hook>, name>,
                "regimen: this hook is not in `hooks`: list it, or it would never be called; see docs/errors.md#hooks");
  static_assert(detail::listed_hook_exists<typename J::template first<F::missing_hook>, name>,
                "regimen: `hooks` lists this hook but the policy has no such member; see docs/errors.md#hooks");
  static_assert(detail::hook_fits<typename J::template first<F::hook_signature>, name, meant>,
                "regimen: wrong signature: write `void HOOK(auto& step, State& state) const`, with the arguments shown; see docs/errors.md#hook");
  static_assert(detail::term_has_a_hook<typename J::template first<F::term_without_hook>>,
                "regimen: a policy with an update_term also has after_update, for optimizers that can't take the term; see docs/errors.md#term");
  static_assert(detail::state_is_an_aggregate<typename J::template first<F::state_not_plain>>,
                "regimen: State must be an aggregate: no constructors, no private members; see docs/errors.md#state");
  static_assert(detail::state_names_all_fields<typename J::template first<F::state_not_archived>>,
                "regimen: State must name each field once: `constexpr void archive(auto& a) { a(\"name\", field); }`; see docs/errors.md#archive");
  static_assert(detail::state_can_be_saved<typename J::template first<F::field_not_savable>>,
                "regimen: State has a field that can't be saved: use numbers, strings, tensors, vectors and maps of them; see docs/errors.md#archive");
  static_assert(detail::a_model<typename J::template part<F::model_is_policy, Model>>,
                "regimen: the model stands first: write rg::Trainer{model, optimizer, objective, policies...}; see docs/errors.md#order");
  static_assert(detail::an_optimizer<typename J::template part<F::optimizer_is_policy, Optimizer>>,
                "regimen: the optimizer stands second: write rg::Trainer{model, rg::AdamW{.lr = 1e-3}, objective, policies...}; see docs/errors.md#order");
  static_assert(detail::an_optimizer<typename J::template part<F::not_an_optimizer, Optimizer>>,
                "regimen: not an optimizer: write rg::AdamW, rg::Adam, rg::SGD or a torch::optim object second; see docs/errors.md#order");
  static_assert(detail::an_objective<typename J::template part<F::objective_is_policy, Objective>>,
                "regimen: the objective stands third: write rg::CrossEntropy{}, or a callable (model, batch) -> loss; see docs/errors.md#order");
  static_assert(detail::one_policy_per_slot<typename J::template first<F::two_in_slot>, typename J::template second<F::two_in_slot>>,
                "regimen: these two policies do the same job: keep one; see docs/errors.md#slot");
  static_assert(detail::written_once<typename J::template first<F::written_twice>>,
                "regimen: this policy stands twice with the same type: keep one; see docs/errors.md#twice");
  static_assert(detail::have_names_of_their_own<typename J::template first<F::same_name>, typename J::template second<F::same_name>>,
                "regimen: these two have the same `facts.name`, and a saved run would mix them up: rename one; see docs/errors.md#name");
  static_assert(detail::go_together<typename J::template first<F::excluded>, typename J::template second<F::excluded>>,
                "regimen: these two can't work together: take one out; see docs/errors.md#excludes");
  static_assert(detail::has_what_it_needs<typename J::template first<F::missing_need>, name>,
                "regimen: this policy needs another that is not there: add the one named (\"output\": an objective on output and target); see docs/errors.md#needs");
  static_assert(detail::write_in_a_stated_order<typename J::template first<F::same_write>, typename J::template second<F::same_write>, name>,
                "regimen: two policies write the same thing in one moment: say `.after = {\"other\"}` in one's facts; see docs/errors.md#writes");
  static constexpr bool ok = J::ok;
};
}  // namespace regimen
