// tests/optim/own.cpp - an own optimizer over a partition: groups, counts, strides, refusals, saved and loaded state
#include <torch/torch.h>

#include "regimen/optim/own.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_all.hpp>
#include <limits>

#include "regimen/optim/adam.hpp"
#include "regimen/optim/adamw.hpp"
#include "regimen/optim/sgd.hpp"
#include "regimen/state/memory.hpp"
#include "support/updates.hpp"

namespace own_tests {
namespace rg = regimen;
using Catch::Matchers::ContainsSubstring;
using updates::Own, updates::Tensors;
constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();

torch::Tensor full(double value, std::vector<std::int64_t> shape = {2}) {
  return torch::full(shape, value, torch::kDouble).requires_grad_();
}
torch::Tensor gradient(double value, std::vector<std::int64_t> shape = {2}) { return torch::full(shape, value, torch::kDouble); }
double first(const torch::Tensor& t) { return t.flatten()[0].item<double>(); }
/// Set-up of `rule` on one weight, with this group.
std::string refusal(const auto& rule, rg::Overrides overrides = {}) {
  return tensors::error_of([&] { Own own{{full(1)}, rule, [&](rg::Partition& p) { p.groups[0].overrides = overrides; }}; });
}

/// Writes down what it is given, and moves every weight by its gradient.
struct Recorder {
  double lr = 1, weight_decay = 0;
  struct Call { std::vector<std::size_t> members; std::vector<float> steps; bool first; double rate; std::vector<std::size_t> lists; };
  std::vector<Call>* calls = nullptr;
  static constexpr bool is_optimizer = true;
  static constexpr rg::Facts facts{.name = "recorder", .slot = "optimizer"};
  std::vector<std::string_view> state_names() const { return {"a", "b"}; }
  void update(const rg::UpdateList& l) const {
    Call call{{l.members.begin(), l.members.end()}, {}, l.first, l.rate, {}};
    call.lists = {l.weights.size(), l.gradients.size(), l.state.size(), l.state[0].size(), l.state[1].size()};
    for (const auto& s : l.steps) call.steps.push_back(s.item<float>());
    for (std::size_t i = 0; i < l.weights.size(); ++i) l.weights[i].sub_(l.gradients[i], l.rate);
    calls->push_back(call);
  }
};
static_assert(rg::rule<Recorder>);

TEST_CASE("a rule gets one list per cell and number of updates, each of the same order and length") {
  std::vector<Recorder::Call> calls;
  Own own{{full(0), full(0), full(0), full(0).to(torch::kFloat).detach().requires_grad_()},
          Recorder{.calls = &calls},
          [](rg::Partition& p) {
            p.groups.push_back({"fast", {.lr = 10}});
            p.weights[2].group = 1;
          }};
  const auto one = [](const torch::Tensor& w) { return torch::ones_like(w.detach()); };
  const auto all = [&] { return Tensors{one(own.weights[0]), one(own.weights[1]), one(own.weights[2]), one(own.weights[3])}; };
  CHECK(own.step(all()) == 4);
  REQUIRE(calls.size() == 3);
  CHECK(calls[0].members == std::vector<std::size_t>{0, 1});
  CHECK(calls[0].lists == std::vector<std::size_t>{2, 2, 2, 2, 2});
  CHECK(calls[0].steps == std::vector<float>{1, 1});  // this update is counted
  CHECK(calls[0].first);
  CHECK(calls[1].members == std::vector<std::size_t>{2});
  CHECK(calls[1].rate == 10);
  CHECK(calls[2].members == std::vector<std::size_t>{3});

  calls.clear();
  auto some = all();
  some[0] = torch::Tensor{};
  CHECK(own.step(some) == 3);
  REQUIRE(calls.size() == 3);
  CHECK(calls[0].members == std::vector<std::size_t>{1});
  CHECK(calls[0].steps == std::vector<float>{2});
  CHECK_FALSE(calls[0].first);

  calls.clear();
  CHECK(own.step(all()) == 4);  // 0 is one update behind 1
  REQUIRE(calls.size() == 4);
  CHECK(calls[0].members == std::vector<std::size_t>{0});
  CHECK(calls[0].steps == std::vector<float>{2});
  CHECK(calls[1].members == std::vector<std::size_t>{1});
  CHECK(calls[1].steps == std::vector<float>{3});

  calls.clear();
  CHECK(own.step({{}, {}, {}, {}}) == 0);
  CHECK(calls.empty());
  CHECK(first(own.weights[0]) == -2);
  CHECK(first(own.weights[1]) == -3);
  CHECK(first(own.weights[2]) == -30);
}

/// One that takes terms has them handed through.
struct Termed {
  double lr = 1, weight_decay = 0;
  static constexpr bool is_optimizer = true, takes_terms = true;
  static constexpr rg::Facts facts{.name = "termed", .slot = "optimizer"};
  std::vector<std::string_view> state_names() const { return {}; }
  void update(const rg::UpdateList& l, double decay = 0, double shift = 0) const {
    for (const auto& w : l.weights) w.mul_(decay).add_(shift);
  }
};

TEST_CASE("terms reach the pass of a rule that takes them") {
  Own own{{full(4)}, Termed{}};
  STATIC_CHECK(rg::detail::OwnOptimizer<Termed>::takes_terms);
  own.weights[0].mutable_grad() = gradient(1);
  CHECK(own.optimizer.update(own.partition, 0.5, 3.0) == 1);
  CHECK(first(own.weights[0]) == 5);
}

TEST_CASE("a group's own values replace the optimizer's, the others are inherited") {
  Own own{{full(1), full(1), full(1)}, rg::SGD{.lr = 0.5, .weight_decay = 0.1}, [](rg::Partition& p) {
            p.groups.push_back({"head", {.lr = 0.25, .weight_decay = 0.0}});
            p.groups.push_back({"plain", {.momentum = 0.9}, true});
            p.weights[1].group = 1;
            p.weights[2].group = 2;
          }};
  const auto& groups = own.optimizer.groups();
  REQUIRE(groups.size() == 3);
  CHECK(groups[1].name == "head");
  CHECK(std::vector{groups[0].rate, groups[1].rate, groups[2].rate} == std::vector{0.5, 0.25, 0.5});
  CHECK(std::vector{groups[0].base_rate, groups[1].base_rate, groups[2].base_rate} == std::vector{0.5, 0.25, 0.5});
  CHECK(std::vector{*groups[0].weight_decay, *groups[1].weight_decay, *groups[2].weight_decay} == std::vector{0.1, 0.0, 0.0});
  for (int i = 0; i < 2; ++i) own.step({gradient(0), gradient(1), gradient(1)});
  CHECK(std::abs(first(own.weights[0]) - 0.95 * 0.95) < 1e-15);  // decay alone
  CHECK(first(own.weights[1]) == 0.5);
  CHECK(std::abs(first(own.weights[2]) - (1 - 0.5 - 0.5 * 1.9)) < 1e-15);  // no decay, momentum of its own
  own.optimizer.groups()[1].rate = 1;  // as a schedule writes
  own.step({torch::Tensor{}, gradient(1), torch::Tensor{}});
  CHECK(first(own.weights[1]) == -0.5);
}

TEST_CASE("a value that the optimizer lacks, and one that makes no update, are refused at set-up") {
  CHECK_THAT(refusal(rg::AdamW{}, {.momentum = 0.9}), ContainsSubstring("momentum"));
  CHECK_THAT(refusal(rg::SGD{.lr = 1}, {.eps = 1e-3}), ContainsSubstring("eps"));
  CHECK_THAT(refusal(rg::SGD{.lr = 1}, {.betas = rg::Betas{}}), ContainsSubstring("betas"));
  CHECK(refusal(rg::SGD{.lr = 1}, {.lr = 0.0, .weight_decay = 0.1, .momentum = 0.5}).empty());
  CHECK(refusal(rg::Adam{.lr = 0}, {.eps = 1e-3, .betas = rg::Betas{0, 0}}).empty());
  for (double bad : {-1.0, nan, inf, -inf}) {
    INFO(bad);
    CHECK_THAT(refusal(rg::AdamW{.lr = bad}), ContainsSubstring("learning rate"));
    CHECK_THAT(refusal(rg::SGD{.lr = bad}), ContainsSubstring("learning rate"));
    CHECK_THAT(refusal(rg::Adam{}, {.lr = bad}), ContainsSubstring("learning rate of group default"));
    // torch refuses these too
    CHECK_THAT(refusal(rg::AdamW{.weight_decay = bad}), ContainsSubstring("weight decay"));
    CHECK_THAT(refusal(rg::SGD{.lr = 1}, {.momentum = bad}), ContainsSubstring("momentum"));
    CHECK_THAT(refusal(rg::Adam{}, {.eps = bad}), ContainsSubstring("eps"));
    CHECK_THAT(refusal(rg::Adam{}, {.betas = rg::Betas{0.9, bad}}), ContainsSubstring("beta"));
  }
  CHECK_THAT(refusal(rg::AdamW{.betas = {1, 0.9}}), ContainsSubstring("beta"));
  CHECK_THAT(refusal(rg::SGD{.lr = 1, .nesterov = true}), ContainsSubstring("nesterov"));
  CHECK_THAT(refusal(rg::SGD{.lr = 1, .momentum = 0.9, .dampening = 0.5, .nesterov = true}), ContainsSubstring("nesterov"));
  CHECK(refusal(rg::SGD{.lr = 1, .nesterov = true}, {.momentum = 0.9}).empty());
}

TEST_CASE("weights that are not dense real numbers are refused by name, unless they are frozen") {
  for (const auto& bad : {torch::ones({4, 4}).slice(1, 0, 2), torch::eye(3).to_sparse(), torch::ones({2}, torch::kComplexFloat),
                          torch::ones({2}, torch::kInt)}) {
    CHECK_THAT(tensors::error_of([&] { Own own{{full(1), bad}, rg::AdamW{}}; }), ContainsSubstring("w1 is not a dense tensor"));
    CHECK_NOTHROW(Own{{full(1), bad}, rg::AdamW{}, [](rg::Partition& p) { p.weights[1].frozen_by = "Freeze"; }});
  }
}

TEST_CASE("gradients that the fused operators would misread are refused before any weight moves") {
  const std::vector<std::pair<torch::Tensor, const char*>> all = {
      {torch::eye(2, torch::kDouble)[0].to_sparse(), "sparse"}, {gradient(1, {1}), "shape"}, {gradient(1, {}), "shape"},
      {gradient(1, {2, 1}), "shape"}, {gradient(1).to(torch::kFloat), "type"}};
  for (const auto& [bad, word] : all) {
    INFO(word);
    Own own{{full(1)}, rg::SGD{.lr = 1, .momentum = 0.9}};
    CHECK_THAT(tensors::error_of([&] { own.step({bad}); }), ContainsSubstring("w0") && ContainsSubstring(word));
    CHECK(first(own.weights[0]) == 1);
    own.step({gradient(1)});  // and the refused one left no trace
    CHECK(first(own.weights[0]) == 0);
  }
}

TEST_CASE("the factor of a cell goes into its gradients once") {
  Own own{{full(0), full(0)}, rg::SGD{.lr = 1}, [](rg::Partition& p) {
            p.groups.push_back({"other", {}});
            p.weights[1].group = 1;
          }};
  own.partition.cells[0].factor = 0.25;
  own.step({gradient(8), gradient(8)});
  CHECK(first(own.weights[0]) == -2);
  CHECK(first(own.weights[1]) == -8);
}

TEST_CASE("autograd is told of every weight that moved, and of no other") {
  Own own{{full(1), full(1)}, rg::AdamW{}};
  const auto loss = (own.weights[0] * own.weights[0]).sum();
  const auto other = (own.weights[1] * own.weights[1]).sum();
  own.step({gradient(1), torch::Tensor{}});
  CHECK_THROWS_AS(loss.backward(), c10::Error);
  CHECK_NOTHROW(other.backward());
  CHECK(own.weights[0].requires_grad());
}

TEST_CASE("no update but the first allocates, while each weight has a gradient in its own order") {
  Own adam{{full(1, {50}), full(1, {4, 4})}, rg::AdamW{.amsgrad = true}};
  Own sgd{{full(1, {50}), full(1, {4, 4})}, rg::SGD{.lr = 1, .momentum = 0.9}};
  const Tensors gradients{gradient(1, {50}), gradient(1, {4, 4})};
  adam.step(gradients);
  sgd.step(gradients);
  CHECK(tensors::allocations_of([&] {
          for (int i = 0; i < 3; ++i) {
            adam.step(gradients);
            sgd.step(gradients);
          }
        }) == 0);
}

rg::StateMap saved(auto& own) {
  rg::StateMap map;
  rg::detail::MemoryArchive<false> archive{map};
  own.optimizer.archive(archive, own.partition);
  return map;
}
void load(auto& own, const rg::StateMap& map) {
  rg::detail::MemoryArchive<true> archive{map};
  own.optimizer.archive(archive, own.partition);
}
/// `rule` for three updates, saved, loaded into `other` with the weights copied: both go on alike.
void check_round_trip(const auto& rule, const auto& other) {
  torch::manual_seed(1);
  Own a{updates::weights(torch::kFloat), rule};
  const auto random = [&] {
    Tensors all;
    for (const auto& w : a.weights) all.push_back(torch::randn_like(w));
    return all;
  };
  for (int i = 0; i < 3; ++i) {
    auto gradients = random();
    if (i == 1) gradients[0] = gradients[5] = torch::Tensor{};
    a.optimizer.groups()[0].rate *= 0.5;
    a.step(gradients);
  }
  Own b{updates::copies(a.weights), other};
  b.step(random());  // a state of its own, to be overwritten
  {
    const torch::NoGradGuard no_grad;
    for (std::size_t i = 0; i < a.weights.size(); ++i) b.weights[i].copy_(a.weights[i]);
  }
  const auto map = saved(a);
  load(b, map);
  CHECK(b.optimizer.groups()[0].rate == a.optimizer.groups()[0].rate);
  CHECK(b.optimizer.groups()[0].base_rate == a.optimizer.groups()[0].base_rate);
  CHECK(b.optimizer.groups()[0].weight_decay == a.optimizer.groups()[0].weight_decay);
  for (int i = 0; i < 2; ++i) {
    const auto gradients = random();
    CHECK(a.step(gradients) == b.step(gradients));
    for (std::size_t k = 0; k < a.weights.size(); ++k) CHECK(tensors::same_bits(a.weights[k], b.weights[k]));
  }
  // nothing is shared: b's last updates are not in a's map
  Own c{updates::copies(a.weights), rule};
  load(c, map);
  CHECK(saved(c).size() == map.size());
  for (const auto& [key, value] : map)
    if (const auto* t = std::get_if<torch::Tensor>(&value))
      CHECK(tensors::same_bits(*t, std::get<torch::Tensor>(saved(c).at(key))));
}

TEST_CASE("moments, counts, rates and options are saved, and a loaded optimizer goes on bit by bit") {
  check_round_trip(rg::AdamW{.lr = 0.1, .weight_decay = 0.2}, rg::AdamW{.lr = 0.1, .weight_decay = 0.2});
  check_round_trip(rg::Adam{.lr = 0.1, .amsgrad = true}, rg::Adam{.lr = 0.1, .amsgrad = true});
  check_round_trip(rg::SGD{.lr = 0.1, .momentum = 0.9, .nesterov = true}, rg::SGD{.lr = 0.1, .momentum = 0.9, .nesterov = true});
}

TEST_CASE("KZ1 a loaded optimizer has the options that were saved, those that ask for other moments too") {
  check_round_trip(rg::AdamW{.lr = 0.1, .betas = {0.8, 0.9}, .eps = 1e-5, .weight_decay = 0.2, .maximize = true}, rg::AdamW{});
  check_round_trip(rg::AdamW{.amsgrad = true}, rg::AdamW{});
  check_round_trip(rg::Adam{}, rg::Adam{.amsgrad = true});
  check_round_trip(rg::SGD{.lr = 0.1, .momentum = 0.9}, rg::SGD{.lr = 0.1});
  check_round_trip(rg::SGD{.lr = 0.1}, rg::SGD{.lr = 0.1, .momentum = 0.9});
}

TEST_CASE("KZ2 a state without moments behind it clears those that are there") {
  Own fresh{{full(0)}, rg::SGD{.lr = 1, .momentum = 0.9}}, used{{full(0)}, rg::SGD{.lr = 1, .momentum = 0.9}};
  used.step({gradient(1)});
  load(used, saved(fresh));
  const double before = first(used.weights[0]);
  used.step({gradient(2)});
  CHECK(first(used.weights[0]) - before == -2);  // the old buffer would make it -2.9
}

TEST_CASE("a state of another model is refused by the name of what it lacks") {
  Own small{{full(0)}, rg::AdamW{}}, large{{full(0), full(0)}, rg::AdamW{}}, other{{full(0, {3})}, rg::AdamW{}};
  CHECK_THAT(tensors::error_of([&] { load(large, saved(small)); }), ContainsSubstring("w1"));
  CHECK_THAT(tensors::error_of([&] { load(other, saved(small)); }), ContainsSubstring("w0/exp_avg has another shape"));
}

TEST_CASE("frozen weights have no moments, and are not in the state") {
  Own own{{full(1), full(1)}, rg::AdamW{}, [](rg::Partition& p) { p.weights[0].frozen_by = "Freeze"; }};
  CHECK(own.step({gradient(1), gradient(1)}) == 1);
  CHECK(first(own.weights[0]) == 1);
  for (const auto& [key, value] : saved(own)) CHECK_FALSE(key.starts_with("w0"));
}
}  // namespace own_tests
