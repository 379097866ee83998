// tests/train/evaluate.cpp - losses over validation data
#include "regimen/train/evaluate.hpp"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "support/toy.hpp"

TEST_CASE("the loss is the mean over all samples, tokens or valid targets, whatever the batches") {
  toy::Line net{1};
  rg::Trainer by_samples{net, rg::SGD{.lr = 1}, toy::mean};
  CHECK(by_samples.evaluate(toy::data({{1}, {2, 3, 6}})).loss == Catch::Approx(3).epsilon(1e-6));
  rg::Trainer sums{net, rg::SGD{.lr = 1}, toy::sum};
  CHECK(sums.evaluate(toy::data({{1, toy::nan}, {2, 3, 6, toy::nan}, {toy::nan}})).loss == 3);
  rg::Trainer alike{net, rg::SGD{.lr = 1}, rg::MSE{.weight = rg::per_micro_batch}};
  const std::vector<rg::Batch> batches{{torch::ones({1, 1}), torch::zeros({1, 1})}, {torch::full({3, 1}, 2.0), torch::zeros({3, 1})}};
  const auto found = alike.evaluate(batches);
  CHECK(found.loss == Catch::Approx((1 + 3 * 4) / 4.0));
  CHECK(found.samples == 4);
  CHECK(found.batches == 2);
}

TEST_CASE("an evaluation leaves the run as it is") {
  toy::Line net{1};
  rg::Trainer trainer{net, rg::SGD{.lr = 1}, toy::mean, rg::Accumulate<2>{}, rg::Scheduler<rg::Constant>{.warmup = rg::steps(3)}};
  const auto before = trainer.counters();
  trainer.evaluate(toy::counting(3));
  CHECK(trainer.counters() == before);
  CHECK_FALSE(net->fc->weight.grad().defined());
  CHECK(net->w() == 1);
}
