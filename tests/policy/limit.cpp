// tests/policy/limit.cpp - short epochs
#include "regimen/policy/limit.hpp"

#include <catch2/catch_test_macros.hpp>

#include "support/toy.hpp"

TEST_CASE("training and validation stop after their limits, and the schedule knows") {
  toy::Line net;
  std::vector<std::int64_t> totals;
  rg::Trainer trainer{net, rg::SGD{.lr = 1}, toy::mean, rg::Accumulate<2>{}, rg::Limit{.batches = 3, .validation_batches = 2},
                      rg::on<rg::before_run>([&](auto& step) { totals.push_back(step.total_updates().value_or(-1)); })};
  const auto report = trainer.fit(toy::counting(10), toy::data({{1}, {1}, {100}}), rg::epochs(2));
  CHECK(report.updates == 4);
  CHECK(report.samples == 6);
  CHECK(totals == std::vector<std::int64_t>{4});
  CHECK(report.epochs[0].validation_loss == -1.5 - 3);
  CHECK(trainer.evaluate(toy::counting(10)).batches == 2);
}

TEST_CASE("0 is no limit, and a longer one than the data is none either") {
  for (const std::int64_t limit : {0, 100}) {
    rg::Trainer trainer{toy::Line{}, rg::SGD{.lr = 1}, toy::mean, rg::Limit{.batches = limit}};
    CHECK(trainer.fit(toy::counting(5), rg::epochs(1)).updates == 5);
  }
  CHECK_THROWS_AS((rg::Trainer{toy::Line{}, rg::SGD{.lr = 1}, toy::mean, rg::Limit{.batches = -1}}), rg::Error);
}
