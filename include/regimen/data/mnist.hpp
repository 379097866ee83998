// regimen/data/mnist.hpp - MNIST and the sets that come as the same four files: Fashion-MNIST, KMNIST, ... (needs zlib)
#pragma once
#include <filesystem>
#include <string>
#include <utility>

#include "regimen/data/idx.hpp"

namespace regimen {
/// Images uint8 [n, 1, rows, columns] from 0 to 255, and their labels int64 [n], as `CrossEntropy` takes them.
struct Images {
  at::Tensor images, labels;
};
struct Mnist {
  Images train, test;
};

/// Reads `train-` and `t10k-images-idx3-ubyte` and `-labels-idx1-ubyte`, each plain or with `.gz`, from a directory.
/// Throws regimen::Error as `read_idx` does, and for files that don't fit each other.
/// Example: `auto [train, test] = rg::read_mnist("/usr/share/datasets/fashion-mnist");`
inline Mnist read_mnist(const std::filesystem::path& directory) {
  const auto read = [&](const std::string& name, int dims) {
    auto path = directory / name;
    if (!std::filesystem::exists(path)) path += ".gz";
    if (!std::filesystem::exists(path)) throw Error{"read_mnist", "there is no " + path.string(), "the directory of the four IDX files"};
    auto data = read_idx(path);
    if (data.dim() != dims || data.scalar_type() != at::kByte || data.size(0) == 0)
      throw Error{"read_mnist", path.string() + " holds something else than " + (dims == 3 ? "images" : "labels"), "the directory of the four IDX files"};
    return data;
  };
  const auto part = [&](const std::string& prefix) {
    Images all{read(prefix + "-images-idx3-ubyte", 3).unsqueeze(1), read(prefix + "-labels-idx1-ubyte", 1).to(at::kLong)};
    if (all.images.size(0) != all.labels.size(0))
      throw Error{"read_mnist", std::to_string(all.images.size(0)) + ' ' + prefix + " images for " + std::to_string(all.labels.size(0)) + " labels in " + directory.string(),
                  "the directory of four files of one data set"};
    return all;
  };
  auto train = part("train");
  return {std::move(train), part("t10k")};
}
}  // namespace regimen
