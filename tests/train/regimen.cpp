// tests/train/regimen.cpp - one window, in loops that the user writes
#include "regimen/train/regimen.hpp"

#include <ATen/autocast_mode.h>
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <utility>

#include "support/toy.hpp"

namespace {
torch::Tensor sample(double x) { return torch::full({1, 1}, x); }
}  // namespace

TEST_CASE("a window updates by itself when it is full, and flush updates with what it has") {
  toy::Line net;
  rg::Regimen window{net, rg::SGD{.lr = 1}, rg::Accumulate<2>{}};
  std::vector<bool> stepped;
  for (int x = 1; x <= 3; ++x) stepped.push_back(window.backward(window.forward([&] { return net->forward(sample(x)).mean(); })).stepped);
  CHECK(stepped == std::vector<bool>{false, true, false});
  CHECK(net->w() == -1.5);
  const auto last = window.flush();
  CHECK(last.stepped);
  CHECK(last.weight == 1);
  CHECK(net->w() == -4.5);
  CHECK_FALSE(window.flush().closed);  // nothing is left
  CHECK(window.counters().updates == 2);
}

TEST_CASE("several losses of one micro-batch count once") {
  toy::Line net;
  rg::Regimen window{net, rg::SGD{.lr = 1}, rg::Accumulate<2>{}};
  window.backward(net->forward(sample(1)).mean(), net->forward(sample(3)).mean());
  CHECK(net->w() == 0);
  window.add(net->forward(sample(2)).mean());
  window.backward(net->forward(sample(4)).mean());
  CHECK(net->w() == -5);  // (4 + 6) / 2
}

TEST_CASE("what add put into a window without a micro-batch is dropped by flush") {
  toy::Line net;
  rg::Regimen window{net, rg::SGD{.lr = 1}};
  window.add(net->forward(sample(7)).mean());
  const auto outcome = window.flush();
  CHECK_FALSE(outcome.closed);
  CHECK(outcome.why == rg::Skip::no_weight);
  window.backward(net->forward(sample(2)).mean());
  CHECK(net->w() == -2);
}

TEST_CASE("sums are weighed by their weights") {
  toy::Line net;
  rg::Regimen window{net, rg::SGD{.lr = 1}, rg::Accumulate<2>{}};
  window.backward(rg::Sum{net->forward(torch::tensor({{1.0f}, {2.0f}, {3.0f}})).sum(), 3});
  window.backward(rg::Sum{net->forward(sample(10)).sum(), 1});
  CHECK(net->w() == -4);
}

TEST_CASE("two windows with two optimizers: each updates its own model") {
  toy::Line generator, critic;
  rg::Regimen g{generator, rg::SGD{.lr = 1}};
  rg::Regimen c{critic, torch::optim::SGD{critic->parameters(), 1.0}, rg::ClipNorm<>{1.0}};
  g.backward(generator->forward(sample(2)).mean());
  const auto outcome = c.backward(critic->forward(sample(3)).mean());
  CHECK(generator->w() == -2);
  CHECK(critic->w() == Catch::Approx(-1).epsilon(1e-6));
  CHECK(outcome.norm == 3);

  // A loss through both leaves no gradient in the one that doesn't update.
  const double w = critic->w();
  g.backward(critic->forward(generator->forward(sample(1))).mean());
  CHECK_FALSE(critic->fc->weight.grad().defined());
  CHECK(generator->w() == Catch::Approx(-2 - w));
  c.backward(critic->forward(sample(0)).mean());
  CHECK(critic->w() == w);
}

TEST_CASE("forward opens the scopes of the policies and returns what the function returns") {
  torch::nn::Linear net{2, 2};
  rg::Regimen window{net, rg::AdamW{}, rg::Amp<torch::kBFloat16>{}};
  const auto [output, number] = window.forward([&] { return std::pair{net(torch::ones({1, 2})), 7}; });
  CHECK(output.scalar_type() == torch::kBFloat16);
  CHECK(number == 7);
  CHECK_FALSE(at::autocast::is_autocast_enabled(at::kCPU));
  window.forward([] {});  // nothing to return
  CHECK(window.backward(output.to(torch::kFloat).square().mean()).stepped);
}

TEST_CASE("a throw in forward leaves an empty window") {
  toy::Line net;
  rg::Regimen window{net, rg::SGD{.lr = 1}, rg::Accumulate<2>{}};
  window.backward(net->forward(sample(5)).mean());
  CHECK_THROWS_AS(window.forward([]() -> int { throw std::runtime_error("x"); }), std::runtime_error);
  CHECK_FALSE(net->fc->weight.grad().defined());
  CHECK_FALSE(window.flush().closed);
  CHECK(net->w() == 0);
}

TEST_CASE("a schedule in a window counts its updates") {
  toy::Line net;
  rg::Regimen window{net, rg::SGD{.lr = 1}, rg::Scheduler<rg::Cosine>{.schedule = {.length = rg::steps(4)}, .warmup = rg::steps(2)}};
  std::vector<double> rates;
  for (int i = 0; i < 4; ++i) {
    window.backward(net->forward(sample(1)).mean());
    rates.push_back(window.learning_rate());
  }
  CHECK(toy::close(rates, {0.5, 1, 1, 0.853553}));
  CHECK_THROWS_AS((rg::Regimen{net, rg::SGD{.lr = 1}, rg::Scheduler<rg::Cosine>{}}), rg::Error);  // nobody knows how long
}

TEST_CASE("a window moves") {
  toy::Line net;
  rg::Regimen window{net, rg::SGD{.lr = 1}, rg::Accumulate<2>{}};
  window.backward(net->forward(sample(1)).mean());
  auto moved = std::move(window);
  moved.backward(net->forward(sample(3)).mean());
  CHECK(net->w() == -2);
}

TEST_CASE("losses of one micro-batch may share a graph, and count whole or not at all") {
  toy::Line net;
  rg::Regimen window{net, rg::SGD{.lr = 1}, rg::Accumulate<2>{}};
  const auto y = net->forward(sample(2)).tanh();
  window.backward(y.mean(), 2 * y.mean());  // gradients 2 and 4
  window.backward(net->forward(sample(1)).mean(), net->forward(sample(toy::nan)).mean());
  CHECK(net->w() == -6);
}

TEST_CASE("a weight that is no number of samples is refused") {
  toy::Line net;
  rg::Regimen window{net, rg::SGD{.lr = 1}};
  for (const double weight : {-1.0, toy::nan, std::numeric_limits<double>::infinity()})
    CHECK_THROWS_AS(window.backward(rg::Sum{net->forward(sample(1)).sum(), weight}), rg::Error);
  CHECK_THROWS_AS((rg::Sum{net->forward(sample(1)).sum(), torch::ones({4})}), rg::Error);
}

TEST_CASE("a veto and a factor count from any moment of the window") {
  toy::Line net;
  rg::Regimen window{net, rg::SGD{.lr = 1}, rg::on<rg::after_backward>([](auto& step) { step.counters().windows == 0 ? step.skip() : step.scale_gradients(0.5); })};
  CHECK_FALSE(window.backward(net->forward(sample(8)).mean()).stepped);
  CHECK(window.backward(net->forward(sample(8)).mean()).stepped);
  CHECK(net->w() == -4);
}
