// regimen/core/describe.hpp - any aggregate of hyperparameters as text
#pragma once
#include <concepts>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "regimen/core/archive.hpp"  // for field_count
#include "regimen/core/duration.hpp"
#include "regimen/core/text.hpp"

namespace regimen {
namespace detail {
template <class T> auto fields_of(const T& t) {
  constexpr auto n = field_count<T>();
  if constexpr (n == 1) { const auto& [a] = t; return std::tie(a); }
  else if constexpr (n == 2) { const auto& [a, b] = t; return std::tie(a, b); }
  else if constexpr (n == 3) { const auto& [a, b, c] = t; return std::tie(a, b, c); }
  else if constexpr (n == 4) { const auto& [a, b, c, d] = t; return std::tie(a, b, c, d); }
  else if constexpr (n == 5) { const auto& [a, b, c, d, e] = t; return std::tie(a, b, c, d, e); }
  else if constexpr (n == 6) { const auto& [a, b, c, d, e, f] = t; return std::tie(a, b, c, d, e, f); }
  else if constexpr (n == 7) { const auto& [a, b, c, d, e, f, g] = t; return std::tie(a, b, c, d, e, f, g); }
  else if constexpr (n == 8) { const auto& [a, b, c, d, e, f, g, h] = t; return std::tie(a, b, c, d, e, f, g, h); }
  else if constexpr (n == 0) return std::tuple<>{};
  else return std::tuple{"..."};  // more than anybody reads in a line
}
template <class T> void print_value(std::ostream& out, const T& value);
template <class T> void print_value(std::ostream& out, const std::optional<T>& value) {
  if (value) print_value(out, *value);
  else out << "unset";
}
template <class U> void print_value(std::ostream& out, const Duration<U>& d) {
  print_value(out, d.count);
  out << ' ' << U::name;
}
inline void print_value(std::ostream& out, const Length& l) {
  print_value(out, l.count);
  out << ' ' << name_of(l.unit);
}
template <class T> void print_fields(std::ostream& out, const T& value) {
  std::apply([&](const auto&... field) {
    [[maybe_unused]] const char* comma = "";
    ((out << comma, print_value(out, field), comma = ", "), ...);
  }, fields_of(value));
}
template <class T> void print_value(std::ostream& out, const T& value) {
  if constexpr (std::is_same_v<T, bool>) out << (value ? "true" : "false");
  else if constexpr (std::is_floating_point_v<T>) {  // the shortest text that reads back as the same number
    char text[32];  // not <charconv>: it would double what core includes
    for (int digits = 1; digits <= 17; ++digits) {
      std::snprintf(text, sizeof text, "%.*g", digits, static_cast<double>(value));
      if (static_cast<T>(std::strtod(text, nullptr)) == value) break;
    }
    out << text;
  } else if constexpr (std::is_enum_v<T>) out << static_cast<long long>(value);
  else if constexpr (requires { out << value; }) out << value;
  else if constexpr (std::is_aggregate_v<T> && !std::is_array_v<T> && std::is_copy_constructible_v<T>) { out << '{'; print_fields(out, value); out << '}'; }
  else out << "...";
}
}  // namespace detail

/// A policy or optimizer as it would be written: its type, then its fields in declaration order.
/// One that prints itself has a member `std::string describe() const`. Example: `rg::describe(rg::Accumulate<4>{})` is "Accumulate<4>{}".
template <class T> std::string describe(const T& value) {
  if constexpr (requires { { value.describe() } -> std::convertible_to<std::string>; }) return value.describe();
  else {
    std::ostringstream out;
    out << detail::short_name<T>();
    if constexpr (std::is_aggregate_v<T>) { out << '{'; detail::print_fields(out, value); out << '}'; }
    return out.str();
  }
}
}  // namespace regimen
