// tests/core/archive.cpp - fields are counted, names compared, types judged
#include "regimen/core/archive.hpp"

#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <memory>
#include <tuple>
#include <variant>

namespace rg = regimen;
using rg::detail::field_count;

namespace archive_tests {
enum class Mode { a, b };
struct Inner {
  double mean = 0;
  constexpr void archive(auto& a) { a("mean", mean); }
};
struct Tensor { void* unsafeGetTensorImpl() const { return nullptr; } };

struct Empty {};
struct OfAllKinds {
  int number = 1;
  double real = 0.5;
  bool flag = true;
  Mode mode = Mode::a;
  std::string text = "x";
  Tensor tensor{};
  Inner inner{};
  std::vector<Tensor> tensors{};
  std::array<Inner, 3> means{};
  std::optional<double> perhaps{};
  std::map<std::string, std::vector<double>> by_name{};
  std::pair<int, Inner> both{};
  constexpr void archive(auto& a) {
    a("number", number); a("real", real); a("flag", flag); a("mode", mode); a("text", text); a("tensor", tensor); a("inner", inner);
    a("tensors", tensors); a("means", means); a("perhaps", perhaps); a("by_name", by_name); a("both", both);
  }
};
struct HardToCount {
  std::function<void()> f;
  std::unique_ptr<int> p;
  std::variant<int, std::string> v;
  std::tuple<int, double> t;
  std::array<int, 5> a;
  Inner inner;
  unsigned bits : 3;
};
struct Silent { int a = 0; };
struct OneLeftOut {
  int a = 0, b = 0;
  constexpr void archive(auto& ar) { ar("a", a); }
};
struct NameTwice {
  int a = 0, b = 0;
  constexpr void archive(auto& ar) { ar("a", a); ar("a", b); }
};
struct FieldTwice {
  int a = 0, b = 0;
  constexpr void archive(auto& ar) { ar("a", a); ar("b", a); }
};
struct NotConstexpr {
  int a = 0;
  void archive(auto& ar) { ar("a", a); }
};
struct Pointer {
  int* a = nullptr;
  constexpr void archive(auto& ar) { ar("a", a); }
};
struct Bits {
  std::vector<bool> a;
  constexpr void archive(auto& ar) { ar("a", a); }
};
struct Deep {
  std::map<std::string, std::vector<std::optional<int*>>> a;
  constexpr void archive(auto& ar) { ar("a", a); }
};
struct Built {
  int a;
  Built() : a{1} {}
  constexpr void archive(auto& ar) { ar("a", a); }
};
}  // namespace archive_tests
using namespace archive_tests;

TEST_CASE("fields of an aggregate are counted, whatever they are") {
  STATIC_CHECK(field_count<Empty>() == 0);
  STATIC_CHECK(field_count<Silent>() == 1);
  STATIC_CHECK(field_count<OfAllKinds>() == 12);
  STATIC_CHECK(field_count<HardToCount>() == 7);
}

TEST_CASE("a State that is empty or names every field once can be saved") {
  STATIC_CHECK(rg::archivable<Empty>);
  STATIC_CHECK(rg::archivable<Inner>);
  STATIC_CHECK(rg::archivable<OfAllKinds>);  // not a literal type, counted all the same
  constexpr auto names = rg::detail::archived_names<OfAllKinds>();
  STATIC_CHECK(names.count == 12);
  STATIC_CHECK(names.names[4] == "text");
}

TEST_CASE("a State that forgets a field, names one twice or can't be counted is refused") {
  using rg::detail::state_is_archived;
  STATIC_CHECK_FALSE(state_is_archived<Silent>());
  STATIC_CHECK_FALSE(state_is_archived<OneLeftOut>());
  STATIC_CHECK_FALSE(state_is_archived<NameTwice>());
  STATIC_CHECK_FALSE(state_is_archived<FieldTwice>());
  STATIC_CHECK_FALSE(state_is_archived<NotConstexpr>());
  STATIC_CHECK_FALSE(rg::detail::state_is_plain<Built>);
}

TEST_CASE("a field of a type that no archive knows is refused, also deep inside containers") {
  using rg::detail::fields_are_savable;
  STATIC_CHECK(fields_are_savable<OfAllKinds>());
  STATIC_CHECK_FALSE(fields_are_savable<Pointer>());
  STATIC_CHECK_FALSE(fields_are_savable<Bits>());
  STATIC_CHECK_FALSE(fields_are_savable<Deep>());
  STATIC_CHECK_FALSE(rg::archivable<Pointer>);
}
