// regimen/train/trainer.hpp - epochs over data: training, validation, report
#pragma once
#include <limits>
#include <ostream>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "regimen/core/plan.hpp"
#include "regimen/core/rate.hpp"
#include "regimen/core/recipe.hpp"
#include "regimen/data/parts.hpp"
#include "regimen/data/source.hpp"
#include "regimen/train/loop.hpp"
#include "regimen/train/regimen.hpp"
#include "regimen/train/run_state.hpp"
#include "regimen/train/table.hpp"

namespace regimen {
namespace detail {
template <class... Given> struct Handed { Values<Given&...> parts; };  // arguments of a call, with how they were given
template <class P, class Set> constexpr bool has_policy = index_in<P>(Set{}) < Set::size;
template <bool Ok, class M, class O, class L, class P> struct LoopFor { using type = NoEngine; };
template <class M, class O, class L, class P> struct LoopFor<true, M, O, L, P> { using type = Loop<Engine<M, O, P>, L>; };
template <bool Ok, class M, class O, class L, class P> using LoopIf = typename LoopFor<Ok, M, O, L, P>::type;
}  // namespace detail

/// Trains a model with an optimizer towards an objective, as its policies say. Their order has no meaning; a set that makes no sense does not compile.
/// Lvalue modules and torch optimizers are referred to, everything else is kept; a trainer moves, doesn't copy.
/// Example: `rg::Trainer trainer{net, rg::AdamW{.lr = 1e-3}, rg::CrossEntropy{}, rg::Accumulate<4>{}}; trainer.fit(train, validation, rg::epochs(5));`
template <class Model, class Optimizer, class Objective, class... Policies> class Trainer {
  using M = std::remove_cvref_t<Model>;
  using O = std::remove_cvref_t<Optimizer>;
  using Check = detail::Judged<M, O, Objective, detail::Flat<Policies...>>;
  static constexpr bool ok = Check::ok && detail::has_parameters<M>;
  static_assert(sizeof(check<M, O, Objective, Policies...>) > 0);
  static_assert(!Check::ok || detail::a_model_with_parameters<M>,
                "regimen: the model has no parameters: give a torch module, its holder or a shared_ptr to it; see docs/errors.md#model");

 public:
  /// Model, optimizer, objective, policies, in this order; what the call leaves out of the spelled types is value-initialised.
  template <class... Given> explicit Trainer(Given&&... given)
      : Trainer(std::index_sequence_for<Policies...>{}, detail::Handed<Given...>{detail::Values<Given&...>{given...}}) {
    static_assert(!(std::is_same_v<std::remove_cvref_t<Given>, Trainer> || ...),
                  "regimen: a trainer moves, it doesn't copy: write std::move(trainer), or load(trainer.save()) into another; see docs/errors.md#copy");
    static_assert(detail::has_a_default<typename detail::Lacking<sizeof...(Given), Model, Optimizer, Objective, Policies...>::type>,
                  "regimen: this part has no default (no learning rate anywhere?): write it in the call, as rg::SGD{.lr = 0.1}; see docs/errors.md#rate");
    static_assert(sizeof...(Given) >= 1 && sizeof...(Given) <= 3 + sizeof...(Policies), "regimen: write rg::Trainer{model, optimizer, objective, policies...}; see docs/errors.md#order");
  }
  Trainer(Trainer&&) = default;

  /// Trains on `train` for a length in epochs, steps, samples, tokens or minutes, and validates on `validation` after each epoch (or as Validate says).
  /// Data is anything that a range-for accepts, a pointer to such, or a function of the epoch that returns such. A second call goes on.
  /// Throws what the model, the data or a policy throws; then no gradient is left and the window is empty.
  Report fit(auto&& train, auto&& validation, Length length) {
    if constexpr (ok) return loop_.fit(train, length, [&] { loop_.evaluate(validation); });
    else return Report{};
  }
  Report fit(auto&& train, Length length) {
    if constexpr (ok) return loop_.fit(train, length, [] {});
    else return Report{};
  }
  /// Loss and metrics over `data` in eval mode, without gradients, in the policies' scopes; every module's own mode comes back, also on exceptions.
  Evaluation evaluate(auto&& data) {
    if constexpr (ok) return loop_.evaluate(data);
    else return Evaluation{};
  }

  /// What one window costs and who acts when. Example: `static_assert(decltype(trainer)::plan().host_syncs == 0);`
  static constexpr Plan plan() { return detail::make_plan<O>(detail::Sorted<Policies...>{}); }
  /// The same, with what the data adds: updates per epoch and the short last window.
  std::string plan(auto&& train) {
    return detail::with_range(train, e().run.epoch, [&](auto& range) { return detail::plan_text(plan(), e(), loop_.objective, range); });
  }
  /// Every parameter: name, shape, group, rate, weight decay, frozen, tied with.
  std::string parameters_table() { return detail::parameters_table(e().partition, e().groups()); }

  /// A policy's state. Example: `trainer.get<rg::Amp<>>().loss_scale.scale`.
  template <class P> auto& get() {
    constexpr auto index = detail::index_in<P>(detail::Sorted<Policies...>{});
    static_assert(detail::has_policy<P, detail::Sorted<Policies...>>, "regimen: this trainer has no such policy; see docs/errors.md#get");
    if constexpr (detail::has_policy<P, detail::Sorted<Policies...>>) return detail::at<index>(e().cast.states);
    else return detail::no_value<typename P::State&>();
  }
  const Counters& counters() const { return loop_.e.run; }
  auto& model() { return e().module(); }
  double learning_rate() { return e().groups().front().rate; }
  const Partition& partition() const { return loop_.e.partition; }

  /// All that changes in a run, copied into memory; loaded into a trainer of the same composition it goes on with the same bits.
  StateMap save() { return detail::save_run(e()); }
  void load(const StateMap& state) { detail::load_run(e(), state); }

 private:
  template <std::size_t... I, class... Given> Trainer(std::index_sequence<I...>, detail::Handed<Given...>&& given)
      : loop_(part<0, Model>(given), part<1, Optimizer>(given), part<2, Objective>(given), detail::sorted_values(part<3 + I, Policies>(given)...)) {}

  template <std::size_t I, class Part, class... Given> static decltype(auto) part(const detail::Handed<Given...>& given) {
    if constexpr ((std::is_same_v<std::remove_cvref_t<Given>, Trainer> || ...)) return detail::no_value<Part>();
    else if constexpr (I < sizeof...(Given)) return std::forward<std::tuple_element_t<I, std::tuple<Given...>>>(detail::at<I>(given.parts));
    else if constexpr (std::is_default_constructible_v<Part>) return left_out<Part>();
    else return detail::no_value<Part>();  // the constructor has spoken
  }
  auto& e() { return loop_.e; }

  detail::LoopIf<ok, Model, Optimizer, Objective, detail::Sorted<Policies...>> loop_;
};
template <class M, class O, class L, class... Ps> Trainer(M&&, O&&, L&&, const Ps&...)
    -> Trainer<detail::HeldModel<M>, detail::HeldOptimizer<O>, std::remove_cvref_t<L>, Ps...>;
}  // namespace regimen
