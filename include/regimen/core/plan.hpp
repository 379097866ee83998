// regimen/core/plan.hpp - the window as it will run, as the sum of facts
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string_view>
#include <tuple>
#include <utility>

#include "regimen/core/check.hpp"
#include "regimen/core/order.hpp"

namespace regimen {
/// What one window costs beside forward and backward, and who acts when; printable, and readable in a static_assert.
/// Example: `static_assert(decltype(trainer)::plan().host_syncs == 0);`
struct Plan {
  int passes = 0;       // over the gradients, the update's own included
  double bytes = 0;     // moved per float32 parameter
  int host_syncs = 0;   // on CUDA; the CPU has none
  int allocations = 0;  // of tensors, after the first window
  bool rewrites_gradients = false;
  std::string_view not_capturable{};  // the first reason why the window can't be a CUDA graph; empty if it can
  std::string_view optimizer{};
  std::size_t policies = 0;
  std::array<std::string_view, 48> names{};                // of the policies, in the order in which they act
  std::array<std::uint64_t, detail::moment_count> acts{};  // per moment, a bit per policy

  constexpr bool capturable() const { return not_capturable.empty(); }
};

namespace detail {
template <std::size_t I, class... Ps> using NthOf = std::tuple_element_t<I, std::tuple<Ps...>>;

template <class O, class... Ps> constexpr Plan make_plan(Pack<Ps...>) {
  static_assert(sizeof...(Ps) <= 48, "regimen: at most 48 policies; see docs/errors.md#many");
  constexpr auto opt = optimizer_facts<O>();
  Plan plan{.passes = opt.passes, .bytes = opt.bytes, .host_syncs = opt.syncs, .allocations = opt.allocations,
            .rewrites_gradients = opt.rewrites_gradients, .not_capturable = opt.not_capturable, .optimizer = short_name<O>()};
  bool scales = false;
  std::array<std::string_view, sizeof...(Ps) + 1> shared{};
  [[maybe_unused]] auto count = [&](Facts f, HookSet hooks, std::string_view name) {  // by value: g++ 12 refuses references to static members here
    bool counted = false;  // what it shares with one that acts before it
    for (auto each : shared) counted = counted || (!each.empty() && each == f.shares);
    if (!counted) {
      plan.passes += f.passes;
      plan.bytes += f.bytes;
      plan.host_syncs += f.syncs;
    }
    shared[plan.policies] = f.shares;
    plan.allocations += f.allocations;
    plan.rewrites_gradients |= f.rewrites_gradients;
    if (plan.not_capturable.empty()) plan.not_capturable = f.not_capturable;
    scales |= has_name(f.writes, "factor");
    const auto moments = listed(hooks);
    for (std::size_t m = 0; m < moment_count; ++m) plan.acts[m] |= std::uint64_t{moments[m]} << plan.policies;
    plan.names[plan.policies++] = name;
  };
  constexpr auto order = acting_order(Pack<Ps...>{});
  [&]<std::size_t... K>(std::index_sequence<K...>) {
    (count(NthOf<order[K], Ps...>::facts, NthOf<order[K], Ps...>::hooks, short_name<NthOf<order[K], Ps...>>()), ...);
  }(std::make_index_sequence<sizeof...(Ps)>{});
  if (scales) {  // a factor that is not 1 multiplies the gradients once, in place
    plan.passes += 1;
    plan.bytes += 8;
    plan.rewrites_gradients = true;
  }
  return plan;
}
}  // namespace detail

inline std::ostream& operator<<(std::ostream& out, const Plan& plan) {
  out << "one window (update by " << plan.optimizer << "):\n";
  for (std::size_t m = 0; m < detail::moment_count; ++m) {
    if (plan.acts[m] == 0) continue;
    out << "  " << detail::moment_names[m] << ':';
    const char* comma = " ";
    for (std::size_t p = 0; p < plan.policies; ++p)
      if (plan.acts[m] >> p & 1) {
        out << comma << plan.names[p];
        comma = ", ";
      }
    out << '\n';
  }
  out << "  passes over the gradients: " << plan.passes << ", bytes per parameter: " << plan.bytes
      << ", host syncs on CUDA: " << plan.host_syncs << ", tensor allocations: " << plan.allocations << '\n';
  return out << "  CUDA graph: " << (plan.capturable() ? "can be captured" : plan.not_capturable) << '\n';
}
}  // namespace regimen
