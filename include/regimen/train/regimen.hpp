// regimen/train/regimen.hpp - one optimizer window, for a loop that the user writes
#pragma once
#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "regimen/core/plan.hpp"
#include "regimen/core/rate.hpp"
#include "regimen/train/engine.hpp"

namespace regimen {
namespace detail {
template <class M> constexpr bool held_by_reference = !pointer_like<std::remove_cvref_t<M>>;
/// A module that is an lvalue, and a torch optimizer that is one, are referred to; holders, pointers and rvalues are kept.
template <class M> using HeldModel = std::conditional_t<std::is_lvalue_reference_v<M> && held_by_reference<M>, M, std::remove_cvref_t<M>>;
template <class O> using HeldOptimizer = std::conditional_t<std::is_lvalue_reference_v<O> && !own_optimizer<std::remove_cvref_t<O>>, O, std::remove_cvref_t<O>>;
struct NoObjective {};
template <class M> constexpr bool a_model_with_parameters = has_parameters<M>;
struct NoEngine { NoEngine(auto&&...) {} };  // a refused composition says one thing only
template <bool Ok, class M, class O, class P> struct EngineFor { using type = NoEngine; };
template <class M, class O, class P> struct EngineFor<true, M, O, P> { using type = Engine<M, O, P>; };
}  // namespace detail

/// One optimizer window for loops of one's own (GAN, reinforcement learning, several losses): accumulates, clips, schedules and updates as its policies say.
/// A loop: `auto loss = window.forward([&] { return objective(net(x)); }); window.backward(loss);`, and `window.flush();` after the last batch.
/// Example: `rg::Regimen generator{net_g, rg::Adam{.lr = 2e-4}, rg::ClipNorm<>{1.0}};`
template <class Model, class Optimizer, class... Policies> class Regimen {
  using M = std::remove_cvref_t<Model>;
  using O = std::remove_cvref_t<Optimizer>;
  using Check = detail::Judged<M, O, detail::NoObjective, detail::Flat<Policies...>>;
  static_assert(sizeof(check<M, O, detail::NoObjective, Policies...>) > 0);
  static_assert(!Check::ok || detail::a_model_with_parameters<M>,
                "regimen: the model has no parameters: give a torch module, its holder or a shared_ptr to it; see docs/errors.md#model");

 public:
  explicit Regimen(auto&& model, auto&& optimizer, const Policies&... policies)
      : engine_(std::forward<decltype(model)>(model), std::forward<decltype(optimizer)>(optimizer), detail::sorted_values(policies...)) {
    if constexpr (Check::ok) {
      engine_.own_weights_only = true;
      engine_.template tell<before_run>();
    }
  }
  Regimen(Regimen&&) = default;

  /// Runs `f` with the policies' scopes (autocast) open, and returns its result.
  template <class F> auto forward(F&& f) {
    return engine_.guarded([&] { return engine_.forward(std::forward<F>(f)); });
  }
  /// One micro-batch: adds the gradients of its losses (Tensor, rg::Mean, rg::Sum), and updates when the window is full.
  /// Only this window's weights get a gradient: what else the loss goes through (another model, an input) stays as it is.
  template <class... Losses> StepOutcome backward(const Losses&... losses) {
    static_assert(sizeof...(Losses) > 0, "regimen: backward needs a loss; see docs/errors.md#loss");
    return engine_.guarded([&] {
      std::array<detail::Loss, sizeof...(Losses)> all{detail::to_loss(losses)...};
      bool usable = true;  // a micro-batch counts whole or not at all
      for (const auto& loss : all) usable = engine_.is_usable(loss) && usable;
      if (!usable) for (auto& loss : all) loss.weight = 0;
      for (std::size_t i = 0; i < all.size(); ++i) engine_.add(all[i], i + 1 == all.size(), i + 1 < all.size());
      return engine_.after_micro_batch(false);
    });
  }
  /// Adds the gradient of a further loss to the micro-batch that the next `backward` counts.
  void add(const auto& loss) {
    engine_.guarded([&] { engine_.add(detail::to_loss(loss), false); });
  }
  /// Updates with what a short last window has; one without a micro-batch is dropped, with what `add` put into it.
  StepOutcome flush() {
    return engine_.guarded([&] { return engine_.close(); });
  }

  static constexpr Plan plan() { return detail::make_plan<O>(detail::Sorted<Policies...>{}); }
  const Counters& counters() const { return engine_.run; }
  auto& model() { return engine_.module(); }
  double learning_rate() { return engine_.groups().front().rate; }

 private:
  typename detail::EngineFor<Check::ok && detail::has_parameters<M>, Model, Optimizer, detail::Sorted<Policies...>>::type engine_;
};
template <class M, class O, class... Ps> Regimen(M&&, O&&, const Ps&...) -> Regimen<detail::HeldModel<M>, detail::HeldOptimizer<O>, Ps...>;
}  // namespace regimen
