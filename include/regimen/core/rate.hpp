// regimen/core/rate.hpp - a learning rate that must be written
#pragma once
#include <type_traits>

namespace regimen {
/// A learning rate without a default, for optimizers where none is right. Example: `rg::SGD{.lr = 0.1}`; `rg::SGD{}` does not compile.
struct Rate {
  double value;
  constexpr Rate(double rate) : value{rate} {}
  constexpr operator double() const { return value; }
};

namespace detail {
template <class Part> constexpr bool has_a_default = std::is_default_constructible_v<Part>;
template <class Part> Part no_value();  // never defined: stands behind a failed assert
}  // namespace detail

/// The value of a part that the call leaves out, as in `rg::Trainer<Net, rg::AdamW, rg::CrossEntropy>{net}`.
template <class Part> constexpr Part left_out() {
  static_assert(detail::has_a_default<Part>,
                "regimen: this part has no default (no learning rate anywhere?): write it in the call, as rg::SGD{.lr = 0.1}; see docs/errors.md#rate");
  if constexpr (detail::has_a_default<Part>) return Part{};
  else return detail::no_value<Part>();
}
}  // namespace regimen
