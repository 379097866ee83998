// tests/policy/on_device.cpp - model and batches on one device; torch's meta device stands for another one
#include "regimen/policy/on_device.hpp"

#include <catch2/catch_test_macros.hpp>
#include <map>
#include <tuple>

#include "support/toy.hpp"

TEST_CASE("the model moves before the partition is made") {
  struct Model {
    torch::Device device = torch::kCPU;
    void to(torch::Device d) { device = d; }
  } model;
  const rg::OnDevice meta{torch::Device{torch::kMeta}};
  rg::OnDevice::State state;
  meta.prepare_model(model, state);
  CHECK(model.device == torch::kMeta);
  STATIC_CHECK(rg::OnDevice::hooks.prepare_model);  // the first moment of all
}

TEST_CASE("every tensor of a batch moves on arrival, and one that is there already is left as it is") {
  const rg::OnDevice meta{torch::Device{torch::kMeta}};
  rg::OnDevice::State state;
  int step = 0;
  rg::Batch batch{torch::ones({2}), torch::ones({3})};
  meta.batch_arrival(step, batch, state);
  CHECK(batch.input.device() == torch::kMeta);
  CHECK(batch.target.device() == torch::kMeta);
  std::tuple tuple{torch::ones({1}), std::vector{torch::ones({2}), torch::Tensor{}}, std::map<std::string, torch::Tensor>{{"mask", torch::ones({3})}}, 7};
  meta.batch_arrival(step, tuple, state);
  CHECK(std::get<0>(tuple).device() == torch::kMeta);
  CHECK(std::get<1>(tuple)[0].device() == torch::kMeta);
  CHECK(std::get<2>(tuple).at("mask").device() == torch::kMeta);

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
