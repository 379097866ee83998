// tests/objective/loss.cpp - all forms in which an objective may return its loss
#include <torch/torch.h>

#include "regimen/objective/loss.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_all.hpp>

#include "support/tensors.hpp"

namespace loss_tests {
namespace rg = regimen;
using Catch::Matchers::ContainsSubstring;
using rg::detail::to_loss;

torch::Tensor six() { return torch::full({}, 6.0).requires_grad_(); }
struct Named { torch::Tensor sum; double weight; };
struct Counted { torch::Tensor sum; torch::Tensor weight; };
struct CountedByInt { torch::Tensor sum; std::int64_t weight; };
template <class L> struct Parts { L loss; torch::Tensor kl; };

void check(const auto& returned, double weight, bool is_sum, double count) {
  const auto loss = to_loss(returned);
  CHECK(loss.value.template item<double>() == 6);
  CHECK(loss.value.requires_grad());  // the graph comes along
  CHECK(loss.weight == weight);
  CHECK(loss.is_sum == is_sum);
  CHECK(loss.count == count);
}

TEST_CASE("a tensor is a mean of weight 1, whose samples the batch says") { check(six(), 1, false, 0); }

TEST_CASE("Mean weighs what it says, by numbers of any type") {
  const auto x = torch::ones({16, 2});
  check(rg::Mean{six(), 16}, 16, false, 16);
  check(rg::Mean{six(), x.size(0)}, 16, false, 16);
  check(rg::Mean{six(), 0.5}, 0.5, false, 0.5);
  check(rg::Mean{six(), 1, 16}, 1, false, 16);  // per micro-batch
  check(rg::Mean{six(), 0}, 0, false, 0);
}

TEST_CASE("Sum weighs by numbers of any type and by tensors of one element") {
  const auto mask = torch::tensor({true, false, true});
  check(rg::Sum{six(), 2.5}, 2.5, true, 2.5);
  check(rg::Sum{six(), mask.size(0)}, 3, true, 3);
  check(rg::Sum{six(), std::size_t{7}}, 7, true, 7);
  check(rg::Sum{six(), mask.sum()}, 2, true, 2);
  check(rg::Sum{six(), torch::full({1}, 0.25)}, 0.25, true, 0.25);
}

TEST_CASE("pairs and structs of sum and weight are sums") {
  check(std::pair{six(), 3.0}, 3, true, 3);
  check(std::pair{six(), std::int64_t{3}}, 3, true, 3);
  check(std::pair{six(), 3}, 3, true, 3);
  check(std::pair{six(), torch::full({}, 3)}, 3, true, 3);
  check(Named{six(), 3}, 3, true, 3);
  check(Counted{six(), torch::full({}, 3)}, 3, true, 3);
  check(CountedByInt{six(), 3}, 3, true, 3);
}

TEST_CASE("a struct with a member loss is that, whatever form it has") {
  check(Parts<torch::Tensor>{six(), torch::ones({})}, 1, false, 0);
  check(Parts<rg::Mean>{rg::Mean{six(), 4}, torch::ones({})}, 4, false, 4);
  check(Parts<rg::Sum>{rg::Sum{six(), 4}, torch::ones({})}, 4, true, 4);
  check(Parts<std::pair<torch::Tensor, double>>{{six(), 4}, torch::ones({})}, 4, true, 4);
  check(Parts<Parts<Named>>{{Named{six(), 4}, {}}, {}}, 4, true, 4);
}

TEST_CASE("only pairs of loss and weight look like such") {
  STATIC_CHECK(rg::detail::pair_of_loss_and_weight<std::pair<torch::Tensor, double>>);
  STATIC_CHECK(rg::detail::pair_of_loss_and_weight<std::pair<torch::Tensor, std::int64_t>>);
  STATIC_CHECK(rg::detail::pair_of_loss_and_weight<CountedByInt>);
  STATIC_CHECK_FALSE(rg::detail::pair_of_loss_and_weight<std::pair<torch::Tensor, std::string>>);
  STATIC_CHECK_FALSE(rg::detail::pair_of_loss_and_weight<std::pair<double, torch::Tensor>>);
  STATIC_CHECK_FALSE(rg::detail::pair_of_loss_and_weight<Parts<torch::Tensor>>);
}

TEST_CASE("a loss is one number with a gradient") {
  using rg::detail::check_loss;
  CHECK_NOTHROW(check_loss(six()));
  CHECK_NOTHROW(check_loss(torch::ones({1, 1}).requires_grad_()));
  CHECK_THAT(tensors::error_of([] { check_loss({}); }), ContainsSubstring("undefined"));
  CHECK_THAT(tensors::error_of([] { check_loss(torch::ones({3}).requires_grad_()); }), ContainsSubstring("3 elements"));
  CHECK_THAT(tensors::error_of([] { check_loss(torch::ones({0}).requires_grad_()); }), ContainsSubstring("0 elements"));
  CHECK_THAT(tensors::error_of([] { check_loss(six().detach()); }), ContainsSubstring("no gradient"));
  CHECK_THAT(tensors::error_of([] {
               const auto w = six();
               const torch::NoGradGuard no_grad;
               check_loss(w * 2);
             }),
             ContainsSubstring("no_grad"));
}

TEST_CASE("shapes are printed as torch prints them") {
  CHECK(rg::detail::shape_of(torch::ones({2, 3, 4})) == "[2, 3, 4]");
  CHECK(rg::detail::shape_of(torch::ones({})) == "[]");
  CHECK(rg::detail::shape_of(torch::ones({0})) == "[0]");
}
}  // namespace loss_tests
