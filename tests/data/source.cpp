// tests/data/source.cpp - one pass over ranges, pointers to ranges, functions of the epoch, and the loaders of torch::data as they are
#include "regimen/data/source.hpp"

#include <torch/torch.h>

#include <catch2/catch_test_macros.hpp>
#include <forward_list>
#include <memory>
#include <sstream>
#include <vector>

#include "support/toy.hpp"

namespace source_tests {
using Numbers = std::vector<std::int64_t>;
namespace detail = rg::detail;

/// The numbers that a source gives in one pass, negative where one was known to be the last.
Numbers pass(auto&& source, std::int64_t epoch = 0, std::int64_t from = 0, std::int64_t limit = 0, std::int64_t stop_at = -1) {
  Numbers seen;
  detail::with_range(source, epoch, [&](auto& range) {
    return detail::for_each_batch(range, from, limit, [&](auto& n, bool is_last) {
      seen.push_back(is_last ? -n : n);
      return n != stop_at;
    });
  });
  return seen;
}
struct OneByOne {  // an input range that counts what it hands out, and has no size
  std::int64_t n;
  std::shared_ptr<Numbers> read = std::make_shared<Numbers>();
  struct Iterator {
    std::int64_t at, n;
    Numbers* read;
    std::int64_t operator*() const { read->push_back(at); return at; }
    Iterator& operator++() { ++at; return *this; }
    bool operator!=(int) const { return at <= n; }
  };
  Iterator begin() const { return {1, n, read.get()}; }
  int end() const { return 0; }
};
struct Sized : OneByOne {
  std::size_t size() const { return static_cast<std::size_t>(n); }
};
struct Seeking {  // as rg::Batches: knows its epoch and starts anywhere
  std::int64_t epoch = -1, began_at = -1;
  Numbers all{1, 2, 3, 4, 5};
  void set_epoch(std::int64_t e) { epoch = e; }
  auto begin() { return begin_at(0); }
  auto end() { return all.end(); }
  Numbers::iterator begin_at(std::int64_t n) { began_at = n; return all.begin() + n; }
};

auto loader(std::size_t workers, std::size_t batch = 4) {  // 10 samples x = 1..10 of the toy, as torch::data gives them
  const auto x = torch::arange(1, 11).to(torch::kFloat).unsqueeze(1);
  return torch::data::make_data_loader<torch::data::samplers::SequentialSampler>(
      torch::data::datasets::TensorDataset{x}.map(torch::data::transforms::Lambda<torch::data::TensorExample, torch::data::Example<>>(
          [](torch::data::TensorExample e) { return torch::data::Example<>{e.data, e.data}; })).map(torch::data::transforms::Stack<>()),
      torch::data::DataLoaderOptions().batch_size(batch).workers(workers));
}
}  // namespace source_tests
using source_tests::pass, source_tests::Numbers, source_tests::OneByOne, source_tests::Seeking, source_tests::Sized;

TEST_CASE("the last batch is known: from the size, from the limit, else by looking one ahead") {
  CHECK(pass(Numbers{1, 2, 3}) == Numbers{1, 2, -3});
  CHECK(pass(std::forward_list<std::int64_t>{1, 2, 3}) == Numbers{1, 2, -3});
  CHECK(pass(OneByOne{3}) == Numbers{1, 2, -3});
  CHECK(pass(Sized{3}) == Numbers{1, 2, -3});
  CHECK(pass(Numbers{1, 2, 3}, 0, 0, 2) == Numbers{1, -2});
  CHECK(pass(OneByOne{3}, 0, 0, 2) == Numbers{1, -2});
  CHECK(pass(OneByOne{3}, 0, 0, 5) == Numbers{1, 2, -3});
  CHECK(pass(Numbers{1, 2, 3}, 0, 0, 5) == Numbers{1, 2, -3});
  CHECK(pass(OneByOne{0}).empty());
}

TEST_CASE("a pass starts behind what was seen, and ends where it is told") {
  CHECK(pass(Numbers{1, 2, 3, 4}, 0, 2) == Numbers{3, -4});
  CHECK(pass(Numbers{1, 2, 3, 4}, 0, 9).empty());
  CHECK(pass(Numbers{1, 2, 3, 4}, 0, 1, 3) == Numbers{2, -3});
  CHECK(pass(Numbers{1, 2, 3, 4}, 0, 3, 2).empty());
  CHECK(pass(OneByOne{4}, 0, 0, 0, 2) == Numbers{1, 2});
  Seeking seeking;
  CHECK(pass(seeking, 7, 2) == Numbers{3, 4, -5});
  CHECK(seeking.epoch == 7);
  CHECK(seeking.began_at == 2);
}

TEST_CASE("each batch is read once, those that are skipped never, and no more than needed") {
  OneByOne range{5};
  pass(range, 0, 2);
  CHECK(*range.read == Numbers{3, 4, 5});
  Sized sized{5};
  pass(sized, 0, 0, 3);
  CHECK(*sized.read == Numbers{1, 2, 3});
  sized.read->clear();
  pass(sized, 0, 0, 0, 2);
  CHECK(*sized.read == Numbers{1, 2});
}

TEST_CASE("a pointer to a range, a function of the epoch, and functions that return pointers") {
  const auto numbers = std::make_shared<Numbers>(Numbers{1, 2});
  CHECK(pass(numbers) == Numbers{1, -2});
  CHECK(pass(numbers.get()) == Numbers{1, -2});
  CHECK(pass(std::make_unique<Numbers>(Numbers{3})) == Numbers{-3});
  CHECK(pass([](std::int64_t epoch) { return Numbers{epoch, epoch + 1}; }, 4) == Numbers{4, -5});
  CHECK(pass([&](std::int64_t) { return numbers; }, 1) == Numbers{1, -2});
  const int plain[]{1, 2, 3};
  CHECK(pass(plain) == Numbers{1, 2, -3});
  Seeking seeking;
  pass([&](std::int64_t) { return &seeking; }, 3);
  CHECK(seeking.epoch == 3);
}

TEST_CASE("a loader of torch::data is data as it is, with and without workers") {
  for (std::size_t workers : {0, 1}) {
    toy::Line net;
    toy::Log log;
    rg::Trainer trainer{net, rg::SGD{.lr = 1}, [](auto& n, const torch::data::Example<>& b) { return n->forward(b.data).mean(); }, rg::Accumulate<2>{}, toy::record(net, log)};
    const auto loader = source_tests::loader(workers);
    trainer.fit(loader, rg::epochs(2));
    // batches of 4, 4, 2 samples: windows {1..8} and {9, 10}
    CHECK(toy::close(log.moves, {-4.5, -9.5, -4.5, -9.5}));
    CHECK(trainer.counters().samples == 20);
    CHECK(trainer.evaluate(loader).batches == 3);
    CHECK(trainer.evaluate(*loader).samples == 10);
  }
}

TEST_CASE("a loader that is left before its end can be begun again") {
  for (std::size_t workers : {0, 1}) {
    toy::Line net;
    rg::Trainer trainer{net, rg::SGD{.lr = 1}, [](auto& n, const torch::data::Example<>& b) { return n->forward(b.data).mean(); }, rg::Limit{.batches = 2}};
    const auto loader = source_tests::loader(workers, 1);
    trainer.fit(loader, rg::epochs(2));
    CHECK(net->w() == -6);  // 1, 2 twice
    trainer.fit(loader, rg::steps(1));
    CHECK(net->w() == -7);
  }
}
