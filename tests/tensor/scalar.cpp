// tests/tensor/scalar.cpp - numbers read from and written to tensors, weighted means
#include <torch/torch.h>

#include "regimen/tensor/scalar.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_all.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <string>

namespace scalar_tests {
namespace rg = regimen;
using rg::detail::read_number, rg::detail::write_number;

TEST_CASE("a number is read from a tensor of one element, whatever its type and shape") {
  for (auto dtype : {torch::kFloat, torch::kDouble, torch::kHalf, torch::kBFloat16, torch::kLong, torch::kInt, torch::kByte})
    for (const auto& shape : std::vector<std::vector<std::int64_t>>{{}, {1}, {1, 1}})
      CHECK(read_number(torch::full(shape, 5, dtype)) == 5);
  CHECK(read_number(torch::full({}, true, torch::kBool)) == 1);
  CHECK(read_number(torch::arange(6).to(torch::kFloat)[4]) == 4);  // at an offset
  CHECK(read_number(torch::full({}, 0.1, torch::kDouble)) == 0.1);
  CHECK(read_number(torch::full({}, 0.1f).requires_grad_()) == double(0.1f));
  CHECK(std::isnan(read_number(torch::full({}, std::numeric_limits<double>::quiet_NaN()))));
}

TEST_CASE("a number is written into a tensor of one element") {
  for (auto dtype : {torch::kFloat, torch::kDouble, torch::kHalf}) {
    const auto t = torch::zeros({2}, dtype);
    write_number(t[1], 0.1);
    CHECK(torch::equal(t, torch::tensor({0.0, 0.1}, torch::kDouble).to(dtype)));
  }
}

TEST_CASE("DeviceMean is a weighted mean: NaN while it is empty, sums and means mixed") {
  rg::DeviceMean mean;
  CHECK(std::isnan(mean.read()));
  mean.add(torch::full({}, 2.0), 3);
  mean.add(8.0, 1);
  CHECK(mean.read() == 3.5);                           // (2*3 + 8) / 4
  mean.add_sum(torch::full({1}, 10, torch::kLong), 4);  // a sum over 4
  CHECK(mean.read() == 3);
  mean.add(torch::full({}, std::numeric_limits<double>::quiet_NaN()), 1);
  CHECK(std::isnan(mean.read()));  // not hidden
  mean.clear();
  CHECK(std::isnan(mean.read()));
  mean.add(1.0, 2);
  CHECK(mean.read() == 1);
}

TEST_CASE("DeviceMean adds floats in double: a million of them lose nothing") {
  rg::DeviceMean mean;
  const auto tenth = torch::full({}, 0.1f);
  for (int i = 0; i < 1'000'000; ++i) mean.add(tenth, 1);
  CHECK_THAT(mean.read(), Catch::Matchers::WithinRel(double(0.1f), 1e-11));
}

TEST_CASE("1000 random streams have the mean of one pass") {
  const auto seed = std::random_device{}();
  INFO("seed " << seed);
  std::mt19937 random{seed};
  for (int i = 0; i < 1000; ++i) {
    INFO("case " << i);
    rg::DeviceMean mean;
    double sum = 0, weight = 0;
    for (int k = 1 + int(random() % 9); k > 0; --k) {
      const double value = double(random() % 1000) - 500, w = 1 + double(random() % 8);
      const int how = int(random() % 3);
      if (how == 0) mean.add(value, w);
      else if (how == 1) mean.add(torch::full({}, value, torch::kDouble), w);
      else mean.add_sum(torch::full({}, value * w), w);
      sum += value * w;
      weight += w;
    }
    CHECK(mean.read() == sum / weight);  // whole numbers: exact
  }
}

TEST_CASE("on a device, here torch's meta, DeviceMean keeps a sum of its own and takes any shape of one element") {
  const auto meta = torch::TensorOptions{}.device(torch::kMeta);
  for (auto dtype : {torch::kFloat, torch::kDouble}) {
    rg::DeviceMean mean;
    const auto first = torch::ones({}, meta.dtype(dtype)), second = torch::ones({1}, meta.dtype(dtype));
    mean.add(first, 3);
    REQUIRE(mean.device_sum);
    CHECK_FALSE(mean.device_sum->is_alias_of(first));  // the caller's loss is not written
    CHECK(first._version() == 0);
    CHECK_NOTHROW(mean.add(second, 1));
    CHECK_NOTHROW(mean.add_sum(first, 1));
    CHECK(mean.device_sum->scalar_type() == torch::kDouble);
    CHECK(mean.weight == 5);
    CHECK(mean.sum == 0);  // of the host's share
    rg::DeviceMean other;
    other.add(second, 1);
    CHECK_NOTHROW(other.add(first, 1));
  }
}

TEST_CASE("DeviceMean names its fields for a checkpoint") {
  std::string names;
  const auto note = [&](std::string_view name, auto&) { names += std::string{name} + ' '; };
  rg::DeviceMean{}.archive(note);
  CHECK(names == "sum weight device_sum ");
}
}  // namespace scalar_tests
