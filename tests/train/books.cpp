// tests/train/books.cpp - where a call of fit began and when it is done
#include "regimen/train/books.hpp"

#include <catch2/catch_test_macros.hpp>
#include <sstream>

#include "support/toy.hpp"

TEST_CASE("a call of fit that throws is over: the next one begins anew") {
  toy::Line net;
  bool armed = true;
  rg::Trainer trainer{net, rg::SGD{.lr = 1}, toy::mean, rg::on<rg::after_update>([&](auto& step) {
    if (armed && step.updates() == 2) throw std::runtime_error("planted");
  })};
  CHECK_THROWS(trainer.fit(toy::counting(4), rg::epochs(1)));
  CHECK_FALSE(trainer.counters().in_fit);
  armed = false;
  CHECK(trainer.fit(toy::counting(4), rg::epochs(1)).updates == 4);
  CHECK(trainer.counters().updates == 6);
}

TEST_CASE("what is logged is a mean over the epoch, and a new epoch starts at zero") {
  toy::Line net;
  rg::Trainer trainer{net, rg::SGD{.lr = 1}, toy::mean, rg::on<rg::after_update>([](auto& step) {
    step.log("updates", double(step.updates()));
    step.log("tensor", torch::full({}, 2.0 * double(step.updates())));
  }), rg::on<rg::after_epoch>([](auto& step) { step.report("epoch_of_hook", double(step.epoch())); })};
  const auto report = trainer.fit(toy::counting(3), rg::epochs(2));
  CHECK(report.epochs[0].value("updates") == 2);
  CHECK(report.epochs[1].value("updates") == 5);
  CHECK(report.epochs[1].value("tensor") == 10);
  CHECK(report.epochs[1].value("epoch_of_hook") == 2);
}

namespace books_tests {
struct Parts {
  torch::Tensor loss, kl;
  void parts(auto&& log) const { log("kl", kl); }
};
}  // namespace books_tests

TEST_CASE("an objective with named parts logs them, in training only") {
  toy::Line net;
  rg::Trainer trainer{net, rg::SGD{.lr = 1}, [](auto& n, const torch::Tensor& x) { return books_tests::Parts{n->forward(x).mean(), x.mean() * 2}; }};
  const auto report = trainer.fit(toy::counting(3), toy::data({{100}}), rg::epochs(1));
  CHECK(report.last().value("kl") == 4);
}
