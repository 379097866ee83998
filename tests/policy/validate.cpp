// tests/policy/validate.cpp - how often; when it runs is tested with the loop
#include "regimen/policy/validate.hpp"

#include <catch2/catch_test_macros.hpp>

#include "support/toy.hpp"

TEST_CASE("an interval must be above 0") {
  CHECK_THROWS_AS((rg::Trainer{toy::Line{}, rg::SGD{.lr = 1}, toy::mean, rg::Validate{.every = rg::steps(0)}}), rg::Error);
}

TEST_CASE("a second fit counts on, and without validation data nothing happens") {
  toy::Line net;
  int validations = 0;
  rg::Trainer trainer{net, rg::SGD{.lr = 1}, toy::mean, rg::Validate{.every = rg::steps(4)}, rg::on<rg::after_validation>([&](auto&) { ++validations; })};
  trainer.fit(toy::counting(3), toy::counting(1), rg::epochs(1));
  CHECK(validations == 0);
  trainer.fit(toy::counting(3), toy::counting(1), rg::epochs(1));
  CHECK(validations == 1);
  trainer.fit(toy::counting(3), rg::epochs(3));
  CHECK(validations == 1);
}
