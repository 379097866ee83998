// regimen/core/rate.hpp - a learning rate that must be written
#pragma once
#include <cstddef>
#include <type_traits>

namespace regimen {
/// A learning rate without a default, for optimizers where none is right. Example: `rg::SGD{.lr = 0.1}`; `rg::SGD{}` does not compile.
struct Rate {
  double value;
  constexpr Rate(double rate) : value{rate} {}
  constexpr operator double() const { return value; }
};

namespace detail {
/// The first of these parts behind the `Given` ones that has no default; void if all have one.
template <std::size_t Given, class... Parts> struct Lacking { using type = void; };
template <std::size_t Given, class Part, class... Parts> struct Lacking<Given, Part, Parts...>
    : std::conditional_t<Given == 0 && !std::is_default_constructible_v<Part>, std::type_identity<Part>,
                         Lacking<(Given > 0 ? Given - 1 : 0), Parts...>> {};
template <class Part> constexpr bool has_a_default = std::is_void_v<Part>;  // fed with the culprit, or void
template <class Part> Part no_value();  // never defined: stands behind a failed assert
}  // namespace detail

/// The value of a part that the call leaves out, as in `rg::Trainer<Net, rg::AdamW, rg::CrossEntropy>{net}`.
template <class Part> constexpr Part left_out() {
  static_assert(detail::has_a_default<typename detail::Lacking<0, Part>::type>,
                "regimen: this part has no default (no learning rate anywhere?): write it in the call, as rg::SGD{.lr = 0.1}; see docs/errors.md#rate");
  if constexpr (std::is_default_constructible_v<Part>) return Part{};
  else return detail::no_value<Part>();
}
}  // namespace regimen
