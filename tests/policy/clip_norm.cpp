// tests/policy/clip_norm.cpp - the factor max / (norm + 1e-6), at most 1
#include "regimen/policy/clip_norm.hpp"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <limits>

#include "support/toy.hpp"

namespace clip_tests {
struct PairImpl : torch::nn::Module {
  torch::Tensor a = register_parameter("a", torch::zeros({1})), b = register_parameter("b", torch::zeros({1}, torch::kDouble));
};
/// What a step moves two weights by, whose gradients are 3 and 4.
template <class Clip> std::pair<double, double> moved(const Clip& clip, double scale = 1) {
  auto net = std::make_shared<PairImpl>();
  rg::Trainer trainer{net, rg::SGD{.lr = 1}, [scale](auto& n, const torch::Tensor&) { return (3 * scale * n->a + (4 * scale * n->b).to(torch::kFloat)).sum(); }, clip};
  trainer.fit(toy::counting(1), rg::epochs(1));
  return {-net->a.template item<double>(), -net->b.template item<double>()};
}
}  // namespace clip_tests
using clip_tests::moved;

TEST_CASE("clipping by the 1-, 2-, 3- and maximum norm, over float and double weights together") {
  const auto scaled = [](std::pair<double, double> by, double norm) {
    CHECK(by.first == Catch::Approx(3 / (norm + 1e-6)).epsilon(1e-6));
    CHECK(by.second == Catch::Approx(4 / (norm + 1e-6)).epsilon(1e-6));
  };
  scaled(moved(rg::ClipNorm<>{1}), 5);
  scaled(moved(rg::ClipNorm<1>{1}), 7);
  scaled(moved(rg::ClipNorm<3>{1}), std::cbrt(27 + 64));
#if !defined(__clang__) || __clang_major__ >= 18  // earlier ones take no number with a fraction as a template argument
  scaled(moved(rg::ClipNorm<2.5>{1}), std::pow(std::pow(3, 2.5) + std::pow(4, 2.5), 1 / 2.5));
#endif
  scaled(moved(rg::ClipNorm<rg::max_norm>{1}), 4);
}

TEST_CASE("a norm below the maximum changes no bit") {
  CHECK(moved(rg::ClipNorm<>{5.001}) == std::pair{3.0, 4.0});
  CHECK(moved(rg::ClipNorm<>{std::numeric_limits<double>::infinity()}) == std::pair{3.0, 4.0});
}

TEST_CASE("gradients of 1e20 and 1e-30 are neither infinite nor lost") {
  const auto large = moved(rg::ClipNorm<>{1}, 1e20);
  CHECK(large.first == Catch::Approx(0.6).epsilon(1e-6));
  CHECK(large.second == Catch::Approx(0.8).epsilon(1e-6));
  const auto small = moved(rg::ClipNorm<>{1}, 1e-30);
  CHECK(small.first == Catch::Approx(3e-30).epsilon(1e-6));
}

TEST_CASE("a maximum of 0, below it, or NaN is refused") {
  for (const double max : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()})
    CHECK_THROWS_AS((rg::Trainer{toy::Line{}, rg::SGD{.lr = 1}, toy::mean, rg::ClipNorm<>{max}}), rg::Error);
}
