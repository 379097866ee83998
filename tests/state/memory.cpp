// tests/state/memory.cpp - every kind of field, there and back; what is missing, of another kind or shape; no memory shared
#include <torch/torch.h>

#include "regimen/state/memory.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_all.hpp>
#include <cmath>
#include <limits>

#include "support/tensors.hpp"

namespace memory_tests {
namespace rg = regimen;
using Catch::Matchers::ContainsSubstring;
enum class Mode : std::uint8_t { off, on };

struct Inner {
  double mean = 0;
  std::vector<double> parts{};
  constexpr void archive(auto& a) { a("mean", mean); a("parts", parts); }
  bool operator==(const Inner&) const = default;
};
struct All {
  bool flag = false;
  char letter = 'a';
  std::int32_t small = 0;
  std::int64_t number = 0;
  std::uint64_t big = 0;
  float single = 0;
  double real = 0;
  Mode mode = Mode::off;
  std::string text{};
  Inner inner{};
  std::vector<std::vector<std::string>> lists{};
  std::array<Inner, 2> both{};
  std::optional<double> perhaps{}, never = 1.0;
  std::map<std::string, std::vector<std::int64_t>> by_name{};
  std::pair<std::int64_t, std::optional<std::string>> pair{};
  constexpr void archive(auto& a) {
    a("flag", flag); a("letter", letter); a("small", small); a("number", number); a("big", big); a("single", single);
    a("real", real); a("mode", mode); a("text", text); a("inner", inner); a("lists", lists); a("both", both);
    a("perhaps", perhaps); a("never", never); a("by_name", by_name); a("pair", pair);
  }
  bool operator==(const All&) const = default;
};
static_assert(rg::archivable<All>);
All filled() {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  return {true, 'z', -7, -most - 1, std::numeric_limits<std::uint64_t>::max(), 0.1f, 5e-324, Mode::on, std::string("a\0b\n", 4),
          {1.5, {1, 2, 3}}, {{"x", ""}, {}, {"y"}}, {{{1, {}}, {2, {4}}}}, 0.1, {},
          {{"", {1}}, {"a/b", {}}, {"of x", {2, 3}}, {"keys", {4}}, {"size", {}}}, {most, "p"}};
}
struct Tensors {
  torch::Tensor plain{}, undefined{};
  std::vector<torch::Tensor> list{};
  std::optional<torch::Tensor> perhaps{};
  std::map<std::string, torch::Tensor> by_name{};
  constexpr void archive(auto& a) {
    a("plain", plain); a("undefined", undefined); a("list", list); a("perhaps", perhaps); a("by_name", by_name);
  }
};
static_assert(rg::archivable<Tensors>);
struct One {
  torch::Tensor t;
  constexpr void archive(auto& a) { a("t", t); }
};
template <class State> rg::StateMap saved(State& state) {
  rg::StateMap map;
  rg::detail::MemoryArchive<false> archive{map};
  state.archive(archive);
  return map;
}
template <class State> State& load(State& state, const rg::StateMap& map) {
  rg::detail::MemoryArchive<true> archive{map};
  state.archive(archive);
  return state;
}

TEST_CASE("numbers, enums, texts and what holds them come back as they were") {
  auto full = filled();
  const auto map = saved(full);
  All empty, other = filled(), changed = filled();
  other.inner.parts = {9, 9, 9, 9, 9};  // longer: it shrinks
  other.lists.clear();
  other.perhaps.reset();
  other.never = 3;
  other.by_name = {{"gone", {}}, {"", {7, 7}}};
  other.pair.second.reset();
  CHECK(load(empty, map) == full);
  CHECK(load(other, map) == full);
  CHECK(full == filled());  // saving leaves it
  All nothing;
  nothing.never.reset();
  CHECK(load(changed, saved(nothing)) == nothing);
}

TEST_CASE("doubles keep their bits") {
  for (double x : {-0.0, std::numeric_limits<double>::infinity(), 0.1 + 0.2, std::numeric_limits<double>::min() / 3}) {
    Inner from{x, {}}, to;
    load(to, saved(from));
    CHECK(to.mean == x);
    CHECK(std::signbit(to.mean) == std::signbit(x));
  }
  Inner from{std::nan(""), {}}, to;
  CHECK(std::isnan(load(to, saved(from)).mean));
}

TEST_CASE("a field that is missing is an error that names it, whichever it is") {
  auto full = filled();
  const auto map = saved(full);
  CHECK(map.size() > 40);
  for (const auto& [key, value] : map) {
    INFO(key);
    auto lacking = map;
    lacking.erase(key);
    All to;
    CHECK_THAT(tensors::error_of([&] { load(to, lacking); }), ContainsSubstring("the state has no \"" + key + '"'));
  }
}

TEST_CASE("a field of another kind is an error that names it, whichever it is") {
  auto full = filled();
  const auto map = saved(full);
  for (const auto& [key, value] : map)
    for (const auto& other : std::initializer_list<rg::StateMap::mapped_type>{std::int64_t{1}, 1.0, std::string{"1"}, torch::ones({1})}) {
      if (other.index() == value.index()) continue;
      INFO(key << ", kind " << other.index());
      auto wrong = map;
      wrong[key] = other;
      All to;
      CHECK_THAT(tensors::error_of([&] { load(to, wrong); }), ContainsSubstring('"' + key + "\" is of another kind"));
    }
  Tensors tensors;
  auto wrong = saved(tensors);
  wrong["plain"] = 1.0;
  CHECK_THAT(tensors::error_of([&] { load(tensors, wrong); }), ContainsSubstring("\"plain\" is of another kind"));
}

TEST_CASE("a negative length is an error") {
  Inner inner;
  auto map = saved(inner);
  map["parts/size"] = std::int64_t{-1};
  CHECK_THAT(tensors::error_of([&] { load(inner, map); }), ContainsSubstring("parts/size"));
}

Tensors with_tensors() {
  torch::manual_seed(1);
  return {torch::randn({2, 3}),
          {},
          {torch::randn({4}), torch::Tensor{}, torch::arange(3), torch::randn({0})},
          torch::randn({2, 3, 4, 4}).contiguous(torch::MemoryFormat::ChannelsLast),
          {{"a", torch::randn({2}).to(torch::kBFloat16)}, {"b", torch::tensor({true, false})}}};
}
void check_same(const Tensors& a, const Tensors& b) {
  CHECK(tensors::same_bits(a.plain, b.plain));
  CHECK(tensors::same_bits(a.undefined, b.undefined));
  CHECK(std::ranges::equal(a.list, b.list, tensors::same_bits));
  CHECK(a.perhaps.has_value() == b.perhaps.has_value());
  if (a.perhaps && b.perhaps) CHECK(tensors::same_bits(*a.perhaps, *b.perhaps));
  CHECK(std::ranges::equal(a.by_name, b.by_name, [](const auto& x, const auto& y) {
    return x.first == y.first && tensors::same_bits(x.second, y.second);
  }));
}

TEST_CASE("tensors come back, undefined ones too, into empty fields and into full ones") {
  auto full = with_tensors();
  const auto map = saved(full);
  Tensors empty, other = with_tensors();
  other.plain.zero_();
  other.undefined = torch::ones({1});
  other.list = {torch::zeros({4})};
  other.perhaps.reset();
  other.by_name = {{"a", torch::zeros({9})}, {"gone", torch::zeros({1})}};
  check_same(load(empty, map), full);
  check_same(load(other, map), full);
  CHECK(empty.perhaps->strides() == full.perhaps->strides());
  Tensors none;
  check_same(load(full, saved(none)), none);
}

TEST_CASE("K101 neither saving nor loading shares memory") {
  auto from = with_tensors();
  const auto map = saved(from);
  Tensors fresh, full = with_tensors();
  load(fresh, map);
  load(full, map);
  const auto expected = with_tensors();
  const auto wreck = [](Tensors& t) {
    t.plain.fill_(9);
    t.list[0].fill_(9);
    t.perhaps->fill_(9);
    t.by_name["a"].fill_(9);
  };
  wreck(from);  // the map keeps what it was given
  check_same(fresh, expected);
  Tensors again;
  check_same(load(again, map), expected);
  wreck(fresh);
  check_same(full, expected);
  wreck(full);
  Tensors third;
  check_same(load(third, map), expected);
}

TEST_CASE("a defined tensor is loaded in place, whatever its strides, without autograd's notice or complaint") {
  One from{torch::arange(6).to(torch::kFloat).reshape({2, 3})};
  for (const auto& to : {torch::zeros({2, 3}), torch::zeros({3, 2}).t(), tensors::spread(torch::zeros({2, 3})),
                         torch::zeros({2, 3}).requires_grad_()}) {
    One field{to};
    const auto* impl = to.unsafeGetTensorImpl();
    load(field, saved(from));
    CHECK(field.t.unsafeGetTensorImpl() == impl);
    CHECK(torch::equal(to, from.t));
    CHECK(to.is_leaf());
  }
  One with_graph{torch::ones({2}).requires_grad_()};
  CHECK_FALSE(std::get<torch::Tensor>(saved(with_graph).at("t")).requires_grad());
}

TEST_CASE("a tensor of another shape is an error that names it and changes nothing, one that would broadcast too") {
  for (const auto& stored :
       {torch::ones({3}), torch::ones({1}), torch::ones({}), torch::ones({0}), torch::ones({2, 2}).t()[0].unsqueeze(0)}) {
    One from{stored}, to{torch::zeros({2})};
    CHECK_THAT(tensors::error_of([&] { load(to, saved(from)); }), ContainsSubstring("t has another shape"));
    CHECK(torch::equal(to.t, torch::zeros({2})));
  }
}

TEST_CASE("nested archives have names of their own") {
  rg::StateMap map;
  rg::detail::MemoryArchive<false> archive{map};
  double x = 1, y = 2;
  archive("x", x);
  auto inner = archive.in("inner");
  inner("x", y);
  auto deeper = inner.in("deeper");
  deeper("x", x);
  CHECK(map.size() == 3);
  CHECK(std::get<double>(map.at("inner/x")) == 2);
  CHECK(std::get<double>(map.at("inner/deeper/x")) == 1);
}
}  // namespace memory_tests
