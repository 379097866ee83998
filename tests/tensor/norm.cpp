// tests/tensor/norm.cpp - norms against at::linalg_vector_norm, at the edges of what a number holds
#include <torch/torch.h>

#include "regimen/tensor/norm.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_all.hpp>
#include <catch2/matchers/catch_matchers_all.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "support/tensors.hpp"

namespace norm_tests {
namespace rg = regimen;
using Tensors = std::vector<torch::Tensor>;
constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
constexpr auto every_dtype = {torch::kFloat, torch::kDouble, torch::kHalf, torch::kBFloat16};

torch::Tensor of(std::vector<double> values, torch::Dtype dtype = torch::kDouble) {
  return torch::tensor(values, torch::kDouble).to(dtype);
}
/// Relative, but for some last bits of a subnormal number.
auto near(double value, double tolerance) {
  return Catch::Matchers::Predicate<double>(
      [=](double x) { return x == value || std::abs(x - value) <= std::max(tolerance * std::abs(value), 1e-321); },
      "is near " + std::to_string(value));
}
/// torch's norm of all elements in double, divided by the largest one first, so that no power leaves the range.
double reference(const Tensors& tensors, double p) {
  Tensors flat;
  for (const auto& t : tensors)
    if (t.defined() && t.numel() > 0) flat.push_back(t.to(torch::kDouble).flatten());
  if (flat.empty()) return 0;
  const auto all = torch::cat(flat);
  const double largest = all.abs().max().item<double>();
  return largest == 0 || !std::isfinite(largest) ? largest : largest * at::linalg_vector_norm(all.div(largest), p).item<double>();
}
void check_all(const Tensors& list) {
  CHECK_THAT(rg::norm(list), near(reference(list, 2), 1e-12));
  CHECK_THAT(rg::norm(list, 1), near(reference(list, 1), 1e-12));
  CHECK_THAT(rg::norm(list, 3), near(reference(list, 3), 1e-12));
  CHECK_THAT(rg::norm(list, 0.5), near(reference(list, 0.5), 1e-12));
  CHECK(rg::norm(list, rg::max_norm) == reference(list, inf));  // exact: no arithmetic
}

TEST_CASE("norms of one tensor of every length up to the unrolled ones and of every type") {
  torch::manual_seed(1);
  for (auto dtype : every_dtype)
    for (int n = 1; n <= 17; ++n) {
      INFO(c10::toString(dtype) << ", " << n << " elements");
      const auto t = torch::randn({n}).to(dtype);
      check_all({t});
      // each place counts, the tail's too
      for (int at = 0; at < n; ++at) {
        const auto one = torch::zeros({n}, dtype);
        one[at] = -3;
        CHECK(rg::norm({one}) == 3);
        CHECK(rg::norm({one}, 1) == 3);
        CHECK(rg::norm({one}, rg::max_norm) == 3);
      }
    }
}

TEST_CASE("norms equal torch's where neither can overflow") {
  torch::manual_seed(2);
  const auto t = torch::randn({33, 7}, torch::kDouble);
  for (double p : {1.0, 2.0, 3.0, 7.5}) CHECK_THAT(rg::norm({t}, p), near(at::linalg_vector_norm(t, p).item<double>(), 1e-14));
  CHECK(rg::norm({t}, rg::max_norm) == at::linalg_vector_norm(t, inf).item<double>());
  CHECK(rg::norm({t}, inf) == rg::norm({t}, rg::max_norm));  // as in torch
}

TEST_CASE("a list is one long tensor; undefined and empty ones are left out") {
  torch::manual_seed(3);
  check_all({});
  check_all({torch::Tensor{}});
  check_all({torch::zeros({0}), torch::zeros({3, 0}, torch::kDouble), torch::Tensor{}});
  check_all({torch::zeros({5}), torch::zeros({2}, torch::kDouble)});
  check_all({torch::randn({5}), torch::Tensor{}, torch::randn({}), torch::randn({3, 4}, torch::kDouble), torch::zeros({0}),
             torch::randn({9}).to(torch::kBFloat16)});
  CHECK(rg::norm({of({3}, torch::kFloat), of({4})}) == 5);
}

TEST_CASE("norms of transposed, channels_last, sliced, spread and expanded tensors") {
  torch::manual_seed(4);
  for (auto dtype : every_dtype) {
    INFO(c10::toString(dtype));
    const auto t = torch::randn({4, 6}).to(dtype);
    check_all({t.t(), t.slice(1, 1, 4), t.slice(0, 0, 4, 2), tensors::spread(t), t.select(0, 0).expand({3, 6}), t.flip(0)});
    check_all({torch::randn({2, 3, 4, 5}).to(dtype).contiguous(torch::MemoryFormat::ChannelsLast)});
  }
}

TEST_CASE("KZ7 powers beyond the range of a double neither overflow nor vanish") {
  CHECK_THAT(rg::norm({of({1e20, 1e20}, torch::kFloat)}), near(1.41421356e20, 1e-7));
  const std::vector<std::vector<double>> extremes = {
      {1e200, 1e200}, {1e-170, 1e-170}, {1e308, 1e-308}, {1e300}, {1e-200, 1e200}, {5e-324}, {5e-324, 1e-310, 3e-312}, {1e-154, 1e-155},
      {1e-160, 3e-162}, {-1e154, 1e154}, {1e-105, 2e-105}, {3e-104, 1e-107}, {1e-108}, {1e103, -1e103}, {2.5e102},
      {1e-320, 0, 0, 0, 0, 0, 0, 0, 1e-321}};
  for (const auto& values : extremes) {
    INFO(values.front());
    check_all({of(values)});
    check_all({tensors::spread(of(values))});                // not dense: by torch's own
    check_all({of(values), of({1, 2}, torch::kFloat)});      // beside one of usual size
    check_all({of(values), of(values), of({values.back()})});  // across tensors
  }
  const auto floats = {of({3e38, 3e38}, torch::kFloat), of({1e-45, 1e-45}, torch::kFloat),
                       of({1e-38}, torch::kFloat),      of({3e38, -1e38}, torch::kBFloat16),
                       of({6e-8, 6e-8}, torch::kHalf),  of({65504, 65504, 65504}, torch::kHalf)};
  for (const auto& t : floats)
    for (const auto& list : {Tensors{t}, Tensors{t, t}, Tensors{tensors::spread(t), t}}) {
      check_all(list);
      CHECK_THAT(rg::norm(list, 20), near(reference(list, 20), 1e-11));  // a float to the 20th leaves the range of a double
      CHECK_THAT(rg::norm(list, 9.5), near(reference(list, 9.5), 1e-11));
    }
  CHECK(rg::norm({of({5e-324})}) == 5e-324);
  CHECK(rg::norm({of({-5e-324, 0, 0})}, 3) == 5e-324);
  CHECK(rg::norm({of({1.5e308, 1.5e308})}, 1) == inf);  // the norm itself is none
}

TEST_CASE("KZ7 a norm is not finite exactly if an element is not, wherever it stands") {
  for (auto dtype : every_dtype)
    for (double bad : {inf, -inf, nan})
      for (int at = 0; at < 17; ++at)
        for (bool dense : {true, false}) {
          INFO(c10::toString(dtype) << ", " << bad << " at " << at << (dense ? "" : ", spread"));
          auto t = torch::full({17}, 2).to(dtype);
          t[at] = bad;
          if (!dense) t = tensors::spread(t);
          for (const auto& list : {Tensors{t}, Tensors{of({1}), t}, Tensors{t, of({1}, torch::kFloat)}}) {
            CHECK_FALSE(std::isfinite(rg::norm(list, 1)));
            CHECK_FALSE(std::isfinite(rg::norm(list, 2)));
            CHECK_FALSE(std::isfinite(rg::norm(list, 3)));
            const double largest = rg::norm(list, rg::max_norm);
            CHECK((std::isnan(bad) ? std::isnan(largest) : largest == inf));
          }
        }
  const auto a = of({1, inf}), b = of({nan, 2});
  for (const auto& list : {Tensors{a, b}, Tensors{b, a}}) {
    CHECK_FALSE(std::isfinite(rg::norm(list)));
    CHECK_FALSE(std::isfinite(rg::norm(list, 5)));
    CHECK(std::isnan(rg::norm(list, rg::max_norm)));
  }
}

TEST_CASE("KZ7 a power that makes no norm is refused, and a sparse tensor too") {
  const Tensors list{of({3, 4})};
  for (double p : {0.0, -1.0, -inf, nan}) {
    INFO(p);
    CHECK_THROWS_AS(rg::norm(list, p), rg::Error);
    CHECK_THROWS_AS(rg::norm({}, p), rg::Error);  // not only when there is something to measure
  }
  CHECK_THROWS_AS(rg::norm(list, 0), rg::Error);
  CHECK(tensors::error_of([&] { rg::norm({torch::eye(3).to_sparse()}); }).find("sparse") != std::string::npos);
}

TEST_CASE("1200 random lists have torch's norm") {
  const auto seed = std::random_device{}();
  INFO("seed " << seed);
  std::mt19937_64 random{seed};
  torch::manual_seed(seed);
  const auto any = [&] {
    const auto dtype = *(every_dtype.begin() + random() % 4);
    auto t = random() % 5 ? torch::randn({std::int64_t(random() % 41)}, torch::kDouble)
                          : torch::randn({std::int64_t(1 + random() % 5), 2, 3}, torch::kDouble).transpose(0, 2);
    const bool wide = dtype == torch::kDouble, narrow = dtype == torch::kHalf;
    const int most = wide ? 300 : narrow ? 4 : 36, least = wide ? -318 : narrow ? -6 : -42;
    t = t.mul(std::pow(10.0, least + int(random() % (most - least + 1)))).to(dtype);
    return random() % 4 ? t : tensors::spread(t);
  };
  for (int i = 0; i < 1200; ++i) {
    INFO("case " << i);
    Tensors list(random() % 5);
    for (auto& t : list)
      if (random() % 8) t = any();
    CHECK_THAT(rg::norm(list, 1), near(reference(list, 1), 1e-12));
    CHECK_THAT(rg::norm(list, 2), near(reference(list, 2), 1e-12));
    CHECK(rg::norm(list, rg::max_norm) == reference(list, inf));
    const double p = std::vector{0.5, 1.5, 3.0, 4.0, 11.0}[random() % 5];
    INFO("p " << p);
    CHECK_THAT(rg::norm(list, p), near(reference(list, p), 1e-11));
  }
}

TEST_CASE("a norm allocates nothing for dense floats and doubles, and leaves what it reads") {
  torch::manual_seed(5);
  const Tensors list{torch::randn({50}), torch::randn({4, 4}, torch::kDouble).t(),
                     torch::randn({2, 3, 4, 5}).contiguous(torch::MemoryFormat::ChannelsLast)};
  const auto before = list[0].clone();
  double sum = 0;
  CHECK(tensors::allocations_of(
            [&] { sum = rg::norm(list) + rg::norm(list, 1) + rg::norm(list, 3) + rg::norm(list, rg::max_norm); }) == 0);
  CHECK(sum > 0);
  CHECK(tensors::same_bits(list[0], before));
  CHECK(rg::norm({torch::ones({4}).requires_grad_()}) == 2);
}
}  // namespace norm_tests
