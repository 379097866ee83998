// regimen/core/selector.hpp - which parameters: a glob over their names, or the type of their module
#pragma once
#include <algorithm>
#include <cstddef>
#include <string_view>
#include <type_traits>

namespace regimen {
/// Does `name` match `glob`? `*` is any run of characters, dots too, `?` is one, `[a-c]` one of a set, `[!a-c]` one outside it.
/// Equals Python's `fnmatch.fnmatchcase`. No backtracking beyond the last star. Example: `rg::matches("head.*", "head.weight")`.
constexpr bool matches(std::string_view glob, std::string_view name);

namespace detail {
/// Where the part of a set `[...]` that starts at `open` ends: the index behind `]`, or npos if it never closes.
constexpr std::size_t set_end(std::string_view glob, std::size_t open) {
  auto i = open + 1;
  if (i < glob.size() && glob[i] == '!') ++i;
  auto close = glob.find(']', i + 1);  // a `]` that stands first is a member
  return close == glob.npos ? close : close + 1;
}
constexpr bool in_set(std::string_view members, char c) {
  const bool outside = members.starts_with('!');
  if (outside) members.remove_prefix(1);
  bool found = false;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (i + 2 < members.size() && members[i + 1] == '-') {
      found |= members[i] <= c && c <= members[i + 2];
      i += 2;
    } else {
      found |= members[i] == c;
    }
  }
  return found != outside;
}
constexpr bool glob_is_well_formed(std::string_view glob) {
  if (glob.empty()) return false;
  for (std::size_t i = 0; i < glob.size();) {
    const char c = glob[i];
    if (c == '[') {
      if ((i = set_end(glob, i)) == glob.npos) return false;
      continue;
    }
    if (c == ' ' || c == '/' || c == '\\' || c == ']') return false;  // no parameter's name has these: a typing error
    if (c == '.' && (i == 0 || i + 1 == glob.size() || glob[i + 1] == '.')) return false;
    ++i;
  }
  return true;
}
}  // namespace detail

constexpr bool matches(std::string_view glob, std::string_view name) {
  std::size_t g = 0, n = 0, star = glob.npos, resume = 0;
  while (n < name.size()) {
    if (g < glob.size() && glob[g] == '*') {
      star = g++;
      resume = n;
      continue;
    }
    if (g < glob.size()) {
      const auto close = glob[g] == '[' ? detail::set_end(glob, g) : glob.npos;
      const bool set = close != glob.npos;  // a `[` that never closes stands for itself
      const auto end = set ? close : g + 1;
      const bool same = set ? detail::in_set(glob.substr(g + 1, end - g - 2), name[n]) : glob[g] == '?' || glob[g] == name[n];
      if (same) {
        g = end;
        ++n;
        continue;
      }
    }
    if (star == glob.npos) return false;
    g = star + 1;
    n = ++resume;
  }
  return std::all_of(glob.begin() + g, glob.end(), [](char c) { return c == '*'; });
}

template <class T> struct TypeIs {};
/// Selects all parameters of the modules of a type, and of what lies below them. Example: `rg::Freeze<rg::type<torch::nn::BatchNorm2d>>`.
template <class T> inline constexpr TypeIs<T> type{};

/// One selector of parameters, a glob or a module type, as a template argument; a malformed glob does not compile.
/// Example: `constexpr rg::Selector backbone{"backbone.*"};` and then `rg::Freeze<backbone>`.
template <class T, std::size_t N> struct Selector {
  using Type = T;  // void for a glob
  static constexpr bool by_type = !std::is_void_v<T>;
  char chars[N]{};

  constexpr Selector(const char (&glob)[N]) {
    std::copy_n(glob, N, chars);
    // in a constant expression a throw is the error, and compilers show its line
    if (!detail::glob_is_well_formed(view())) {
      throw "regimen: malformed glob: no name has blanks, slashes or empty parts, and `[` needs `]`; see docs/errors.md#glob";
    }
  }
  constexpr Selector(TypeIs<T>) {}
  constexpr std::string_view view() const { return {chars, N - 1}; }
  bool operator==(const Selector&) const = default;
};
template <std::size_t N> Selector(const char (&)[N]) -> Selector<void, N>;
template <class T> Selector(TypeIs<T>) -> Selector<T, 1>;
}  // namespace regimen
