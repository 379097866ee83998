// tests/device/choice.cpp - devices by name; what isn't there is an error, never another device
#include <torch/torch.h>

#include "regimen/device/choice.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_all.hpp>

#include "support/tensors.hpp"

namespace choice_tests {
namespace rg = regimen;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("cpu is taken at its word, auto says why") {
  CHECK(rg::choose_device("cpu").device == torch::kCPU);
  CHECK(rg::choose_device("cpu").why == "asked for");
  const auto [device, why] = rg::choose_device();
  CHECK(device == rg::choose_device("auto").device);
  if (torch::cuda::is_available()) {
    CHECK(device == torch::Device{torch::kCUDA, 0});
    CHECK_THAT(why, ContainsSubstring("usable"));
    CHECK(rg::choose_device("cuda").device == device);
    CHECK(rg::choose_device("cuda:0").device == device);
  } else {
    CHECK(device == torch::kCPU);
    CHECK(why == "no CUDA GPU is usable");
  }
}

TEST_CASE("a GPU that isn't there is an error") {
  const auto count = torch::cuda::is_available() ? torch::cuda::device_count() : 0;
  for (const auto& name : {"cuda:" + std::to_string(count), std::string{"cuda:127"}, std::string{"cuda:128"},
                           std::string{"cuda:256"}, std::string{"cuda:999"}})
    CHECK_THAT(tensors::error_of([&] { rg::choose_device(name); }),
               ContainsSubstring('"' + name + "\" was asked for, but " + std::to_string(count) + " CUDA GPUs"));
  if (count == 0) CHECK_THAT(tensors::error_of([] { rg::choose_device("cuda"); }), ContainsSubstring("cpu, or auto"));
}

TEST_CASE("a name that is no device is an error that lists those there are") {
  for (const char* name : {"",        " ",       "gpu",     "CPU",      "Cuda",     "cuda:",   "cuda:x",
                           "cuda:-1", "cuda:1x", "cuda: 1", "cuda:0x1", "cuda:1.0", "cuda:+1", "cuda:99999999999999999999",
                           "cuda1",   "cpu:0",   "cpu ",    "auto:0",   "mps",      "meta",    "cuda:0 "})
    CHECK_THAT(tensors::error_of([&] { rg::choose_device(name); }),
               ContainsSubstring('"' + std::string{name} + "\" is no device; write auto, cpu, cuda or cuda:0"));
}
}  // namespace choice_tests
