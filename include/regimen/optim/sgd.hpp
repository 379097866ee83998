// regimen/optim/sgd.hpp - stochastic gradient descent, with momentum
#pragma once
#include <ATen/ops/_fused_sgd.h>

#include "regimen/core/rate.hpp"
#include "regimen/optim/rule.hpp"

namespace regimen {
/// Gradient descent with momentum (Sutskever et al., 2013): 12 bytes per float32 parameter and update, 20 with momentum, nothing allocated.
/// Equals `torch.optim.SGD(fused=True)`; the rate must be written. Example: `rg::Trainer{net, rg::SGD{.lr = 0.1, .momentum = 0.9}, rg::CrossEntropy{}}`.
struct SGD {
  Rate lr;
  double momentum = 0, dampening = 0, weight_decay = 0;
  bool nesterov = false, maximize = false;

  static constexpr bool is_optimizer = true;
  static constexpr Facts facts{.name = "sgd", .slot = "optimizer", .passes = 1, .bytes = 20};  // with momentum
  std::vector<std::string_view> state_names() const {
    if (momentum == 0) return {};
    return {"momentum_buffer"};
  }
  void update(const UpdateList& l) const {
    at::_fused_sgd_(l.weights, l.gradients, momentum == 0 ? at::TensorList{} : at::TensorList{l.state[0]}, weight_decay, momentum, l.rate, dampening,
                    nesterov, maximize, l.first, {}, l.skip);
  }
  constexpr void archive(auto& a) { a("lr", lr.value); a("momentum", momentum); a("dampening", dampening); a("weight_decay", weight_decay); a("nesterov", nesterov); a("maximize", maximize); }
  bool operator==(const SGD&) const = default;
};
static_assert(rule<SGD>);
}  // namespace regimen
