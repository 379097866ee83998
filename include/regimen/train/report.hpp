// regimen/train/report.hpp - what a run came to
#pragma once
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace regimen {
/// One epoch in numbers; `values` holds metrics and what was logged, in order of first mention.
struct EpochReport {
  std::int64_t epoch = 0;  // counted from 1
  double train_loss = std::numeric_limits<double>::quiet_NaN(), validation_loss = std::numeric_limits<double>::quiet_NaN();
  double learning_rate = 0, samples_per_second = 0;
  std::int64_t updates = 0, skipped = 0;  // of the run so far
  std::vector<std::pair<std::string, double>> values{};

  void set(const std::string& name, double value) {
    for (auto& [known, old] : values)
      if (known == name) {
        old = value;
        return;
      }
    values.emplace_back(name, value);
  }
  /// A metric or logged value, NaN if there is none of that name.
  double value(std::string_view name) const {
    for (const auto& [known, v] : values)
      if (known == name) return v;
    return std::numeric_limits<double>::quiet_NaN();
  }
  std::string line() const {
    char text[256];
    std::snprintf(text, sizeof text, "epoch %lld  loss %.4f", static_cast<long long>(epoch), train_loss);
    std::string out = text;
    const auto add = [&](const std::string& name, double v, const char* format) {
      std::snprintf(text, sizeof text, format, v);
      out += "  " + name + ' ' + text;
    };
    if (validation_loss == validation_loss) add("validation_loss", validation_loss, "%.4f");
    for (const auto& [name, v] : values) add(name, v, "%.4f");
    add("lr", learning_rate, "%.3g");
    add("samples/s", samples_per_second, "%.0f");
    out += "  updates " + std::to_string(updates);
    if (skipped > 0) out += "  skipped " + std::to_string(skipped);
    return out;
  }

  constexpr void archive(auto& a) {
    a("epoch", epoch); a("train_loss", train_loss); a("validation_loss", validation_loss); a("learning_rate", learning_rate);
    a("samples_per_second", samples_per_second); a("updates", updates); a("skipped", skipped); a("values", values);
  }
};

/// What `evaluate` found; losses and metrics are weighted by samples. No batch: NaN and zero counts.
struct Evaluation {
  double loss = std::numeric_limits<double>::quiet_NaN();
  std::int64_t batches = 0;
  double samples = 0;
  std::vector<std::pair<std::string, double>> values{};  // of metrics, by their names

  /// A metric, NaN if there is none of that name.
  double value(std::string_view name) const {
    for (const auto& [known, v] : values)
      if (known == name) return v;
    return std::numeric_limits<double>::quiet_NaN();
  }
};

/// What `fit` returns.
struct Report {
  std::vector<EpochReport> epochs{};
  std::int64_t updates = 0, skipped = 0, samples = 0;  // of this call
  double seconds = 0;
  std::string ended{};  // why: "length" or what a policy said

  const EpochReport& last() const { return epochs.back(); }
};
}  // namespace regimen
