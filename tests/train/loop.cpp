// tests/train/loop.cpp - how long fit runs, on which data, and when it validates
#include "regimen/train/loop.hpp"

#include <catch2/catch_test_macros.hpp>
#include <forward_list>
#include <sstream>

#include "support/toy.hpp"

using toy::close, toy::counting, toy::data, toy::Values;

namespace loop_tests {
auto trainer_for(toy::Line& net, const auto&... policies) { return rg::Trainer{net, rg::SGD{.lr = 1}, toy::mean, policies...}; }

/// Batches whose number nobody knows before the end.
struct Stream {
  int n;
  struct Iterator {
    using value_type = torch::Tensor;
    int at;
    torch::Tensor operator*() const { return torch::full({1, 1}, double(at + 1)); }
    Iterator& operator++() { ++at; return *this; }
    bool operator!=(const Iterator& other) const { return at != other.at; }
  };
  Iterator begin() const { return {0}; }
  Iterator end() const { return {n}; }
};
struct Liar : Stream {  // says more than it has
  std::size_t size() const { return 100; }
};
}  // namespace loop_tests
using loop_tests::Stream, loop_tests::trainer_for;

TEST_CASE("fit runs for epochs, steps, samples, tokens or minutes") {
  toy::Line net;
  {
    auto trainer = trainer_for(net);
    CHECK(trainer.fit(counting(3), rg::epochs(2)).updates == 6);
    CHECK(trainer.fit(counting(3), rg::epochs(0)).updates == 0);
    CHECK(trainer.counters().epoch == 2);
  }
  {
    auto trainer = trainer_for(net, rg::Accumulate<2>{});
    const auto report = trainer.fit(counting(3), rg::steps(5));  // 2 a pass: ends within the third
    CHECK(report.updates == 5);
    CHECK(report.epochs.size() == 3);
    CHECK(trainer.fit(counting(3), rg::steps(1)).updates == 1);
    CHECK(trainer.counters().updates == 6);
  }
  {
    auto trainer = trainer_for(net);
    CHECK(trainer.fit(toy::Data(4, torch::ones({5, 1})), rg::samples(33)).samples == 35);
  }
  {
    rg::Trainer trainer{net, rg::SGD{.lr = 1}, toy::sum};
    trainer.fit(toy::Data(4, torch::ones({5, 1})), rg::tokens(12));
    CHECK(trainer.counters().tokens == 15);
  }
  {
    auto trainer = trainer_for(net);
    const auto report = trainer.fit(counting(3), rg::minutes(0.001));
    CHECK(report.updates > 0);
    CHECK(report.seconds >= 0.06);
  }
}

TEST_CASE("a second fit goes on with moments and counts") {
  toy::Line once, twice;
  rg::Trainer a{once, rg::SGD{.lr = 1, .momentum = 0.9}, toy::mean}, b{twice, rg::SGD{.lr = 1, .momentum = 0.9}, toy::mean};
  a.fit(counting(4), rg::epochs(4));
  b.fit(counting(4), rg::epochs(1));
  b.fit(counting(4), rg::epochs(3));
  CHECK(once->w() == twice->w());
  CHECK(b.counters().epoch == 4);
}

TEST_CASE("data of unknown length: the last batch is known before its forward, and a short window divides by its own weight") {
  toy::Line net;
  toy::Log log;
  std::vector<bool> closes;
  rg::Trainer trainer{net, rg::SGD{.lr = 1}, [&](auto& n, const torch::Tensor& x) { return n->forward(x).mean(); }, rg::Accumulate<4>{}, toy::record(net, log),
                      rg::on<rg::before_backward>([&](auto& step) { closes.push_back(step.closes_window()); })};
  trainer.fit(Stream{6}, rg::epochs(1));
  CHECK(close(log.moves, {-2.5, -5.5}));
  CHECK(closes == std::vector<bool>{false, false, false, true, false, true});
}

TEST_CASE("data that is shorter than it says still closes its window") {
  toy::Line net;
  toy::Log log;
  rg::Trainer trainer{net, rg::SGD{.lr = 1}, toy::mean, rg::Accumulate<4>{}, toy::record(net, log)};
  trainer.fit(loop_tests::Liar{{6}}, rg::epochs(1));
  CHECK(close(log.moves, {-2.5, -5.5}));
}

TEST_CASE("a range, a pointer to one, a function of the epoch, and a forward list are data") {
  const auto batches = counting(3);
  std::forward_list<torch::Tensor> list{batches.begin(), batches.end()};
  auto shared = std::make_shared<toy::Data>(batches);
  std::vector<std::int64_t> epochs;
  const auto moved = [&](auto&& source) {
    toy::Line net;
    auto trainer = trainer_for(net);
    trainer.fit(source, rg::epochs(2));
    return net->w();
  };
  CHECK(moved(batches) == -12);
  CHECK(moved(list) == -12);
  CHECK(moved(shared) == -12);
  CHECK(moved(&batches) == -12);
  CHECK(moved([&](std::int64_t epoch) { epochs.push_back(epoch); return batches; }) == -12);
  CHECK(epochs.front() == 0);
  CHECK(epochs.back() == 1);
}

TEST_CASE("no data, a negative length and steps that never come are errors") {
  toy::Line net;
  auto trainer = trainer_for(net);
  CHECK_THROWS_AS(trainer.fit(toy::Data{}, rg::epochs(1)), rg::Error);
  CHECK_THROWS_AS(trainer.fit(counting(1), rg::epochs(-1)), rg::Error);
  CHECK_THROWS_AS(trainer.fit(data({{toy::nan}}), rg::steps(3)), rg::Error);
  CHECK(trainer.fit(data({{toy::nan}}), rg::epochs(2)).skipped == 2);  // an end is known: it is reported, not thrown
  CHECK(net->w() == 0);
}

TEST_CASE("validation runs after each epoch, or as Validate says") {
  const auto validations = [](rg::Length length, const auto&... policies) {
    toy::Line net;
    std::vector<std::int64_t> at;
    auto trainer = trainer_for(net, rg::on<rg::after_validation>([&](auto& step) { at.push_back(step.updates()); }), policies...);
    trainer.fit(counting(4), data({{1}}), length);
    return at;
  };
  using At = std::vector<std::int64_t>;
  CHECK(validations(rg::epochs(3)) == At{4, 8, 12});
  CHECK(validations(rg::steps(6)) == At{4, 6});  // and at the end of a part
  CHECK(validations(rg::epochs(4), rg::Validate{.every = rg::epochs(2)}) == At{8, 16});
  CHECK(validations(rg::epochs(2), rg::Validate{.every = rg::steps(3)}) == At{3, 6});
  CHECK(validations(rg::epochs(2), rg::Validate{.every = rg::samples(4)}) == At{4, 8});
}

TEST_CASE("the report has losses, rates and counts of every epoch") {
  toy::Line net{1};
  auto trainer = trainer_for(net, rg::Scheduler<rg::Constant>{.warmup = rg::steps(4)});
  const auto report = trainer.fit(data({{1, 3}, {2}}), data({{1}, {2, 2, 2}}), rg::epochs(2));
  REQUIRE(report.epochs.size() == 2);
  // w: 1, then 1 - 2/4 = 0.5, then 0.5 - 2 * 0.5 = -0.5
  CHECK(report.epochs[0].train_loss == Catch::Approx((2 * 2 * 1 + 1 * 2 * 0.5) / 3));  // by samples
  CHECK(report.epochs[0].validation_loss == Catch::Approx(-0.5 * (1 + 6) / 4));
  CHECK(report.epochs[0].learning_rate == 0.5);
  CHECK(report.epochs[1].epoch == 2);
  CHECK(report.epochs[1].updates == 4);
  CHECK(report.samples == 6);
  CHECK(report.ended == "length");
}

TEST_CASE("a policy can stop the run, and says why") {
  toy::Line net;
  auto trainer = trainer_for(net, rg::on<rg::after_update>([](auto& step) { if (step.updates() == 3) step.stop("enough"); }));
  const auto report = trainer.fit(counting(4), rg::epochs(5));
  CHECK(report.updates == 3);
  CHECK(report.ended == "enough");
  CHECK(trainer.fit(counting(4), rg::steps(2)).updates == 2);
}

TEST_CASE("a whole model in eval mode is trained in train mode") {
  toy::Line net;
  net->eval();
  auto trainer = trainer_for(net);
  trainer.fit(counting(1), rg::epochs(1));
  CHECK(net->is_training());
}

TEST_CASE("a stop with the last batch ends the epoch first, and a pass that was begun is not begun again") {
  toy::Line net;
  auto stopping = trainer_for(net, rg::on<rg::after_update>([](auto& step) { if (step.updates() == 4) step.stop("enough"); }));
  stopping.fit(counting(4), rg::epochs(5));
  CHECK(stopping.counters().epoch == 1);

  auto trainer = trainer_for(net);
  std::vector<std::int64_t> asked;
  const auto source = [&](std::int64_t epoch) { asked.push_back(epoch); return counting(4); };
  trainer.fit(source, rg::steps(2));
  trainer.fit(source, rg::steps(2));
  CHECK(asked == std::vector<std::int64_t>{0, 1});
}
