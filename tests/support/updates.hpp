// tests/support/updates.hpp - an own optimizer over loose weights, beside the fused operator and torch::optim
#pragma once
#include <torch/torch.h>

#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "regimen/optim/own.hpp"
#include "support/tensors.hpp"

namespace updates {
using Tensors = std::vector<torch::Tensor>;

/// Weights of many shapes and strides: a scalar, an empty one, channels_last, transposed, with odd tails.
inline Tensors weights(torch::Dtype dtype) {
  Tensors all{torch::randn({}),
              torch::randn({1}),
              torch::randn({0}),
              torch::randn({17}),
              torch::randn({3, 0}),
              torch::randn({5, 7}),
              torch::randn({6, 4}).t(),
              torch::randn({33, 9}),
              torch::randn({2, 3, 4, 5}).contiguous(torch::MemoryFormat::ChannelsLast),
              torch::randn({8, 4, 3, 3}).contiguous(torch::MemoryFormat::ChannelsLast)};
  for (auto& t : all) t = t.to(dtype).requires_grad_();
  return all;
}
inline Tensors copies(const Tensors& all) {
  Tensors same;
  for (const auto& t : all) same.push_back(t.detach().clone().requires_grad_());
  return same;
}
inline regimen::Partition partition_of(const Tensors& all) {
  regimen::Partition p;
  p.groups = {{"default", {}}};
  for (std::size_t i = 0; i < all.size(); ++i)
    p.weights.push_back({.name = "w" + std::to_string(i), .also = {}, .tensor = all[i], .aliases = {}, .frozen_by = {}});
  return p;
}

/// Weights, their partition and an own optimizer on it.
template <class Rule> struct Own {
  Tensors weights;
  regimen::Partition partition;
  regimen::detail::OwnOptimizer<Rule> optimizer;

  Own(
      Tensors w, Rule rule, std::function<void(regimen::Partition&)> write = [](auto&) {})
      : weights{std::move(w)}, partition{partition_of(weights)}, optimizer{rule} {
    write(partition);
    optimizer.set_up(partition);
  }
  /// One update with these gradients, undefined ones too; returns how many weights moved.
  std::size_t step(const Tensors& gradients) {
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i].mutable_grad() = gradients[i];
    return optimizer.update(partition);
  }
};

/// What a rule is compared with: the fused operator on these lists, the names of its state, and torch's own optimizer.
struct Reference {
  std::size_t states;
  std::function<void(Tensors& w, Tensors& g, std::vector<Tensors>& state, Tensors& steps, double lr, bool first)> fused;
  std::function<std::unique_ptr<torch::optim::Optimizer>(Tensors)> torch;
  bool maximize = false;  // torch::optim in C++ knows no such thing: it gets the negative gradient
};

/// Seven updates with changing rates and gradients of other strides; some weights have no gradient in some of them unless `dense`.
/// Bit-equal to the fused operator, once as one big list if all take part, else weight by weight; torch::optim's within `tolerance`.
template <class Rule> void compare(const Rule& rule, const Reference& reference, torch::Dtype dtype, double tolerance, bool dense) {
  Own<Rule> own{weights(dtype), rule};
  const auto n = own.weights.size();
  auto fused = copies(own.weights), slow = copies(own.weights);
  std::vector<Tensors> state(reference.states);
  Tensors steps;
  for (const auto& w : fused) {
    for (auto& list : state) list.push_back(torch::zeros_like(w.detach()));
    steps.push_back(torch::zeros({}));
  }
  const auto optimizer = reference.torch(slow);
  for (int s = 0; s < 7; ++s) {
    INFO("update " << s);
    const double lr = 0.01 / (1 + s);
    own.optimizer.groups()[0].rate = lr;
    optimizer->param_groups()[0].options().set_lr(lr);
    Tensors gradients(n);
    std::size_t there = 0;
    for (std::size_t i = 0; i < n; ++i) {
      slow[i].mutable_grad() = torch::Tensor{};
      if (!dense && (i + s) % 3 == 0) continue;
      const auto g = torch::randn(own.weights[i].sizes()).to(dtype);
      // contiguous, in the weight's order, or spread
      gradients[i] = s % 3 == 0 ? g : s % 3 == 1 ? torch::empty_like(own.weights[i].detach()).copy_(g) : tensors::spread(g);
      slow[i].mutable_grad() = reference.maximize ? g.neg() : g.clone();
      ++there;
    }
    const auto kept = copies(gradients[dense ? 0 : 1].defined() ? Tensors{gradients[dense ? 0 : 1]} : Tensors{});
    CHECK(own.step(gradients) == there);
    if (!kept.empty()) CHECK(tensors::same_bits(kept[0], gradients[dense ? 0 : 1]));  // with factor 1 gradients are read only

    // each weight's own step tensor and first step, as torch keeps them
    const torch::NoGradGuard no_grad;
    const auto run = [&](const std::vector<std::size_t>& members) {
      Tensors w, g, own_steps;
      std::vector<Tensors> own_state(reference.states);
      for (auto i : members) {
        w.push_back(fused[i]);
        g.push_back(torch::empty_like(fused[i]).copy_(gradients[i]));
        own_steps.push_back(steps[i].add_(1));
        for (std::size_t k = 0; k < reference.states; ++k) own_state[k].push_back(state[k][i]);
      }
      reference.fused(w, g, own_state, own_steps, lr, steps[members.front()].item<float>() == 1);
    };
    if (dense) {
      std::vector<std::size_t> all(n);
      for (std::size_t i = 0; i < n; ++i) all[i] = i;
      run(all);
    } else {
      for (std::size_t i = 0; i < n; ++i)
        if (gradients[i].defined()) run({i});
    }
    optimizer->step();
    for (std::size_t i = 0; i < n; ++i) {
      INFO("weight " << i << " of shape " << own.weights[i].sizes());
      CHECK(tensors::same_bits(own.weights[i], fused[i]));
      CHECK(own.weights[i].strides() == fused[i].strides());
      if (tolerance > 0) CHECK(torch::allclose(own.weights[i], slow[i], tolerance, tolerance));
    }
  }
}
/// The same for float, double and bfloat16, with and without missing gradients.
template <class Rule> void compare_all(const Rule& rule, const Reference& reference) {
  torch::manual_seed(1);
  for (bool dense : {true, false}) {
    INFO((dense ? "all gradients" : "missing gradients"));
    compare(rule, reference, torch::kFloat, 2e-6, dense);
    compare(rule, reference, torch::kDouble, 1e-13, dense);
    compare(rule, reference, torch::kBFloat16, 0, dense);  // torch::optim rounds each of its operations to bfloat16
  }
}
}  // namespace updates
