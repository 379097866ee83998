// tests/precision/autocast.cpp - the scope opens, nests, closes on exceptions, and leaves no cast behind
#include <torch/torch.h>

#include "regimen/precision/autocast.hpp"

#include <catch2/catch_test_macros.hpp>
#include <stdexcept>
#include <tuple>

namespace autocast_tests {
namespace rg = regimen;

auto state() {
  return std::tuple{at::autocast::is_autocast_enabled(at::kCPU), at::autocast::get_autocast_dtype(at::kCPU),
                    at::autocast::is_autocast_cache_enabled()};
}
/// Conv1d(1, 1, 1) without bias: autocast keeps a cast of its weight, which a Linear on 2-D input does not show.
struct Net {
  torch::nn::Conv1d conv{torch::nn::Conv1dOptions(1, 1, 1).bias(false)};
  torch::Tensor x = torch::full({1, 1, 1}, 3.0);
  Net() { set(1); }
  void set(double w) {
    const torch::NoGradGuard no_grad;
    conv->weight.fill_(w);
  }
  torch::Tensor forward() { return conv(x); }
};

TEST_CASE("inside a scope products have its type, outside their own") {
  const auto a = torch::ones({2, 2});
  for (auto dtype : {torch::kBFloat16, torch::kHalf}) {
    {
      const rg::AutocastScope scope{at::kCPU, dtype};
      CHECK(torch::mm(a, a).scalar_type() == dtype);
      CHECK((a + a).scalar_type() == torch::kFloat);
    }
    CHECK(torch::mm(a, a).scalar_type() == torch::kFloat);
  }
}

TEST_CASE("scopes nest: each gives back what it found, of other types, with the cache on or off") {
  const auto outside = state();
  const auto w = torch::ones({2, 2}).requires_grad_();  // a leaf: its casts are kept
  {
    const rg::AutocastScope outer{at::kCPU, torch::kHalf};
    const auto in_outer = state();
    CHECK(torch::mm(w, w).scalar_type() == torch::kHalf);
    {
      const rg::AutocastScope inner{at::kCPU, torch::kBFloat16, false};
      CHECK(state() == std::tuple{true, torch::kBFloat16, false});
      CHECK(torch::mm(w, w).scalar_type() == torch::kBFloat16);
    }
    CHECK(state() == in_outer);
    CHECK(torch::mm(w, w).scalar_type() == torch::kHalf);
  }
  CHECK(state() == outside);
}

TEST_CASE("a scope of another type does not see the casts of the one around it") {
  const auto w = torch::ones({2, 2}).requires_grad_();
  const rg::AutocastScope outer{at::kCPU, torch::kHalf};
  CHECK(torch::mm(w, w).scalar_type() == torch::kHalf);
  {
    const rg::AutocastScope inner{at::kCPU, torch::kBFloat16};
    CHECK(torch::mm(w, w).scalar_type() == torch::kBFloat16);
    CHECK(torch::mm(w, torch::ones({2, 2})).scalar_type() == torch::kBFloat16);  // a kept half would not fit
  }
  CHECK(torch::mm(w, torch::ones({2, 2})).scalar_type() == torch::kHalf);
}

TEST_CASE("a scope closes on exceptions") {
  const auto outside = state();
  try {
    const rg::AutocastScope outer{at::kCPU, torch::kBFloat16};
    const rg::AutocastScope inner{at::kCPU, torch::kHalf};
    throw std::runtime_error("planted");
  } catch (const std::runtime_error&) {
  }
  CHECK(state() == outside);
  Net net;
  CHECK(net.forward().scalar_type() == torch::kFloat);
  CHECK(at::autocast::increment_nesting() == 1);  // the nesting is back at 0
  CHECK(at::autocast::decrement_nesting() == 0);
}

TEST_CASE("K65 KZ8 behind a scope no cast is left: changed weights are seen by the next") {
  Net net;
  for (double w : {1.0, 0.0, 5.0}) {
    net.set(w);
    const rg::AutocastScope scope{at::kCPU, torch::kBFloat16};
    CHECK(net.forward().item<double>() == 3 * w);
    CHECK(net.forward().item<double>() == 3 * w);  // by the kept cast
  }
}

TEST_CASE("K65 without the cache a weight may change inside the scope") {
  Net net;
  const rg::AutocastScope scope{at::kCPU, torch::kBFloat16, false};
  CHECK(net.forward().item<double>() == 3);
  net.set(0);
  CHECK(net.forward().item<double>() == 0);
}

TEST_CASE("KZ8 a forward without gradient, then one with, in one scope: the weight gets its gradient") {
  Net net;
  torch::Tensor out;
  {
    const rg::AutocastScope scope{at::kCPU, torch::kBFloat16};
    {
      const torch::NoGradGuard no_grad;
      CHECK(net.forward().item<double>() == 3);
    }
    at::autocast::clear_cache();  // what LibTorch before 2.11 needs where the gradient mode changes
    out = net.forward();
  }
  REQUIRE(out.grad_fn());
  out.sum().backward();  // outside, as backward must be
  CHECK(net.conv->weight.grad().item<double>() == 3);
  net.set(0);
  const rg::AutocastScope scope{at::kCPU, torch::kBFloat16};
  CHECK(net.forward().item<double>() == 0);
}
}  // namespace autocast_tests
