// tests/policy/amp.cpp - autocast in forward and objective, nowhere else
#include "regimen/policy/amp.hpp"

#include <ATen/autocast_mode.h>
#include <catch2/catch_test_macros.hpp>

#include "support/toy.hpp"

namespace amp_tests {
bool on() { return at::autocast::is_autocast_enabled(at::kCPU); }
}  // namespace amp_tests

TEMPLATE_TEST_CASE_SIG("the scope covers forward and objective and closes before backward", "", ((at::ScalarType Dtype), Dtype), at::kBFloat16, at::kHalf) {
  torch::nn::Linear net{4, 4};
  bool in_forward = false, in_backward = true, in_update = true, in_validation = false;
  at::ScalarType seen = at::kFloat;
  rg::Trainer trainer{net, rg::SGD{.lr = 0.1}, [&](auto& n, const torch::Tensor& x) {
    auto y = n->forward(x);
    (torch::GradMode::is_enabled() ? in_forward : in_validation) = amp_tests::on();
    seen = y.scalar_type();
    if (y.requires_grad()) y.register_hook([&](const torch::Tensor&) { in_backward = amp_tests::on(); });
    return y.to(torch::kFloat).square().mean();
  }, rg::Amp<Dtype>{}, rg::on<rg::before_update>([&](auto&) { in_update = amp_tests::on(); })};
  trainer.fit(toy::Data(2, torch::ones({2, 4})), toy::Data(1, torch::ones({2, 4})), rg::epochs(1));
  CHECK(in_forward);
  CHECK(in_validation);
  CHECK_FALSE(in_backward);
  CHECK_FALSE(in_update);
  CHECK_FALSE(amp_tests::on());
  CHECK(seen == Dtype);
  CHECK(net->weight.scalar_type() == torch::kFloat);
}

TEST_CASE("after an update, and after a validation without gradients, forward sees the new weights") {
  torch::nn::Conv1d net{torch::nn::Conv1dOptions(1, 1, 1).bias(false)};
  {
    torch::NoGradGuard no_grad;
    net->weight.fill_(1);
  }
  std::vector<double> outputs;
  rg::Trainer trainer{net, rg::SGD{.lr = 1}, [&](auto& n, const torch::Tensor& x) {
    auto y = n->forward(x);
    outputs.push_back(y.template item<double>());
    return y.to(torch::kFloat).sum();
  }, rg::Amp<torch::kBFloat16>{}};
  const toy::Data one{torch::full({1, 1, 1}, 3.0)};
  trainer.evaluate(one);
  trainer.fit(one, one, rg::epochs(2));
  CHECK(outputs == std::vector<double>{3, 3, -6, -6, -15});  // w = 1, then -2, then -5
}

TEST_CASE("the loss scale grows after growth_interval clean updates") {
  toy::Product net;
  rg::Trainer trainer{net, rg::SGD{.lr = 1}, toy::mean, rg::Amp<>{.loss_scale = {.init_scale = 4, .growth_factor = 3, .growth_interval = 2}}};
  trainer.fit(toy::counting(5), rg::epochs(1));
  CHECK(trainer.get<rg::Amp<>>().loss_scale.scale == 36);
  CHECK(net->w() == -15);
}

TEST_CASE("half parameters are refused at set-up, and frozen ones are not asked") {
  torch::nn::Sequential net{torch::nn::Linear(2, 2), torch::nn::Linear(2, 2)};
  net[0]->to(torch::kHalf);
  CHECK_THROWS_AS((rg::Trainer{net, rg::SGD{.lr = 1}, toy::mean, rg::Amp<>{}}), rg::Error);
  CHECK_NOTHROW(rg::Trainer{net, rg::SGD{.lr = 1}, toy::mean, rg::Amp<>{}, rg::Freeze<"0.*">{}});
}
