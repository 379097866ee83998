// tests/optim/rule.cpp - what an own optimizer must have
#include <torch/torch.h>

#include "regimen/optim/rule.hpp"

#include <catch2/catch_test_macros.hpp>

namespace rule_tests {
namespace rg = regimen;

struct Whole {
  double lr = 1, weight_decay = 0;
  static constexpr bool is_optimizer = true;
  static constexpr rg::Facts facts{.name = "whole", .slot = "optimizer"};
  std::vector<std::string_view> state_names() const { return {}; }
  void update(const rg::UpdateList&) const {}
};
struct NoRate {
  double weight_decay = 0;
  static constexpr bool is_optimizer = true;
  static constexpr rg::Facts facts{.name = "x", .slot = "optimizer"};
  std::vector<std::string_view> state_names() const { return {}; }
  void update(const rg::UpdateList&) const {}
};
struct NoDecay {
  double lr = 1;
  static constexpr bool is_optimizer = true;
  static constexpr rg::Facts facts{.name = "x", .slot = "optimizer"};
  std::vector<std::string_view> state_names() const { return {}; }
  void update(const rg::UpdateList&) const {}
};
struct NoNames {
  double lr = 1, weight_decay = 0;
  static constexpr bool is_optimizer = true;
  static constexpr rg::Facts facts{.name = "x", .slot = "optimizer"};
  void update(const rg::UpdateList&) const {}
};
struct NoFacts {
  double lr = 1, weight_decay = 0;
  static constexpr bool is_optimizer = true;
  std::vector<std::string_view> state_names() const { return {}; }
  void update(const rg::UpdateList&) const {}
};
struct ReturnsAValue : Whole {
  int update(const rg::UpdateList&) const { return 1; }
};
struct ChangesItself : Whole {
  void update(const rg::UpdateList&) {}
};
struct TakesTerms : Whole {
  static constexpr bool takes_terms = true;
};
struct TakesNone : Whole {
  static constexpr bool takes_terms = false;
};

TEST_CASE("a rule has a rate, a decay, facts, names of its state and a const update that returns nothing") {
  STATIC_CHECK(rg::rule<Whole>);
  STATIC_CHECK_FALSE(rg::rule<NoRate>);
  STATIC_CHECK_FALSE(rg::rule<NoDecay>);
  STATIC_CHECK_FALSE(rg::rule<NoNames>);
  STATIC_CHECK_FALSE(rg::rule<NoFacts>);
  STATIC_CHECK_FALSE(rg::rule<ReturnsAValue>);
  STATIC_CHECK_FALSE(rg::rule<ChangesItself>);
  STATIC_CHECK_FALSE(rg::rule<int>);
  STATIC_CHECK_FALSE(rg::rule<torch::optim::SGD>);
}

TEST_CASE("only a rule that says so takes terms") {
  STATIC_CHECK_FALSE(rg::detail::takes_terms<Whole>);
  STATIC_CHECK(rg::detail::takes_terms<TakesTerms>);
  STATIC_CHECK_FALSE(rg::detail::takes_terms<TakesNone>);
}
}  // namespace rule_tests
