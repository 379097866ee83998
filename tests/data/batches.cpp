// tests/data/batches.cpp - passes over samples in memory: ranges, order, sizes, errors
#include "regimen/data/batches.hpp"

#include <torch/torch.h>

#include <catch2/catch_get_random_seed.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_all.hpp>
#include <iterator>
#include <random>
#include <range/v3/range/concepts.hpp>
#include <range/v3/range/conversion.hpp>
#include <range/v3/view/take.hpp>
#include <range/v3/view/transform.hpp>
#include <ranges>
#include <vector>

#include "support/toy.hpp"

namespace batches_tests {
using rg::Batches;
static_assert(std::ranges::input_range<Batches> && std::ranges::input_range<const Batches> && std::ranges::sized_range<Batches>);
static_assert(ranges::input_range<Batches> && ranges::input_range<const Batches> && ranges::sized_range<Batches>);
static_assert(!std::ranges::forward_range<Batches> && !ranges::forward_range<Batches>, "its passes differ");
static_assert(std::is_same_v<std::ranges::range_value_t<Batches>, rg::Batch> && std::is_same_v<ranges::range_value_t<Batches>, rg::Batch>);
static_assert(std::movable<Batches> && std::copyable<Batches>);

using Numbers = std::vector<std::int64_t>;
/// Sample i has the input (i, -i) and the target i.
Batches numbered(std::int64_t n, rg::BatchesOptions options) {
  const auto i = torch::arange(n);
  return {torch::stack({i, -i}, 1), i, options};
}
Numbers list(const torch::Tensor& t) { return {t.const_data_ptr<std::int64_t>(), t.const_data_ptr<std::int64_t>() + t.numel()}; }
/// The samples of a pass from an iterator on, in order; each batch is checked.
Numbers ids_from(auto it, auto end, std::int64_t batch) {
  Numbers all;
  for (; it != end; ++it) {
    const auto [input, target] = *it;
    if (!input.select(1, 0).equal(target) || !input.select(1, 1).equal(-target) || target.size(0) > batch) throw std::logic_error{"input and target of different samples"};
    for (auto i : list(target.contiguous())) all.push_back(i);
  }
  return all;
}
Numbers ids(auto& batches) { return ids_from(batches.begin(), batches.end(), batches.options().batch); }
Numbers order(std::int64_t n, std::uint64_t seed, std::uint64_t epoch) { return rg::permutation(n, seed, epoch); }
}  // namespace batches_tests
using batches_tests::numbered, batches_tests::ids, batches_tests::Numbers, batches_tests::ids_from;

TEST_CASE("loop after loop sees epoch after epoch; set_epoch says which comes next") {
  auto batches = numbered(20, {.batch = 6, .seed = 3});
  CHECK(ids(batches) == batches_tests::order(20, 3, 0));
  CHECK(ids(batches) == batches_tests::order(20, 3, 1));
  CHECK(batches.epoch() == 2);
  batches.set_epoch(7);
  CHECK(ids(batches) == batches_tests::order(20, 3, 7));
  CHECK(ids(batches) == batches_tests::order(20, 3, 8));
  const auto fixed = numbered(20, {.batch = 6, .seed = 3});
  CHECK(ids(fixed) == batches_tests::order(20, 3, 0));
  CHECK(ids(fixed) == batches_tests::order(20, 3, 0));
}

TEST_CASE("unshuffled batches are views in order, shuffled ones are copies; the last may be short") {
  auto plain = numbered(10, {.batch = 4, .shuffle = false});
  CHECK(plain.size() == 3);
  CHECK(plain.samples() == 10);
  Numbers sizes;
  for (auto [input, target] : plain) {
    sizes.push_back(target.size(0));
    CHECK(target.storage().data() == (*plain.begin()).target.storage().data());
  }
  CHECK(sizes == Numbers{4, 4, 2});
  plain.set_epoch(5);
  CHECK(ids(plain) == Numbers{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});

  auto whole = numbered(10, {.batch = 4, .drop_last = true});
  CHECK(whole.size() == 2);
  CHECK(ids(whole).size() == 8);
  auto one = numbered(3, {.batch = 100});
  CHECK(one.size() == 1);
  CHECK(ids(one).size() == 3);
}

TEST_CASE("any rows: images of bytes, labels of several columns, tensors that are not contiguous") {
  auto images = torch::arange(5 * 2 * 3 * 3).to(torch::kByte).view({2, 5, 3, 3}).transpose(0, 1);
  auto labels = torch::arange(10).view({5, 2});
  rg::Batches batches{images, labels, {.batch = 2}};
  auto at = batches.begin();
  const auto first = rg::permutation(5, 0, 0);
  const auto [input, target] = *at;
  CHECK(input.sizes() == torch::IntArrayRef{2, 2, 3, 3});
  CHECK(input.dtype() == torch::kByte);
  CHECK(input[1].equal(images[first[1]]));
  CHECK(target[0].equal(labels[first[0]]));
}

TEST_CASE("an iterator outlives its range, and a pass that has begun keeps its order") {
  auto batches = std::make_unique<rg::Batches>(numbered(9, {.batch = 2, .seed = 4}));
  auto it = batches->begin();
  const auto copy = it++;
  batches->set_epoch(9);
  auto moved = std::move(*batches);
  batches.reset();
  CHECK(ids_from(copy, std::default_sentinel, 2) == batches_tests::order(9, 4, 0));
  CHECK(ids_from(it, std::default_sentinel, 2).size() == 7);
  CHECK(ids(moved) == batches_tests::order(9, 4, 9));
}

TEST_CASE("pipes of range-v3 and of std") {
  auto batches = numbered(10, {.batch = 3, .seed = 2});
  const auto halved = [](const rg::Batch& b) { return rg::Batch{b.input.to(torch::kFloat).div_(2), b.target}; };
  auto piped = batches | ranges::views::transform(halved) | ranges::views::take(2);
  static_assert(ranges::input_range<decltype(piped)>);
  Numbers seen;
  for (auto [input, target] : piped) {
    CHECK(input.select(1, 0).mul(2).equal(target.to(torch::kFloat)));
    for (auto i : batches_tests::list(target)) seen.push_back(i);
  }
  const auto right = batches_tests::order(10, 2, 0);
  CHECK(seen == Numbers{right.begin(), right.begin() + 6});
  CHECK((batches | ranges::views::transform(halved)).size() == 4);
  CHECK((batches | ranges::views::transform([](const rg::Batch& b) { return b.target.size(0); }) | ranges::to<std::vector>()) == Numbers{3, 3, 3, 1});

  Numbers sizes;
  for (auto n : batches | std::views::transform([](const rg::Batch& b) { return b.target.size(0); }) | std::views::take(3)) sizes.push_back(n);
  CHECK(sizes == Numbers{3, 3, 3});
  CHECK(batches.epoch() == 3);  // each pass began once
}

TEST_CASE("every sample exactly once a pass, and begin_at equals skipping, in 1500 random sets") {
  const auto seed = Catch::getSeed();
  std::mt19937_64 random{seed};
  const auto draw = [&](std::int64_t from, std::int64_t to) { return std::uniform_int_distribution{from, to}(random); };
  for (int round = 0; round < 1500; ++round) {
    const auto n = draw(1, 40), batch = draw(1, 45), epoch = draw(0, 1000);
    const rg::BatchesOptions options{.batch = batch, .shuffle = draw(0, 3) > 0, .seed = random(), .drop_last = n >= batch && draw(0, 1) == 0};
    CAPTURE(seed, round, n, batch, epoch, options.shuffle, options.seed, options.drop_last);
    auto batches = numbered(n, options);
    batches.set_epoch(epoch);
    const auto all = ids(batches);
    const auto kept = options.drop_last ? n / batch * batch : n;
    REQUIRE(std::ssize(all) == kept);
    REQUIRE(static_cast<std::int64_t>(batches.size()) == (kept + batch - 1) / batch);
    auto sorted = all;
    std::ranges::sort(sorted);
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      REQUIRE((sorted[i] >= 0 && sorted[i] < n));
      if (options.drop_last) REQUIRE((i == 0 || sorted[i] > sorted[i - 1]));
      else REQUIRE(sorted[i] == static_cast<std::int64_t>(i));
    }
    const auto from = draw(0, static_cast<std::int64_t>(batches.size()) + 1);
    batches.set_epoch(epoch);
    const auto rest = ids_from(batches.begin_at(from), batches.end(), batch);
    REQUIRE(batches.epoch() == epoch + 1);
    REQUIRE(rest == Numbers{all.begin() + std::min(from * batch, kept), all.end()});
  }
}

TEST_CASE("what Batches refuses") {
  using Catch::Matchers::ContainsSubstring, Catch::Matchers::MessageMatches;
  const auto x = torch::ones({4, 2}), y = torch::ones({4});
  const auto refuses = [](const torch::Tensor& a, const torch::Tensor& b, rg::BatchesOptions options, const std::string& text) {
    CHECK_THROWS_MATCHES((rg::Batches{a, b, options}), rg::Error, MessageMatches(ContainsSubstring(text)));
  };
  refuses(x, torch::ones({5}), {}, "4 inputs for 5 targets");
  refuses(x, y, {.batch = 0}, ".batch is 0; write at least 1 sample");
  refuses(x, y, {.batch = -3}, ".batch is -3");
  refuses(torch::ones({0, 2}), torch::ones({0}), {}, "the inputs have no row");
  refuses({}, y, {}, "the inputs are an undefined tensor");
  refuses(x, {}, {}, "the targets are an undefined tensor");
  refuses(x, torch::ones({}), {}, "the targets are a single number");
  refuses(x, y, {.batch = 5, .drop_last = true}, "none of 4 samples");
  refuses(x, torch::ones({4}, torch::kMeta), {}, "inputs on cpu, targets on meta");
}

TEST_CASE("a trainer sees the order of its epoch, also through a view and a function of the epoch") {
  const auto seen_by = [](auto&& source, int fits) {
    toy::Line net;
    Numbers seen;
    rg::Trainer trainer{net, rg::SGD{.lr = 0}, [&](auto& n, const rg::Batch& b) {
      for (auto i : batches_tests::list(b.target)) seen.push_back(i);
      return n->forward(b.input.narrow(1, 0, 1).to(torch::kFloat)).mean();
    }};
    for (int i = 0; i < fits; ++i) trainer.fit(source, rg::epochs(2));
    return seen;
  };
  Numbers right;
  for (std::uint64_t epoch = 0; epoch < 4; ++epoch)
    for (auto i : batches_tests::order(7, 1, epoch)) right.push_back(i);
  auto batches = numbered(7, {.batch = 3, .seed = 1});
  CHECK(seen_by(batches, 2) == right);
  CHECK(seen_by(batches, 2) == right);  // the trainer's epochs, whatever ran before
  CHECK(seen_by(numbered(7, {.batch = 3, .seed = 1}), 2).size() == right.size());
  CHECK(seen_by([&](std::int64_t epoch) {
    batches.set_epoch(epoch);
    return batches | ranges::views::transform([](const rg::Batch& b) { return b; });
  }, 2) == right);
  batches.set_epoch(0);
  CHECK(seen_by(batches | ranges::views::transform([](const rg::Batch& b) { return b; }), 2) == right);
}
