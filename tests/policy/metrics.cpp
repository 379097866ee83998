// tests/policy/metrics.cpp - numbers beside the loss, weighted by samples
#include "regimen/policy/metrics.hpp"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "support/toy.hpp"

namespace metrics_tests {
/// Passes logits on, times a weight that stays 1.
struct IdentityImpl : torch::nn::Module {
  torch::Tensor one = register_parameter("one", torch::ones({1}));
  torch::Tensor forward(const torch::Tensor& x) { return x * one; }
};
TORCH_MODULE(Identity);
rg::Batch batch(std::vector<float> logits, std::vector<std::int64_t> targets) {
  const auto n = std::int64_t(targets.size());
  return {torch::tensor(logits).reshape({n, 3}), torch::tensor(targets)};
}
struct MeanOutput {
  static constexpr std::string_view name = "mean_output";
  torch::Tensor operator()(const torch::Tensor& output, const torch::Tensor&) const { return output.mean(); }
};
}  // namespace metrics_tests

TEST_CASE("accuracy and top-k over batches of different sizes, in training and in validation") {
  metrics_tests::Identity net;
  const std::vector<rg::Batch> train{metrics_tests::batch({3, 2, 1}, {0}), metrics_tests::batch({1, 2, 3, 1, 2, 3, 3, 2, 1}, {0, 1, 0})};
  const std::vector<rg::Batch> validation{metrics_tests::batch({1, 2, 3, 1, 2, 3}, {2, 1})};
  rg::Trainer trainer{net, rg::SGD{.lr = 0}, rg::CrossEntropy{}, rg::Metrics{rg::Accuracy{}, rg::TopK<2>{}, metrics_tests::MeanOutput{}}};
  const auto report = trainer.fit(train, validation, rg::epochs(2));
  for (const auto& row : report.epochs) {
    CHECK(row.value("accuracy") == Catch::Approx(2.0 / 4));
    CHECK(row.value("top_2") == Catch::Approx(3.0 / 4));
    CHECK(row.value("mean_output") == Catch::Approx(2));
    CHECK(row.value("validation_accuracy") == Catch::Approx(1.0 / 2));
    CHECK(row.value("validation_top_2") == 1);
  }
}
