// regimen/precision/loss_scale.hpp - a factor that keeps half-precision gradients above zero
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>

namespace regimen {
/// How the scale moves; the defaults are those of `torch.amp.GradScaler`.
struct LossScaleOptions {
  double init_scale = 65536, growth_factor = 2, backoff_factor = 0.5;
  std::int64_t growth_interval = 2000;
  double floor = 1;
  bool operator==(const LossScaleOptions&) const = default;
};

/// The dynamic loss scale: x backoff_factor on overflow, not below `floor`; x growth_factor after growth_interval clean updates.
/// Equals `torch.amp.GradScaler.update`. Example: `rg::LossScale s; s.update(overflow, {});`
struct LossScale {
  double scale = 65536;
  std::int64_t growth_tracker = 0;

  void update(bool overflow, const LossScaleOptions& o) {
    if (overflow) {
      scale = std::max(o.floor, rounded(scale * o.backoff_factor));
      growth_tracker = 0;
    } else if (++growth_tracker == o.growth_interval) {
      if (const double grown = rounded(scale * o.growth_factor); std::isfinite(grown)) scale = grown;
      growth_tracker = 0;
    }
  }

  constexpr void archive(auto& a) { a("scale", scale); a("growth_tracker", growth_tracker); }

 private:
  static double rounded(double x) { return static_cast<float>(x); }  // torch keeps the scale in float
};
}  // namespace regimen
