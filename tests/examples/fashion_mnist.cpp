// tests/examples/fashion_mnist.cpp - the built example: what it prints, what it refuses, and that it notices when nothing is learnt
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_all.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "support/program.hpp"

namespace fashion_tests {
namespace fs = std::filesystem;
using Catch::Matchers::ContainsSubstring, Catch::Matchers::Matches;
const fs::path data = "/usr/share/datasets/fashion-mnist";

auto run(const std::string& arguments) { return program::run("fashion_mnist", arguments); }
/// One line of error and the exit code 2, whatever was printed before.
void refuses(const std::string& arguments, const std::string& text) {
  CAPTURE(arguments);
  const auto result = run(arguments);
  CHECK(result.code == 2);
  CHECK_THAT(result.err, ContainsSubstring(text));
  CHECK(std::ranges::count(result.err, '\n') == 1);
  CHECK(result.err.starts_with("fashion_mnist: "));
}
/// The real files by links, all but one: that is cut or bent by `change`.
fs::path damaged(const std::string& name, auto&& change) {
  const auto folder = python::scratch("damaged");
  for (const auto& file : fs::directory_iterator{data})
    if (file.path().filename() != name) fs::create_symlink(file.path(), folder / file.path().filename());
  auto bytes = program::text_of(data / name);
  change(bytes);
  std::ofstream{folder / name, std::ios::binary} << bytes;
  return folder;
}
std::string without_times(std::string text) {
  for (const std::string mark : {"samples/s ", " in "})
    for (auto at = text.find(mark); at != text.npos; at = text.find(mark, at + mark.size())) {
      const auto from = at + mark.size();
      text.erase(from, text.find_first_not_of("0123456789.", from) - from);
    }
  return text;
}
}  // namespace fashion_tests
using fashion_tests::ContainsSubstring;

TEST_CASE("fashion_mnist: what can't be run is one line and exit code 2") {
  using fashion_tests::refuses, fashion_tests::damaged;
  refuses("--data /no/such/folder", "there is no /no/such/folder/train-images-idx3-ubyte.gz");
  refuses("--device tpu", "\"tpu\" is no device");
  refuses("--device cuda:97", "\"cuda:97\" was asked for");
  refuses("--epochs 0", "--epochs");
  refuses("--batch many", "--batch");
  refuses("--accumulate 0", "--accumulate");
  refuses("--no-such-option", "--no-such-option");
  if (!std::filesystem::exists(fashion_tests::data)) SKIP("dataset-fashion-mnist is not installed");
  const std::string labels = "t10k-labels-idx1-ubyte.gz", images = "train-images-idx3-ubyte.gz";
  refuses("--data '" + damaged(labels, [](auto& bytes) { bytes.resize(bytes.size() - 20); }).string() + '\'', "ends in the middle of its gz stream");
  refuses("--data '" + damaged(labels, [](auto& bytes) { bytes[bytes.size() - 6] ^= 1; }).string() + '\'', "is no sound gz stream: incorrect data check");
  refuses("--data '" + damaged(images, [](auto& bytes) { bytes[1'000'000] ^= 8; }).string() + '\'', images + " is no sound gz stream");
  refuses("--data '" + damaged(images, [](auto& bytes) { bytes = "no images"; }).string() + '\'', "does not start as an IDX file does");
}

TEST_CASE("fashion_mnist: --help ends well") {
  const auto help = fashion_tests::run("--help");
  CHECK(help.code == 0);
  CHECK(help.err.empty());
  for (const char* option : {"--data", "--epochs", "--batch", "--accumulate", "--device", "--amp", "--seed", "--shuffle-labels"}) CHECK_THAT(help.out, ContainsSubstring(option));
}

TEST_CASE("fashion_mnist: a short run prints device, counts and a line per epoch, and the same again") {
  if (!std::filesystem::exists(fashion_tests::data)) SKIP("dataset-fashion-mnist is not installed");
  const std::string arguments = "--epochs 3 --limit 20 --batch 32 --accumulate 3 --seed 4 --device cpu";
  const auto result = fashion_tests::run(arguments);
  CHECK(result.code == 0);
  CHECK(result.err.empty());
  const std::string number = "[0-9.e+-]+", epoch = "  loss " + number + "  validation_loss " + number + "  validation_accuracy " + number + "  accuracy " + number +
                                                   "  lr " + number + "  samples/s " + number + "  updates ";
  CHECK_THAT(result.out, fashion_tests::Matches("device cpu: asked for\n"
                                                "all: 206922 parameters train, 0 are frozen\n"
                                                "epoch 1" + epoch + "7\nepoch 2" + epoch + "14\n"  // 20 micro-batches: 7 windows
                                                "the head alone: 1290 parameters train, 205632 are frozen\n"
                                                "epoch 1" + epoch + "7\n"
                                                "accuracy " + number + " after 3 epochs in " + number + " s\n"));
  CHECK(fashion_tests::without_times(fashion_tests::run(arguments).out) == fashion_tests::without_times(result.out));
}

TEST_CASE("fashion_mnist: an epoch in bfloat16 has activations of bfloat16, and learns") {
  if (!std::filesystem::exists(fashion_tests::data)) SKIP("dataset-fashion-mnist is not installed");
  const auto result = fashion_tests::run("--amp --epochs 1 --batch 128 --accumulate 1");
  CAPTURE(result.out, result.err);
  CHECK(result.code == 0);  // at least 80 %
  CHECK_THAT(result.out, ContainsSubstring("activations are BFloat16\n"));
}

TEST_CASE("fashion_mnist: shuffled labels teach nothing, and the run fails") {
  if (!std::filesystem::exists(fashion_tests::data)) SKIP("dataset-fashion-mnist is not installed");
  const auto result = fashion_tests::run("--shuffle-labels --epochs 1 --batch 256 --accumulate 1");
  CAPTURE(result.out, result.err);
  CHECK(result.code == 1);
  CHECK_THAT(result.err, ContainsSubstring("is below the 0.80 that 1 epochs should reach"));
}
