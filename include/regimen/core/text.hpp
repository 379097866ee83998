// regimen/core/text.hpp - a string that can be a template argument, and the spelling of a type
#pragma once
#include <algorithm>
#include <cstddef>
#include <string_view>

namespace regimen {
/// A string literal as a template argument; a failed check prints it as `Text<4>{"lr."}`.
template <std::size_t N> struct Text {
  char chars[N]{};

  constexpr Text(const char (&literal)[N]) { std::copy_n(literal, N, chars); }
  constexpr std::string_view view() const { return {chars, N - 1}; }
  constexpr std::size_t length() const { return static_cast<std::size_t>(std::find(chars, chars + N, '\0') - chars); }
  bool operator==(const Text&) const = default;
};

namespace detail {
template <class T> constexpr std::string_view spelling() {
#ifdef __clang__
  constexpr std::string_view whole = __PRETTY_FUNCTION__, before = "[T = ";
#else
  constexpr std::string_view whole = __PRETTY_FUNCTION__, before = "with T = ";
#endif
  constexpr auto begin = whole.find(before) + before.size();
  constexpr auto end = whole.find_first_of(";]", whole.rfind("; std::string_view") == whole.npos ? whole.size() - 1 : whole.rfind("; std::string_view"));
  return whole.substr(begin, end - begin);
}
}  // namespace detail

/// The name of a type as the compiler spells it, with its namespaces. Example: `rg::type_name<rg::Accumulate<4>>()`.
template <class T> constexpr std::string_view type_name() { return detail::spelling<T>(); }

namespace detail {
/// The same without the library's own namespace, for tables and messages.
template <class T> constexpr std::string_view short_name() {
  constexpr auto name = type_name<T>();
  constexpr std::string_view ours = "regimen::";
  return name.starts_with(ours) ? name.substr(ours.size()) : name;
}
}  // namespace detail
}  // namespace regimen
