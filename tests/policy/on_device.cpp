// tests/policy/on_device.cpp - model and batches on one device; the meta device stands for another one
#include "regimen/policy/on_device.hpp"

#include <catch2/catch_test_macros.hpp>

#include "support/toy.hpp"

TEST_CASE("the model moves before the partition is made, batches on arrival, those that are there already not at all") {
  toy::Line net;
  bool moved = false;
  rg::Trainer trainer{net, rg::SGD{.lr = 1}, [&](auto&, const torch::Tensor& x) -> torch::Tensor {
    moved = x.device() == torch::kMeta;
    throw std::runtime_error("meta has no numbers");
  }, rg::OnDevice{torch::Device{torch::kMeta}}};
  CHECK(net->fc->weight.device() == torch::kMeta);
  CHECK(trainer.partition().cells.front().device == torch::kMeta);
  CHECK_THROWS(trainer.fit(toy::counting(1), rg::epochs(1)));
  CHECK(moved);

  toy::Line other;
  const auto batches = toy::counting(2);
  std::vector<const void*> places;
  rg::Trainer stays{other, rg::SGD{.lr = 1}, [&](auto& n, const torch::Tensor& x) {
    places.push_back(x.unsafeGetTensorImpl());
    return n->forward(x).mean();
  }, rg::OnDevice{"cpu"}};
  stays.fit(batches, rg::epochs(1));
  CHECK(places == std::vector<const void*>{batches[0].unsafeGetTensorImpl(), batches[1].unsafeGetTensorImpl()});
}

TEST_CASE("a device is chosen by name, and an explicit GPU that isn't there is an error") {
  CHECK(rg::OnDevice{"cpu"}.device == torch::kCPU);
  CHECK_THROWS_AS(rg::OnDevice{"gpu"}, rg::Error);
  if (!torch::cuda::is_available()) {
    CHECK(rg::OnDevice{"auto"}.device == torch::kCPU);
    CHECK_THROWS_AS(rg::OnDevice{"cuda"}, rg::Error);
  }
}
