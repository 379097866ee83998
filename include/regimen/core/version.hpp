// regimen/core/version.hpp - which Regimen this is
#pragma once
#include <string>

namespace regimen {
/// The library's own version, as semantic versioning counts. Example: `static_assert(rg::version.major == 0)`.
struct Version {
  int major = 0, minor = 0, patch = 0;

  std::string text() const { return std::to_string(major) + '.' + std::to_string(minor) + '.' + std::to_string(patch); }
  constexpr auto operator<=>(const Version&) const = default;
};
inline constexpr Version version{.major = 0, .minor = 1, .patch = 0};
}  // namespace regimen
