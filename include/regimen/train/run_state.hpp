// regimen/train/run_state.hpp - one archive for all that changes in a run
#pragma once
#include <map>
#include <string>
#include <string_view>

#include "regimen/state/memory.hpp"
#include "regimen/state/random.hpp"
#include "regimen/train/engine.hpp"

namespace regimen::detail {
/// Weights and buffers, optimizer, counters, loss means, generators, and every policy's State under its stable name.
template <class Engine> void archive_run(auto& a, Engine& e, bool loading) {
  at::NoGradGuard no_grad;
  {
    auto model = a.in("model");
    for_each_module(e.module(), [&](const std::string& prefix, auto& m) {
      for_each_own_parameter(m, [&](const std::string& name, at::Tensor t) { model(prefix + name, t); });
      for_each_own_buffer(m, [&](const std::string& name, at::Tensor t) { model(prefix + name, t); });
    });
  }
  auto optimizer = a.in("optimizer");
  std::apply([&](auto&... rule) { (rule.archive(optimizer, e.partition), ...); }, e.rules);
  a("run", e.run);
  a("mean_loss", e.mean_loss);
  a("logs", e.logs);
  a("row", e.row);
  auto policies = a.in("policies");
  std::map<std::string_view, int> seen;
  e.cast.each([&]<class Policy, class State>(const Policy&, State& own) {
    if constexpr (has_archive<State>) {  // others may come and go between runs
      const int index = seen[Policy::facts.name]++;
      auto one = policies.in(std::string{Policy::facts.name} + (index > 0 ? ' ' + std::to_string(index + 1) : ""));
      auto version = static_cast<std::int64_t>(Policy::facts.version);
      one("version", version);
      if (version != Policy::facts.version)
        throw Error{std::string{Policy::facts.name}, "its state has version " + std::to_string(version) + ", not " + std::to_string(Policy::facts.version), "a state of this version"};
      own.archive(one);
    }
  });
  archive_generators(a, loading);
}
template <class Engine> StateMap save_run(Engine& e) {
  StateMap state;
  if (e.is_fitting) e.settle_clock();
  MemoryArchive<false> a{state};
  archive_run(a, e, false);
  return state;
}
template <class Engine> void load_run(Engine& e, const StateMap& state) {
  MemoryArchive<true> a{state};
  archive_run(a, e, true);
}
}  // namespace regimen::detail
