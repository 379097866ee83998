// tests/support/toy.hpp - the toy T of the cases: one weight w, the loss of a sample x is w x, so that a step by SGD with lr 1 moves w by -mean(x)
#pragma once
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <utility>
#include <vector>

#include "regimen/regimen.hpp"

namespace rg = regimen;

namespace toy {
struct LineImpl : torch::nn::Module {
  torch::nn::Linear fc{nullptr};
  explicit LineImpl(double w = 0) : fc{register_module("fc", torch::nn::Linear(torch::nn::LinearOptions(1, 1).bias(false)))} {
    torch::NoGradGuard no_grad;
    fc->weight.fill_(w);
  }
  torch::Tensor forward(const torch::Tensor& x) { return fc(x); }
  double w() const { return fc->weight.item<double>(); }
};
TORCH_MODULE(Line);

/// The same as an elementwise product, which autocast leaves in float.
struct ProductImpl : torch::nn::Module {
  torch::Tensor weight;
  explicit ProductImpl(double w = 0) : weight{register_parameter("weight", torch::full({1}, w))} {}
  torch::Tensor forward(const torch::Tensor& x) { return weight * x; }
  double w() const { return weight.item<double>(); }
};
TORCH_MODULE(Product);

// SGD with lr 1, our own and torch's.
struct Own {
  static auto sgd(auto&, double momentum = 0, double weight_decay = 0) { return rg::SGD{.lr = 1, .momentum = momentum, .weight_decay = weight_decay}; }
};
struct Wrapped {
  static auto sgd(auto& net, double momentum = 0, double weight_decay = 0) {
    return torch::optim::SGD{net->parameters(), torch::optim::SGDOptions(1).momentum(momentum).weight_decay(weight_decay)};
  }
};

inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();
using Data = std::vector<torch::Tensor>;  // micro-batches
inline Data data(std::initializer_list<std::vector<double>> batches) {
  Data all;
  for (const auto& x : batches) all.push_back(torch::tensor(x, torch::kFloat).unsqueeze(1));
  return all;
}
/// Micro-batches of one sample each: 1, 2, ..., n.
inline Data counting(int n) {
  Data all;
  for (int x = 1; x <= n; ++x) all.push_back(torch::full({1, 1}, double(x)));
  return all;
}

inline constexpr auto mean = [](auto& net, const torch::Tensor& x) { return net->forward(x).mean(); };
/// Sum and count of tokens; one that is NaN stands for padding.
inline constexpr auto sum = [](auto& net, const torch::Tensor& x) {
  const auto valid = x.isnan().logical_not();
  return rg::Sum{torch::where(valid, net->forward(x.nan_to_num()), torch::zeros({})).sum(), valid.sum()};
};

/// What each update added to w, and the rate that it ran with.
struct Log {
  std::vector<double> moves, rates;
  double last = 0;
};
inline auto record(auto net, Log& log) {
  log.last = net->w();
  return rg::on<rg::after_update>([net, &log](auto& step) {
    log.moves.push_back(net->w() - std::exchange(log.last, net->w()));
    log.rates.push_back(step.learning_rate());
  });
}
/// Trains T on `batches` for some epochs and returns what each update added to w.
template <class Optimizer, class Net = Line> std::vector<double> moves(const Data& batches, auto objective, int epochs, const auto&... policies) {
  Net net;
  Log log;
  rg::Trainer trainer{net, Optimizer::sgd(net), objective, record(net, log), policies...};
  trainer.fit(batches, rg::epochs(epochs));
  return log.moves;
}
/// The same to a relative 1e-6.
inline bool close(const std::vector<double>& a, const std::vector<double>& b, double tolerance = 1e-6) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!(std::abs(a[i] - b[i]) <= tolerance * std::max(1.0, std::abs(b[i])))) return false;
  return true;
}
using Values = std::vector<double>;
}  // namespace toy
