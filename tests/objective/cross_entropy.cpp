// tests/objective/cross_entropy.cpp - torch's numbers, weighed so that parts equal the whole, and refusals before any kernel
#include <torch/torch.h>

#include "regimen/objective/cross_entropy.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_all.hpp>
#include <random>

#include "support/tensors.hpp"

namespace cross_entropy_tests {
namespace rg = regimen;
using Catch::Matchers::ContainsSubstring, Catch::Matchers::WithinRel;

/// What torch gives for the same options.
torch::Tensor reference(const rg::CrossEntropy& o, const torch::Tensor& output, const torch::Tensor& target) {
  const auto weight = o.class_weight.defined() ? std::optional<torch::Tensor>{o.class_weight} : std::nullopt;
  return at::cross_entropy_loss(output, target, weight, at::Reduction::Mean, o.ignore_index, o.label_smoothing);
}
/// Value and gradient are torch's, bit for bit; the weight is `weight`.
void check(const rg::CrossEntropy& o, const torch::Tensor& logits, const torch::Tensor& target, double weight) {
  const auto a = logits.detach().clone().requires_grad_(), b = logits.detach().clone().requires_grad_();
  const auto loss = o(a, target);
  const auto expected = reference(o, b, target);
  CHECK(tensors::same_bits(loss.value, expected));
  CHECK_THAT(loss.weight, WithinRel(weight, 1e-12));
  CHECK_THAT(loss.count, WithinRel(weight, 1e-12));
  loss.value.backward();
  expected.backward();
  CHECK(tensors::same_bits(a.grad(), b.grad()));
}
std::string refusal(const rg::CrossEntropy& o, const torch::Tensor& output, const torch::Tensor& target) {
  std::string said;
  CHECK(tensors::allocations_of([&] { said = tensors::error_of([&] { o(output, target); }); }) == 0);  // no kernel made a tensor
  return said;
}

TEST_CASE("values and gradients are those of torch's cross_entropy, with its options and shapes") {
  torch::manual_seed(1);
  const auto logits = torch::randn({6, 4}), target = torch::tensor({0, 3, 1, 2, 2, 0}, torch::kLong),
             weights = torch::tensor({0.5f, 1.0f, 2.0f, 4.0f});
  const auto some_ignored = torch::tensor({0, -100, 1, -100, 2, 0}, torch::kLong);
  check({}, logits, target, 6);
  check({.label_smoothing = 0.1}, logits, target, 6);
  check({}, logits, some_ignored, 4);
  check({.label_smoothing = 0.3}, logits, some_ignored, 4);
  check({.ignore_index = 2}, logits, target, 4);  // a class of its own
  check({.ignore_index = 7}, logits, torch::tensor({0, 7, 1, 2, 2, 7}, torch::kLong), 4);
  check({.class_weight = weights}, logits, target, 0.5 + 4 + 1 + 2 + 2 + 0.5);
  check({.label_smoothing = 0.2, .class_weight = weights}, logits, some_ignored, 0.5 + 1 + 2 + 0.5);
  check({}, torch::randn({2, 3, 5}), torch::randint(3, {2, 5}), 10);
  check({}, torch::randn({2, 3, 4, 5}).contiguous(torch::MemoryFormat::ChannelsLast), torch::randint(3, {2, 4, 5}), 40);
  check({}, torch::randn({3}), torch::tensor(1, torch::kLong), 1);  // one sample without a batch
  check({}, torch::randn({4, 3}, torch::kDouble), torch::randint(3, {8}).slice(0, 0, 8, 2), 4);
  check({}, torch::randn({5, 1}), torch::zeros({5}, torch::kLong), 5);
  check({.soft_targets = true}, logits, torch::softmax(torch::randn({6, 4}), 1), 6);
  check({.label_smoothing = 0.1, .class_weight = weights, .soft_targets = true}, logits, torch::softmax(torch::randn({6, 4}), 1),
        6);
  check({.soft_targets = true}, torch::randn({2, 3, 5}), torch::softmax(torch::randn({2, 3, 5}), 1), 10);
  check({.soft_targets = true}, torch::randn({3}), torch::softmax(torch::randn({3}), 0), 1);
}

TEST_CASE("under autocast the loss is float, as torch has it") {
  const auto half = torch::randn({4, 3}).to(torch::kBFloat16);
  check({}, half, torch::tensor({0, 1, 2, 0}, torch::kLong), 4);
}

TEST_CASE("K17 KZ14 a batch without valid targets weighs nothing, however micro-batches are weighed") {
  const auto logits = torch::randn({3, 2}), ignored = torch::full({3}, -100, torch::kLong);
  for (auto weight : {rg::by_samples, rg::per_micro_batch}) {
    CHECK(rg::CrossEntropy{.weight = weight}(logits, ignored).weight == 0);
    CHECK(rg::CrossEntropy{.weight = weight}(logits, ignored).count == 0);
    CHECK(rg::CrossEntropy{.weight = weight}(torch::randn({0, 2}), torch::zeros({0}, torch::kLong)).weight == 0);
    CHECK(rg::CrossEntropy{.class_weight = torch::tensor({0.0f, 1.0f}), .weight = weight}(logits, torch::zeros({3}, torch::kLong))
              .weight == 0);  // all of a class of no weight
    CHECK(rg::CrossEntropy{.soft_targets = true, .weight = weight}(torch::randn({0, 2}), torch::randn({0, 2})).weight == 0);
    CHECK(rg::CrossEntropy{.soft_targets = true, .weight = weight}(torch::randn({3, 0}), torch::randn({3, 0})).weight == 0);
  }
  const auto loss = rg::CrossEntropy{.weight = rg::per_micro_batch}(logits, torch::tensor({0, -100, 1}, torch::kLong));
  CHECK(loss.weight == 1);
  CHECK(loss.count == 2);  // what is reported is still the mean over samples
}

TEST_CASE("1000 random windows: the means of micro-batches, weighed, are the mean of one big batch") {
  const auto seed = std::random_device{}();
  INFO("seed " << seed);
  std::mt19937 random{seed};
  torch::manual_seed(seed);
  for (int i = 0; i < 1000; ++i) {
    INFO("case " << i);
    const std::int64_t n = 2 + random() % 8, classes = 1 + random() % 4;
    rg::CrossEntropy o{.label_smoothing = random() % 2 ? 0 : 0.2, .soft_targets = random() % 4 == 0};
    if (random() % 2) o.class_weight = torch::rand({classes}, torch::kDouble) + 0.1;
    if (o.soft_targets && random() % 2) o.class_weight = torch::Tensor{};
    const auto logits = torch::randn({n, classes}, torch::kDouble);
    auto target = o.soft_targets ? torch::softmax(torch::randn({n, classes}, torch::kDouble), 1) : torch::randint(classes, {n});
    if (!o.soft_targets)
      for (std::int64_t k = 0; k < n; ++k)
        if (random() % 3 == 0) target[k] = -100;
    const auto whole = o(logits, target);
    double sum = 0, weight = 0;
    for (std::int64_t from = 0; from < n;) {
      const std::int64_t to = std::min<std::int64_t>(n, from + 1 + random() % 4);
      const auto part = o(logits.slice(0, from, to), target.slice(0, from, to));
      if (part.weight > 0) sum += part.value.item<double>() * part.weight;
      weight += part.weight;
      from = to;
    }
    CHECK_THAT(weight, WithinRel(whole.weight, 1e-12));
    if (weight > 0) CHECK_THAT(sum / weight, WithinRel(whole.value.item<double>(), 1e-9) || Catch::Matchers::WithinAbs(0, 1e-12));
  }
}

TEST_CASE("what the kernel would misread or broadcast is refused before it, by the name of the fault") {
  const auto logits = torch::randn({4, 3}), target = torch::tensor({0, 1, 2, 0}, torch::kLong), soft = torch::softmax(logits, 1);
  const rg::CrossEntropy hard, mixed{.soft_targets = true};
  // shapes
  CHECK_THAT(refusal(hard, logits, torch::zeros({3}, torch::kLong)), ContainsSubstring("targets [3] for logits [4, 3]"));
  CHECK_THAT(refusal(hard, logits, torch::zeros({4, 1}, torch::kLong)), ContainsSubstring("targets [4, 1]"));
  CHECK_THAT(refusal(hard, logits, torch::zeros({4, 3}, torch::kLong)), ContainsSubstring("targets [4, 3]"));
  CHECK_THAT(refusal(hard, logits, torch::zeros({}, torch::kLong)), ContainsSubstring("targets []"));
  CHECK_THAT(refusal(hard, torch::randn({4, 3, 5}), torch::zeros({4, 3}, torch::kLong)),
             ContainsSubstring("targets [4, 3] for logits [4, 3, 5]"));
  CHECK_THAT(refusal(hard, torch::randn({3}), torch::zeros({3}, torch::kLong)), ContainsSubstring("targets [3] for logits [3]"));
  CHECK_THAT(refusal(hard, torch::randn({}), torch::zeros({}, torch::kLong)), ContainsSubstring("an output of shape []"));
  CHECK_THAT(refusal(mixed, logits, torch::ones({4, 1})), ContainsSubstring("soft targets [4, 1]"));
  CHECK_THAT(refusal(mixed, logits, torch::ones({1, 3})), ContainsSubstring("soft targets [1, 3]"));
  // types
  CHECK_THAT(refusal(hard, logits, soft), ContainsSubstring(".soft_targets = true"));  // never silently taken as probabilities
  CHECK_THAT(refusal(hard, logits, torch::zeros({4})), ContainsSubstring("target.to(torch::kLong)"));
  for (auto dtype : {torch::kInt, torch::kByte, torch::kBool})
    CHECK_THAT(refusal(hard, logits, torch::ones({4}, dtype)), ContainsSubstring("targets of type"));
  CHECK_THAT(refusal(hard, torch::ones({4, 3}, torch::kLong), target), ContainsSubstring("float type"));
  CHECK_THAT(refusal(mixed, logits, torch::ones({4, 3}, torch::kLong)), ContainsSubstring("soft targets"));
  CHECK_THAT(refusal(mixed, logits, target), ContainsSubstring("soft targets [4]"));
  // devices
  CHECK_THAT(refusal(hard, logits, target.to(torch::kMeta)), ContainsSubstring("different devices"));
  CHECK_THAT(refusal(mixed, torch::randn({4, 3}, torch::kMeta), soft), ContainsSubstring("different devices"));
  // class weights
  for (const auto& weights : {torch::ones({2}), torch::ones({4}), torch::ones({1}), torch::ones({1, 3}), torch::ones({}),
                              torch::ones({3}, torch::kMeta)}) {
    CHECK_THAT(refusal({.class_weight = weights}, logits, target), ContainsSubstring("class weights"));
    CHECK_THAT(refusal({.class_weight = weights, .soft_targets = true}, logits, soft), ContainsSubstring("class weights"));
  }
}

TEST_CASE("an index outside the classes is refused with its place, unless it is the ignored one") {
  const auto logits = torch::randn({4, 3});
  for (std::int64_t bad :
       {std::int64_t{3}, std::int64_t{-1}, std::int64_t{-99}, std::int64_t{1} << 40, std::numeric_limits<std::int64_t>::min()})
    for (int at = 0; at < 4; ++at) {
      auto target = torch::zeros({4}, torch::kLong);
      target[at] = bad;
      const auto said = refusal({}, logits, target);
      CHECK_THAT(said, ContainsSubstring("target " + std::to_string(bad) + " at position " + std::to_string(at)) &&
                           ContainsSubstring("indices from 0 to 2"));
      CHECK(rg::CrossEntropy{.ignore_index = bad}(logits, target).weight == 3);
    }
  CHECK_THAT(refusal({.ignore_index = 0}, logits, torch::full({4}, -100, torch::kLong)),
             ContainsSubstring("target -100"));  // no longer the ignored one
  CHECK_THAT(refusal({}, torch::randn({2, 3, 2}), torch::tensor({0, 1, 2, 3}, torch::kLong).reshape({2, 2})),
             ContainsSubstring("target 3 at position 3"));
}
}  // namespace cross_entropy_tests
