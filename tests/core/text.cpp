// tests/core/text.cpp - text as a template argument, types as text
#include "regimen/core/text.hpp"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <type_traits>
#include <vector>

#include "regimen/core/duration.hpp"

namespace rg = regimen;

namespace text_tests {
template <rg::Text T> struct Named {};
template <class T, int N> struct Pair {};
struct Plain {};
}  // namespace text_tests
using namespace text_tests;

TEST_CASE("a literal is a template argument, equal by its letters") {
  STATIC_CHECK(std::is_same_v<Named<"lr">, Named<"lr">>);
  STATIC_CHECK_FALSE(std::is_same_v<Named<"lr">, Named<"lr.">>);
  STATIC_CHECK(rg::Text{"lr"}.view() == "lr");
  STATIC_CHECK(rg::Text{"a\0b"}.length() == 1);
}
TEST_CASE("a type's name is spelt with its namespaces, whatever stands in it") {
  STATIC_CHECK(rg::type_name<int>() == "int");
  STATIC_CHECK(rg::type_name<Plain>() == "text_tests::Plain");
  STATIC_CHECK(rg::type_name<Pair<Plain, 3>>() == "text_tests::Pair<text_tests::Plain, 3>");
  STATIC_CHECK(rg::type_name<int[3]>().starts_with("int"));
  STATIC_CHECK(rg::type_name<int[3]>().ends_with("[3]"));
  CHECK(rg::type_name<std::vector<std::string_view>>().starts_with("std::vector<"));
  CHECK(rg::type_name<std::vector<std::string_view>>().ends_with(">"));
  CHECK(rg::type_name<decltype([] {})>() != rg::type_name<Plain>());
}
TEST_CASE("a short name leaves the library's own namespace out, no other") {
  STATIC_CHECK(rg::detail::short_name<rg::Length>() == "Length");
  STATIC_CHECK(rg::detail::short_name<Plain>() == "text_tests::Plain");
}
