// regimen/core/archive.hpp - what makes a State savable, asked at compile time
#pragma once
#include <array>
#include <concepts>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "regimen/core/hooks.hpp"  // for Label

namespace regimen {
namespace detail {
struct AnyArchive {
  constexpr void operator()(std::string_view, auto&) {}
};
template <class T> concept has_archive = requires(T& t, AnyArchive& a) { t.archive(a); };
template <class T> concept tensor_like = requires(const T& t) { t.unsafeGetTensorImpl(); };

template <class T> constexpr bool is_savable = std::is_arithmetic_v<T> || std::is_enum_v<T> || std::same_as<T, std::string> || tensor_like<T> || has_archive<T>;
template <class T> constexpr bool is_savable<std::vector<T>> = is_savable<T>;
template <> inline constexpr bool is_savable<std::vector<bool>> = false;  // its elements have no address
template <class T, std::size_t N> constexpr bool is_savable<std::array<T, N>> = is_savable<T>;
template <class T> constexpr bool is_savable<std::optional<T>> = is_savable<T>;
template <class T> constexpr bool is_savable<std::map<std::string, T>> = is_savable<T>;
template <class A, class B> constexpr bool is_savable<std::pair<A, B>> = is_savable<A> && is_savable<B>;

struct AnyField {
  template <class T> operator T() const;  // not constexpr: g++ would warn that it is used and never defined
};
template <class S, std::size_t... I> constexpr bool takes_fields(std::index_sequence<I...>) {
  return requires { S{(void(I), AnyField{})...}; };
}
template <class S, std::size_t N = 32> constexpr std::size_t field_count() {
  if constexpr (N == 0) return 0;
  else if constexpr (takes_fields<S>(std::make_index_sequence<N>())) return N;
  else return field_count<S, N - 1>();
}

struct ArchivedNames {
  std::array<std::string_view, 32> names{};
  std::array<const volatile void*, 32> fields{};
  std::size_t count = 0;
  bool distinct = true, savable = true;

  template <class T> constexpr void operator()(std::string_view name, T& field) {
    for (std::size_t i = 0; i < count && i < 32; ++i) distinct = distinct && names[i] != name && fields[i] != &field;
    if (count < 32) {
      names[count] = name;
      fields[count] = &field;
    }
    ++count;
    savable = savable && is_savable<T>;
  }
};
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wundefined-var-template"  // undefined on purpose: bound to, never read
#endif
template <class T> extern T somewhere;
template <class S> constexpr ArchivedNames archived_names() {
  ArchivedNames a;
  if constexpr (has_archive<S>) somewhere<S>.archive(a);
  a.fields = {};  // nobody may ask for the object that isn't there
  return a;
}
#ifdef __clang__
#pragma clang diagnostic pop
#endif
template <class S> concept archive_is_constexpr = requires { typename std::integral_constant<std::size_t, archived_names<S>().count>; };

template <class S> constexpr bool state_is_plain = std::is_aggregate_v<S>;
/// An empty State needs no archive; any other names each of its fields once, in a `constexpr void archive(auto& a)`.
template <class S> constexpr bool state_is_archived() {
  if constexpr (std::is_empty_v<S>) return true;
  else if constexpr (!has_archive<S>) return false;
  else if constexpr (!archive_is_constexpr<S>) return false;
  else return archived_names<S>().distinct && archived_names<S>().count == field_count<S>();
}
template <class S> constexpr bool fields_are_savable() {
  if constexpr (has_archive<S>) return archived_names<S>().savable;
  else return true;
}
}  // namespace detail

/// A State that a checkpoint can hold: an aggregate that is empty, or whose `archive` names every field once.
/// Fields may be numbers, enums, strings, tensors, types with an `archive`, and vector, array, optional, pair or string-keyed map of these.
template <class S> concept archivable = detail::state_is_plain<S> && detail::state_is_archived<S>() && detail::fields_are_savable<S>();
}  // namespace regimen
