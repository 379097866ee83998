// The fake device computes what the CPU computes, and counts what a device would be asked.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <ATen/autocast_mode.h>

#include "fake/device/accelerator.hpp"

namespace {
struct NetImpl : torch::nn::Module {
  NetImpl()
      : conv(register_module("conv", torch::nn::Conv2d(torch::nn::Conv2dOptions(1, 4, 3)))), norm(register_module("norm", torch::nn::BatchNorm2d(4))),
        fc(register_module("fc", torch::nn::Linear(4 * 6 * 6, 10))) {}
  torch::Tensor forward(torch::Tensor x) { return fc(torch::relu(norm(conv(x))).flatten(1)); }
  torch::nn::Conv2d conv;
  torch::nn::BatchNorm2d norm;
  torch::nn::Linear fc;
};
TORCH_MODULE(Net);

std::vector<at::Tensor> train(at::Device device) {
  torch::manual_seed(0);
  Net net;
  auto x = torch::randn({8, 1, 8, 8});
  auto y = torch::randint(10, {8});
  net->to(device);
  x = x.to(device);
  y = y.to(device);
  torch::optim::AdamW optimizer{net->parameters(), torch::optim::AdamWOptions(1e-2)};
  for (int i = 0; i < 5; ++i) {
    optimizer.zero_grad();
    torch::cross_entropy_loss(net(x), y).backward();
    torch::nn::utils::clip_grad_norm_(net->parameters(), 1.0);
    optimizer.step();
  }
  std::vector<at::Tensor> weights;
  for (auto& p : net->parameters()) weights.push_back(p.detach().cpu());
  return weights;
}
}  // namespace

TEST_CASE("fake device: five steps of a convolutional net have the CPU's bits") {
  const auto host = train(torch::kCPU), device = train(fake::device);
  REQUIRE(host.size() == device.size());
  for (std::size_t i = 0; i < host.size(); ++i) CHECK(host[i].equal(device[i]));
}

TEST_CASE("fake device: launches, allocations, copies and waits are counted; a view is nothing") {
  auto a = torch::ones({4}, fake::device), b = torch::ones({4}, fake::device);
  auto log = fake::record([&] { a.add_(b); });
  CHECK(log.ops == std::vector<fake::Op>{{"add.out", 0, 32}});
  CHECK(log.allocations == 0);
  CHECK(fake::record([&] { a.view({2, 2}).t().detach(); }).ops.empty());
  CHECK(fake::record([&] { (void)(a + b); }).allocations == 1);
  log = fake::record([&] { at::_foreach_mul_(std::vector<at::Tensor>{a, b}, 0.5); });
  CHECK(log.names() == std::vector<std::string>{"_foreach_mul_.Scalar"});
  log = fake::record([&] { (void)a.sum().item<float>(); });
  CHECK(log.syncs == std::vector<std::string>{"_local_scalar_dense"});
  log = fake::record([&] { (void)torch::ones({2}).to(fake::device); });
  CHECK(log.copies_in == 1);
  CHECK(log.syncs.size() == 1);
  log = fake::record([&] { (void)torch::ones({2}).pin_memory().to(fake::device, true); });
  CHECK(log.copies_in == 1);
  CHECK(log.syncs.empty());
  CHECK(fake::record([&] { (void)a.cpu(); }).copies_out == 1);
}

TEST_CASE("fake device: a forbidden wait throws and names its operator") {
  auto a = torch::ones({4}, fake::device);
  fake::NoSync no_sync;
  CHECK_THROWS_WITH([&] { (void)a.sum().item<float>(); }(), Catch::Matchers::ContainsSubstring("_local_scalar_dense"));
  CHECK_THROWS_WITH([&] { (void)a.cpu(); }(), Catch::Matchers::ContainsSubstring("copy out"));
}

TEST_CASE("fake device: a copy that isn't waited for arrives with its event") {
  auto a = torch::ones({1}, fake::device);
  auto host = torch::zeros({1}).pin_memory();
  host.copy_(a, true);
  CHECK(std::isnan(host.data_ptr<float>()[0]));
  fake::arrive();
  CHECK(host.data_ptr<float>()[0] == 1);
}

TEST_CASE("fake device: tensors of two devices don't mix, and streams are told apart") {
  auto a = torch::ones({4}, fake::device);
  CHECK_THROWS_WITH(a + torch::ones({4}), Catch::Matchers::ContainsSubstring("same device"));
  const auto log = fake::record([&] {
    fake::OnStream side{3};
    a.mul_(2);
  });
  CHECK(log.ops.front().stream == 3);
}

TEST_CASE("fake device: autocast runs products in bfloat16, and random numbers follow the seed") {
  at::autocast::set_autocast_enabled(at::kPrivateUse1, true);
  at::autocast::set_autocast_dtype(at::kPrivateUse1, at::kBFloat16);
  auto y = torch::mm(torch::ones({2, 2}, fake::device), torch::ones({2, 2}, fake::device));
  at::autocast::set_autocast_enabled(at::kPrivateUse1, false);
  at::autocast::clear_cache();
  CHECK(y.scalar_type() == at::kBFloat16);
  torch::manual_seed(1);
  auto first = torch::rand({4}, fake::device).cpu();
  torch::manual_seed(1);
  CHECK(first.equal(torch::rand({4}, fake::device).cpu()));
}
