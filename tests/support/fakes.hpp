// tests/support/fakes.hpp - model, optimizers, objective and policies without LibTorch; each hook writes its policy's name into the step's trace
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "regimen/core/policy.hpp"
#include "regimen/core/selector.hpp"

namespace rg = regimen;

namespace fake {
struct Net {};
struct AdamW {
  double lr = 1e-3;
  static constexpr bool is_optimizer = true;
  static constexpr rg::Facts facts{.name = "adamw", .slot = "optimizer", .passes = 1, .bytes = 28};
};
/// Looks like a torch::optim::Optimizer.
struct TorchAdam {
  std::vector<int> groups;
  std::vector<int>& param_groups() { return groups; }
  void step() {}
};
struct CrossEntropy { static constexpr bool is_objective = true, on_output = true; };
struct OwnLoss {};  // a callable (model, batch) -> loss

struct Step { std::string trace; };

template <std::size_t N> struct Accumulate {
  static_assert(N > 0, "regimen: Accumulate<0> would never update: write at least 1; see docs/errors.md#accumulate");
  struct State {};
  static constexpr rg::Facts facts{.name = "accumulate", .slot = "accumulation"};
  static constexpr rg::HookSet hooks{.set_up = true};
  void set_up(auto& step, State&) const { step.trace += "accumulate "; }
  bool operator==(const Accumulate&) const = default;
};
struct Amp {
  struct State {
    double scale = 65536;
    constexpr void archive(auto& a) { a("scale", scale); }
  };
  static constexpr rg::Facts facts{.name = "amp", .slot = "precision", .writes = {"factor"}, .passes = 1, .bytes = 4, .syncs = 1,
                                   .not_capturable = "its check is read"};
  static constexpr rg::HookSet hooks{.before_backward = true, .before_update = true};
  void before_backward(auto& step, State&) const { step.trace += "amp "; }
  void before_update(auto& step, State&) const { step.trace += "amp "; }
  bool operator==(const Amp&) const = default;
};
template <int P = 2> struct ClipNorm {
  double max = 1;
  struct State {};
  static constexpr rg::Facts facts{.name = "clip_norm", .slot = "clip norm", .after = {"amp"}, .writes = {"factor"}, .passes = 1, .bytes = 4};
  static constexpr rg::HookSet hooks{.before_update = true};
  void before_update(auto& step, State&) const { step.trace += "clip_norm "; }
  bool operator==(const ClipNorm&) const = default;
};
/// Stands before ClipNorm in canonical order and acts behind it.
struct ClipAfter {
  struct State {};
  static constexpr rg::Facts facts{.name = "a_late_clip", .after = {"clip norm"}, .writes = {"gradients"}, .passes = 2, .bytes = 8,
                                   .allocations = 1, .rewrites_gradients = true};
  static constexpr rg::HookSet hooks{.before_update = true};
  void before_update(auto& step, State&) const { step.trace += "a_late_clip "; }
  bool operator==(const ClipAfter&) const = default;
};
struct Ema {
  double decay = 0.999;
  struct State {
    std::vector<double> average;
    constexpr void archive(auto& a) { a("average", average); }
  };
  static constexpr rg::Facts facts{.name = "ema", .slot = "average", .passes = 1, .bytes = 12};
  static constexpr rg::HookSet hooks{.update_term = true, .after_update = true};
  double update_term(auto&, State&) const { return 1 - decay; }
  void after_update(auto& step, State&) const { step.trace += "ema "; }
  bool operator==(const Ema&) const = default;
};
struct Swa {
  struct State {};
  static constexpr rg::Facts facts{.name = "swa", .slot = "average"};
  static constexpr rg::HookSet hooks{.after_update = true};
  void after_update(auto& step, State&) const { step.trace += "swa "; }
  bool operator==(const Swa&) const = default;
};
/// Any number of these may stand in a set.
template <rg::Selector... S> struct Freeze {
  struct State {};
  static constexpr rg::Facts facts{.name = "freeze"};
  static constexpr rg::HookSet hooks{.partition = true};
  void partition(auto& draft, State&) const { draft.trace += "freeze "; }
  bool operator==(const Freeze&) const = default;
};
static_assert(rg::policy<Accumulate<4>> && rg::policy<Amp> && rg::policy<ClipNorm<>> && rg::policy<ClipAfter>);
static_assert(rg::policy<Ema> && rg::policy<Swa> && rg::policy<Freeze<"*">>);
}  // namespace fake
