// tests/data/idx.cpp - IDX files, whole and damaged in every way
#include "regimen/data/idx.hpp"

#include <torch/torch.h>
#include <zlib.h>

#include <catch2/catch_get_random_seed.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_all.hpp>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <random>
#include <string>

#include "support/python.hpp"

namespace idx_tests {
using Catch::Matchers::ContainsSubstring, Catch::Matchers::MessageMatches;
namespace fs = std::filesystem;

std::string word(std::uint32_t n) { return {static_cast<char>(n >> 24), static_cast<char>(n >> 16), static_cast<char>(n >> 8), static_cast<char>(n)}; }
std::string header(int type, std::initializer_list<std::uint32_t> sizes) {
  std::string bytes{'\0', '\0', static_cast<char>(type), static_cast<char>(sizes.size())};
  for (auto n : sizes) bytes += word(n);
  return bytes;
}
std::string packed(const std::string& bytes, int level = 6) {
  std::string out(bytes.size() + bytes.size() / 1000 + 100, '\0');
  z_stream stream{};
  deflateInit2(&stream, level, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<unsigned char*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<unsigned>(bytes.size());
  stream.next_out = reinterpret_cast<unsigned char*>(out.data());
  stream.avail_out = static_cast<unsigned>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}
fs::path file(const std::string& bytes) {
  static const auto folder = python::scratch("idx");
  const auto path = folder / "some-idx.gz";  // the name says nothing
  std::ofstream{path, std::ios::binary} << bytes;
  return path;
}
void refuses(const std::string& bytes, const std::string& text) {
  CHECK_THROWS_MATCHES(regimen::read_idx(file(bytes)), regimen::Error, MessageMatches(ContainsSubstring(text) && ContainsSubstring("some-idx.gz")));
}
/// What reading this comes to: a tensor's bytes, or nothing after a regimen::Error. Any other exception passes.
std::optional<std::string> outcome(const std::string& bytes) {
  try {
    const auto t = regimen::read_idx(file(bytes));
    return std::string(static_cast<const char*>(t.const_data_ptr()), t.nbytes());
  } catch (const regimen::Error&) {
    return std::nullopt;
  }
}
std::string noise(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random{seed};
  std::string all(count, '\0');
  for (auto& c : all) c = static_cast<char>(random());
  return all;
}
}  // namespace idx_tests
using idx_tests::file, idx_tests::header, idx_tests::packed, idx_tests::refuses, idx_tests::word;

TEST_CASE("an IDX file is read plain and gz, in all its types") {
  std::string bytes = header(0x08, {2, 3, 2});
  for (int i = 0; i < 12; ++i) bytes += static_cast<char>(i * 20);
  const auto right = torch::arange(12).mul(20).to(torch::kByte).view({2, 3, 2});
  CHECK(regimen::read_idx(file(bytes)).equal(right));
  for (int level : {0, 1, 9}) CHECK(regimen::read_idx(file(packed(bytes, level))).equal(right));
  CHECK(regimen::read_idx(file(packed(bytes.substr(0, 9)) + packed(bytes.substr(9)))).equal(right));  // gz of several members is one stream

  CHECK(regimen::read_idx(file(header(0x09, {2}) + "\xff\x02")).equal(torch::tensor({-1, 2}, torch::kChar)));
  CHECK(regimen::read_idx(file(header(0x0B, {1}) + "\xff\x01")).equal(torch::tensor({-255}, torch::kShort)));
  CHECK(regimen::read_idx(file(header(0x0C, {2}) + word(7) + word(0xfffffffe))).equal(torch::tensor({7, -2}, torch::kInt)));
  CHECK(regimen::read_idx(file(header(0x0D, {1}) + word(0x3fc00000))).equal(torch::tensor({1.5f})));
  CHECK(regimen::read_idx(file(header(0x0E, {1}) + word(0xbff80000) + word(0))).equal(torch::tensor({-1.5}, torch::kDouble)));
  CHECK(regimen::read_idx(file(header(0x08, {0, 28, 28}))).sizes() == torch::IntArrayRef{0, 28, 28});
}

TEST_CASE("a big one, longer than every buffer") {
  const auto body = idx_tests::noise(300'000, 1);
  const auto bytes = header(0x08, {300, 1000}) + body;
  for (const auto& whole : {bytes, packed(bytes)}) CHECK(idx_tests::outcome(whole) == body);
  CHECK(idx_tests::outcome(packed(header(0x08, {3'000'000}) + std::string(3'000'000, 'x'), 9)) == std::string(3'000'000, 'x'));  // deflate's best ratio
}

TEST_CASE("what is no IDX file, with path and reason") {
  CHECK_THROWS_MATCHES(regimen::read_idx("no/such/file"), regimen::Error, idx_tests::MessageMatches(idx_tests::ContainsSubstring("no/such/file can't be opened: No such file")));
  CHECK_THROWS_MATCHES(regimen::read_idx(std::filesystem::temp_directory_path()), regimen::Error, idx_tests::MessageMatches(idx_tests::ContainsSubstring("is a directory")));
  refuses("", "is too short");
  refuses(std::string(3, '\0'), "is too short");
  refuses(packed(""), "is too short");
  refuses("not an IDX file", "does not start as");
  refuses(packed("not an IDX file"), "does not start as");
  refuses(header(0x0A, {2}) + "ab", "does not start as");
  refuses(header(0x08, {}), "does not start as");
  refuses(std::string{"\0\0\x08\x03", 4} + word(1) + "ab", "ends within its header");
  refuses(header(0x08, {5}) + "abcd", "ends after 4 of 5 bytes");
  refuses(header(0x08, {5, 5}) + "abcd", "claims to hold more");
  refuses(header(0x0E, {2}) + std::string(15, 'a'), "ends after 15 of 16 bytes");
  refuses(header(0x08, {4}) + "abcde", "goes on behind its 4 bytes");
  refuses(packed(header(0x08, {4}) + "abcde"), "goes on behind its 4 bytes");
  refuses(packed(header(0x08, {5}) + "abcd"), "ends after 4 of 5 bytes");
}

TEST_CASE("sizes that no memory holds are refused before anything is allocated") {
  const auto huge = 0xffffffffu;
  refuses(header(0x08, {huge}) + "a", "claims to hold more");
  refuses(packed(header(0x08, {huge, huge}) + "a"), "claims to hold more");
  refuses(header(0x0E, {huge, huge, huge, huge, huge}), "claims to hold more");
  refuses(packed(header(0x08, {0, huge, huge, huge, huge})), "claims to hold more");
  refuses(packed(header(0x08, {huge, 0})), "claims to hold more");
}

TEST_CASE("a file cut at any length, plain or gz, is refused") {
  const auto body = idx_tests::noise(400, 2);
  const auto plain = header(0x08, {20, 20}) + body, gz = packed(plain);
  for (const auto& whole : {plain, gz})
    for (std::size_t length = 0; length < whole.size(); ++length) {
      CAPTURE(length, whole.size());
      REQUIRE_FALSE(idx_tests::outcome(whole.substr(0, length)));
    }
  refuses(gz.substr(0, 15), "ends in the middle of its gz stream");
  refuses(gz.substr(0, gz.size() - 1), "ends in the middle of its gz stream");  // the checksum alone is short
  const auto big = packed(header(0x08, {200'000}) + idx_tests::noise(200'000, 3));
  for (std::size_t length : {std::size_t{65'535}, std::size_t{65'536}, std::size_t{65'537}, big.size() - 9, big.size() - 8, big.size() - 4}) {
    CAPTURE(length);
    CHECK_FALSE(idx_tests::outcome(big.substr(0, length)));
  }
}

TEST_CASE("a gz file with any bit flipped is refused, or reads as the same") {
  const auto body = idx_tests::noise(300, Catch::getSeed());
  const auto whole = packed(header(0x08, {15, 20}) + body);
  std::size_t harmless = 0;
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      auto flipped = whole;
      flipped[at] = static_cast<char>(flipped[at] ^ 1 << bit);
      const auto read = idx_tests::outcome(flipped);
      CAPTURE(at, bit, Catch::getSeed());
      if (read) {
        REQUIRE(*read == body);
        ++harmless;  // time stamp and system in gz's header, padding of deflate's blocks
      }
    }
  CHECK(harmless <= 80);
  auto wrong_sum = whole;
  wrong_sum[whole.size() - 8] = static_cast<char>(wrong_sum[whole.size() - 8] ^ 1);
  refuses(wrong_sum, "incorrect data check");
}

TEST_CASE("bytes behind a gz stream are refused, which gzread would not see") {
  const auto whole = packed(header(0x08, {3}) + "abc");
  refuses(whole + "x", "has bytes behind its gz stream");
  refuses(whole + std::string(8, '\0'), "has bytes behind its gz stream");
  refuses(whole + "\x1f", "ends in the middle");
  refuses(whole + "\x1f\x8c and more", "is no sound gz stream");
  refuses(whole + whole, "goes on behind its 3 bytes");
  refuses(whole + idx_tests::noise(100'000, 4).replace(0, 1, "n"), "has bytes behind its gz stream");
}
