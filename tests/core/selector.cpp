// tests/core/selector.cpp - globs against Python's fnmatch, which of them are well formed, selectors as template arguments
#include "regimen/core/selector.hpp"

#include <catch2/catch_get_random_seed.hpp>
#include <catch2/catch_test_macros.hpp>
#include <random>
#include <set>
#include <string>
#include <type_traits>

namespace rg = regimen;

namespace selector_tests {
/// The definition word by word: exponential, but plain.
bool reference(std::string_view glob, std::string_view name) {
  if (glob.empty()) return name.empty();
  if (glob[0] == '*') return reference(glob.substr(1), name) || (!name.empty() && reference(glob, name.substr(1)));
  if (name.empty()) return false;
  bool fits = glob[0] == '?' || glob[0] == name[0];
  std::size_t used = 1;
  const bool outside = glob.starts_with("[!");
  const std::size_t first = outside ? 2 : 1;
  if (const auto close = glob.find(']', first + 1); glob[0] == '[' && close != glob.npos) {
    std::set<int> members;
    for (auto rest = glob.substr(first, close - first); !rest.empty();) {
      const bool range = rest.size() > 2 && rest[1] == '-';
      for (int c = rest[0]; c <= rest[range ? 2 : 0]; ++c) members.insert(c);
      rest.remove_prefix(range ? 3 : 1);
    }
    fits = members.contains(name[0]) != outside;
    used = close + 1;
  }
  return fits && reference(glob.substr(used), name.substr(1));
}
std::string drawn(std::mt19937& random, std::string_view letters, std::size_t longest) {
  std::string text(random() % (longest + 1), ' ');
  for (char& c : text) c = letters[random() % letters.size()];
  return text;
}
struct Norm {};
template <rg::Selector... S> struct Selects {};
}  // namespace selector_tests
using namespace selector_tests;

TEST_CASE("globs match as Python's fnmatchcase does") {
  struct Row { const char *glob, *name; bool matches; };
  const Row rows[]{  // the last column was printed by Python 3.11
    {"head.*", "head.weight", true}, {"head.*", "head", false}, {"head.*", "ahead.bias", false}, {"*.weight", "layers.0.fc.weight", true},
    {"*", "anything.at.all", true}, {"*", "", true}, {"", "", true}, {"", "a", false}, {"a", "A", false}, {"a.b", "aXb", false},
    {"layer?.bias", "layer3.bias", true}, {"layer?.bias", "layer12.bias", false}, {"layer??.bias", "layer12.bias", true}, {"?", "", false},
    {"**a**", "bab", true}, {"*a*b*c", "xaybzc", true}, {"*a*b*c", "xaybzd", false}, {"*ab", "aab", true}, {"*aab*", "aaab", true},
    {"layer[0-3].*", "layer3.bias", true}, {"layer[0-3].*", "layer4.bias", false}, {"layer[!0-3].*", "layer4.bias", true},
    {"layer[!0-3].*", "layer0.bias", false}, {"[abc]", "b", true}, {"[abc]", "d", false}, {"[]]", "]", true}, {"[!]]", "]", false},
    {"[!]]", "a", true}, {"[]a]", "a", true}, {"[a-]", "-", true}, {"[-a]", "-", true}, {"[a-c-e]", "-", true}, {"[a-c-e]", "d", false},
    {"[a-c-e]", "e", true}, {"[c-a]", "b", false}, {"[!c-a]", "b", true}, {"[c-ab]", "b", true}, {"[--0]", ".", true}, {"[!-a]", "-", false},
    {"[^a]", "a", true}, {"[^a]", "^", true}, {"[^a]", "b", false}, {"[a!]", "!", true}, {"[", "[", true}, {"[ab", "[ab", true},
    {"[ab", "a", false}, {"[!", "[!", true}, {"[]", "[]", true}, {"[!]", "[!]", true}, {"a[", "a[", true}, {"*[", "x[", true},
    {"[a*", "[aaa", true}, {"]", "]", true}, {"a\\*", "a\\b", true}, {"[\\d]", "d", true}, {"[*?]", "*", true}, {"[*?]", "x", false},
  };
  for (const auto& row : rows) {
    CAPTURE(row.glob, row.name);
    CHECK(rg::matches(row.glob, row.name) == row.matches);
    CHECK(reference(row.glob, row.name) == row.matches);
  }
}

TEST_CASE("random globs match as their definition says") {
  const auto seed = Catch::getSeed();
  std::mt19937 random{seed};
  int matched = 0;
  for (int i = 0; i < 20'000; ++i) {
    const auto glob = drawn(random, "aab.*?[]!-", 7), name = drawn(random, "aab.]-[", 5);
    CAPTURE(seed, glob, name);
    const bool right = reference(glob, name);
    matched += right;
    if (rg::matches(glob, name) != right) FAIL_CHECK("matches() says " << !right);
  }
  CHECK(matched > 300);  // both answers were asked for
}

TEST_CASE("a glob full of stars takes no exponential time") {
  std::string glob, name(2'000, 'a');
  for (int i = 0; i < 50; ++i) glob += "*a";
  CHECK_FALSE(rg::matches(glob + "b", name));
  CHECK(rg::matches(glob, name));
}

TEST_CASE("globs that no parameter's name could match are malformed") {
  using rg::detail::glob_is_well_formed;
  for (const char* good : {"*", "backbone.*", "layers.[0-3].weight", "a", "[!a].b", "[]]", "*.*", "w?"}) CHECK(glob_is_well_formed(good));
  for (const char* bad : {"", "backbone..*", ".weight", "weight.", "layer[0-3", "layer]", "fc 1", "fc1/weight", "fc1\\weight", "[!]"}) {
    CAPTURE(bad);
    CHECK_FALSE(glob_is_well_formed(bad));
  }
}

TEST_CASE("selectors are template arguments: globs, named ones and module types in one list") {
  static constexpr rg::Selector backbone{"backbone.*"};
  STATIC_CHECK(std::is_same_v<Selects<backbone>, Selects<"backbone.*">>);
  STATIC_CHECK_FALSE(std::is_same_v<Selects<"a", "b">, Selects<"b", "a">>);
  using All = Selects<"backbone.*", rg::type<Norm>>;
  STATIC_CHECK(std::is_same_v<All, Selects<backbone, rg::Selector{rg::type<Norm>}>>);

  constexpr rg::Selector by_type{rg::type<Norm>};
  STATIC_CHECK(by_type.by_type);
  STATIC_CHECK(std::is_same_v<decltype(by_type)::Type, Norm>);
  STATIC_CHECK_FALSE(backbone.by_type);
  STATIC_CHECK(backbone.view() == "backbone.*");
  STATIC_CHECK(rg::matches(backbone.view(), "backbone.0.weight"));
}
