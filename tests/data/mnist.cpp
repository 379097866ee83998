// tests/data/mnist.cpp - four files that fit each other, or an error that says which doesn't
#include "regimen/data/mnist.hpp"

#include <torch/torch.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_all.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "support/python.hpp"

namespace mnist_tests {
namespace fs = std::filesystem;
std::string idx(std::initializer_list<int> sizes, std::size_t count) {
  std::string bytes{'\0', '\0', '\x08', static_cast<char>(sizes.size())};
  for (int n : sizes) bytes += {'\0', '\0', '\0', static_cast<char>(n)};
  for (std::size_t i = 0; i < count; ++i) bytes += static_cast<char>(i % 200);
  return bytes;
}
fs::path small_set() {
  const auto folder = python::scratch("mnist");
  const auto write = [&](const char* name, const std::string& bytes) { std::ofstream{folder / name, std::ios::binary} << bytes; };
  write("train-images-idx3-ubyte", idx({4, 3, 2}, 24));
  write("train-labels-idx1-ubyte", idx({4}, 4));
  write("t10k-images-idx3-ubyte", idx({2, 3, 2}, 12));
  write("t10k-labels-idx1-ubyte", idx({2}, 2));
  return folder;
}
void refuses(const fs::path& folder, const std::string& text) {
  CHECK_THROWS_MATCHES(regimen::read_mnist(folder), regimen::Error, Catch::Matchers::MessageMatches(Catch::Matchers::ContainsSubstring(text)));
}
}  // namespace mnist_tests

TEST_CASE("images get a channel, labels the type that cross entropy takes") {
  const auto [train, test] = regimen::read_mnist(mnist_tests::small_set());
  CHECK(train.images.equal(torch::arange(24).to(torch::kByte).view({4, 1, 3, 2})));
  CHECK(train.labels.equal(torch::arange(4)));
  CHECK(test.images.sizes() == torch::IntArrayRef{2, 1, 3, 2});
  CHECK(test.labels.dtype() == torch::kLong);
}

TEST_CASE("a folder without the files, files of other kinds, and files that don't fit each other") {
  using mnist_tests::refuses;
  refuses("no/such/folder", "there is no no/such/folder/train-images-idx3-ubyte.gz");
  const auto folder = mnist_tests::small_set();
  std::ofstream{folder / "train-labels-idx1-ubyte"} << mnist_tests::idx({3}, 3);
  refuses(folder, "4 train images for 3 labels");
  std::ofstream{folder / "train-labels-idx1-ubyte"} << mnist_tests::idx({2, 2}, 4);
  refuses(folder, "train-labels-idx1-ubyte holds something else than labels");
  std::ofstream{folder / "train-images-idx3-ubyte"} << mnist_tests::idx({24}, 24);
  refuses(folder, "train-images-idx3-ubyte holds something else than images");
  std::filesystem::remove(mnist_tests::small_set() / "t10k-labels-idx1-ubyte");
  refuses(folder, "there is no");
}

TEST_CASE("the real Fashion-MNIST") {
  const std::filesystem::path folder = "/usr/share/datasets/fashion-mnist";
  if (!std::filesystem::exists(folder)) SKIP("it is not installed: apt-get install dataset-fashion-mnist");
  const auto [train, test] = regimen::read_mnist(folder);
  CHECK(train.images.sizes() == torch::IntArrayRef{60'000, 1, 28, 28});
  CHECK(test.images.sizes() == torch::IntArrayRef{10'000, 1, 28, 28});
  CHECK(train.labels.bincount().equal(torch::full({10}, 6000)));
  CHECK(train.images.to(torch::kDouble).div_(255).mean().item<double>() == Catch::Approx(0.2860).margin(1e-4));
}
