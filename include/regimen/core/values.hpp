// regimen/core/values.hpp - a tuple without recursion: each element costs a compiler the same, however many there are
#pragma once
#include <cstddef>
#include <utility>

namespace regimen::detail {
template <std::size_t I, class T> struct Element {
  T value;
};
template <class Indices, class... Ts> struct Elements;
template <std::size_t... I, class... Ts> struct Elements<std::index_sequence<I...>, Ts...> : Element<I, Ts>... {
  constexpr Elements() = default;
  constexpr explicit Elements(const Ts&... values) requires(sizeof...(Ts) > 0) : Element<I, Ts>{values}... {}
};

/// Values of several types, reached by `at<I>`. In place of std::tuple, whose instantiation takes most of the time of a long list of policies.
template <class... Ts> struct Values : Elements<std::index_sequence_for<Ts...>, Ts...> {
  static constexpr std::size_t size = sizeof...(Ts);
  using Elements<std::index_sequence_for<Ts...>, Ts...>::Elements;
};
template <class... Ts> Values(const Ts&...) -> Values<Ts...>;

template <std::size_t I, class T> constexpr T& at(Element<I, T>& element) { return element.value; }
template <std::size_t I, class T> constexpr const T& at(const Element<I, T>& element) { return element.value; }
template <class T, std::size_t I> constexpr T& at(Element<I, T>& element) { return element.value; }  // of a type that stands once
template <class T, std::size_t I> constexpr const T& at(const Element<I, T>& element) { return element.value; }
}  // namespace regimen::detail
