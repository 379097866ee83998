// tests/train/report.cpp - what a run came to, as a line and by name
#include "regimen/train/report.hpp"

#include <catch2/catch_test_macros.hpp>
#include <cmath>

TEST_CASE("a row keeps values in order of first mention, and the last value of each") {
  regimen::EpochReport row{.epoch = 2, .train_loss = 0.5, .learning_rate = 0.01, .samples_per_second = 1234.4, .updates = 7};
  row.set("accuracy", 0.25);
  row.set("kl", 1);
  row.set("accuracy", 0.75);
  CHECK(row.value("accuracy") == 0.75);
  CHECK(std::isnan(row.value("nobody")));
  CHECK(row.line() == "epoch 2  loss 0.5000  accuracy 0.7500  kl 1.0000  lr 0.01  samples/s 1234  updates 7");
  row.validation_loss = 0.625;
  row.skipped = 3;
  CHECK(row.line() == "epoch 2  loss 0.5000  validation_loss 0.6250  accuracy 0.7500  kl 1.0000  lr 0.01  samples/s 1234  updates 7  skipped 3");
}
