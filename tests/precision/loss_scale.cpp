// tests/precision/loss_scale.cpp - the arithmetic of torch.amp.GradScaler, which is at::_amp_update_scale_
#include <torch/torch.h>

#include "regimen/precision/loss_scale.hpp"

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>
#include <random>

namespace loss_scale_tests {
namespace rg = regimen;

/// torch's own, as GradScaler keeps it: float32 and int32 of one element.
struct Torch {
  torch::Tensor scale, tracker = torch::zeros({1}, torch::kInt);
  explicit Torch(double from) : scale{torch::full({1}, from, torch::kFloat)} {}
  void update(bool overflow, const rg::LossScaleOptions& o) {
    at::_amp_update_scale_(scale, tracker, torch::full({1}, overflow ? 1.0 : 0.0), o.growth_factor, o.backoff_factor,
                           o.growth_interval);
  }
};

TEST_CASE("the defaults are those of GradScaler") {
  const rg::LossScaleOptions o;
  CHECK(o.init_scale == 65536);
  CHECK(o.growth_factor == 2);
  CHECK(o.backoff_factor == 0.5);
  CHECK(o.growth_interval == 2000);
  CHECK(rg::LossScale{}.scale == o.init_scale);
}

TEST_CASE("KZ9 an overflow halves the scale, 2000 clean updates in a row double it") {
  rg::LossScale s;
  s.update(true, {});
  CHECK(s.scale == 32768);
  CHECK(s.growth_tracker == 0);
  for (int i = 0; i < 1999; ++i) s.update(false, {});
  CHECK(s.scale == 32768);
  CHECK(s.growth_tracker == 1999);
  s.update(false, {});
  CHECK(s.scale == 65536);
  CHECK(s.growth_tracker == 0);
  for (int i = 0; i < 1999; ++i) s.update(false, {});
  s.update(true, {});  // the row is broken
  for (int i = 0; i < 1999; ++i) s.update(false, {});
  CHECK(s.scale == 32768);
}

TEST_CASE("the scale stops at its floor, and grows from there") {
  rg::LossScale s;
  const rg::LossScaleOptions o{.growth_interval = 1, .floor = 3};
  for (int i = 0; i < 40; ++i) {
    s.update(true, o);
    CHECK(s.scale >= 3);
  }
  CHECK(s.scale == 3);
  s.update(false, o);
  CHECK(s.scale == 6);
  for (int i = 0; i < 17; ++i) rg::LossScale{}.update(true, {});
  rg::LossScale t;
  for (int i = 0; i < 200; ++i) t.update(true, {});
  CHECK(t.scale == 1);  // 65536 is 16 halvings above the default floor
}

TEST_CASE("the scale does not grow to infinity, and the row begins anew") {
  rg::LossScale s{.scale = std::ldexp(1, 126)};
  Torch torch{s.scale};
  const rg::LossScaleOptions o{.growth_interval = 2};
  for (int i = 0; i < 12; ++i) {
    s.update(false, o);
    torch.update(false, o);
    CHECK(std::isfinite(static_cast<float>(s.scale)));
    CHECK(s.scale == torch.scale.item<double>());
    CHECK(s.growth_tracker == torch.tracker.item<int>());
  }
  CHECK(s.scale == std::ldexp(1, 127));
}

TEST_CASE("1000 random runs follow torch's update bit by bit") {
  const auto seed = std::random_device{}();
  INFO("seed " << seed);
  std::mt19937 random{seed};
  const auto real = [&](double from, double to) { return std::uniform_real_distribution{from, to}(random); };
  for (int i = 0; i < 1000; ++i) {
    INFO("run " << i);
    const rg::LossScaleOptions o{.growth_factor = random() % 2 ? 2 : real(1.01, 20),
                                 .backoff_factor = random() % 2 ? 0.5 : real(0.1, 0.99),
                                 .growth_interval = 1 + int(random() % 4),
                                 .floor = 0};
    rg::LossScale s{.scale = static_cast<float>(std::exp2(real(-20, 127)))};
    Torch torch{s.scale};
    for (int k = 0; k < 30; ++k) {
      const bool overflow = random() % 5 == 0;
      s.update(overflow, o);
      torch.update(overflow, o);
      REQUIRE(s.scale == torch.scale.item<double>());
      REQUIRE(s.growth_tracker == torch.tracker.item<int>());
    }
  }
}
}  // namespace loss_scale_tests
