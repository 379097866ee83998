// regimen/optim/adam.hpp - Adam
#pragma once
#include <ATen/ops/_fused_adam.h>

#include "regimen/optim/rule.hpp"

namespace regimen {
/// Adam (Kingma and Ba, 2015), weight decay added to the gradient: 28 bytes per float32 parameter and update, nothing allocated.
/// Equals `torch.optim.Adam(fused=True)`, defaults too. Example: `rg::Trainer{net, rg::Adam{.lr = 1e-4}, rg::CrossEntropy{}}`.
struct Adam {
  double lr = 1e-3;
  Betas betas{};
  double eps = 1e-8, weight_decay = 0;
  bool amsgrad = false, maximize = false;

  static constexpr bool is_optimizer = true;
  static constexpr Facts facts{.name = "adam", .slot = "optimizer", .passes = 1, .bytes = 28};
  std::vector<std::string_view> state_names() const {
    if (amsgrad) return {"exp_avg", "exp_avg_sq", "max_exp_avg_sq"};
    return {"exp_avg", "exp_avg_sq"};
  }
  void update(const UpdateList& l) const {
    at::_fused_adam_(l.weights, l.gradients, l.state[0], l.state[1], amsgrad ? at::TensorList{l.state[2]} : at::TensorList{}, l.steps, l.rate,
                     betas.beta1, betas.beta2, weight_decay, eps, amsgrad, maximize, {}, l.skip);
  }
  constexpr void archive(auto& a) { a("lr", lr); a("beta1", betas.beta1); a("beta2", betas.beta2); a("eps", eps); a("weight_decay", weight_decay); a("amsgrad", amsgrad); a("maximize", maximize); }
  bool operator==(const Adam&) const = default;
};
static_assert(rule<Adam>);
}  // namespace regimen
