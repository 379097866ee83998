// regimen/data/idx.hpp - tensors from IDX files, the format of MNIST, plain or gz (needs zlib: link with -lz)
#pragma once
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <zlib.h>

#include "regimen/core/error.hpp"

namespace regimen {
namespace detail {
/// The bytes of a file, inflated if it starts as gz does, through a buffer of fixed size. What is wrong with it throws regimen::Error.
/// zlib's inflate and not its gzread, which takes bytes behind the gz stream for its end and says nothing.
class IdxBytes {
 public:
  explicit IdxBytes(const std::filesystem::path& path) : path_{path} {
    std::error_code unknown;
    if (std::filesystem::is_directory(path, unknown)) refuse("is a directory", "the path of an IDX file");
    errno = 0;
    file_.open(path, std::ios::binary);
    if (!file_) refuse(std::string{"can't be opened: "} + std::strerror(errno != 0 ? errno : ENOENT), "the path of an IDX file");
    packed_size_ = std::filesystem::file_size(path, unknown);
    if (unknown) packed_size_ = 0;
    refill();
    is_gz_ = stream_.avail_in >= 2 && packed_[0] == 0x1f && packed_[1] == 0x8b;
    if (is_gz_ && inflateInit2(&stream_, 16 + MAX_WBITS) != Z_OK) refuse("can't be inflated: no memory", "a smaller data set");
  }
  IdxBytes(const IdxBytes&) = delete;
  ~IdxBytes() {
    if (is_gz_) inflateEnd(&stream_);
  }

  /// More than this the file can't hold: deflate packs at most 1032 bytes into one.
  std::uint64_t most() const { return is_gz_ ? packed_size_ * 1032 : packed_size_; }

  /// Fills `to` with the next bytes; returns how many there were.
  std::size_t read(unsigned char* to, std::size_t count) {
    std::size_t done = 0;
    while (done < count) {
      const auto got = is_gz_ ? inflate_some(to + done, count - done) : copy_some(to + done, count - done);
      if (got == 0) break;
      done += got;
    }
    return done;
  }
  [[noreturn]] void refuse(const std::string& found, const std::string& write = "the path of a whole IDX file: this one is damaged, fetch it anew") const {
    throw Error{"read_idx", path_.string() + ' ' + found, write};
  }

 private:
  void refill() {
    file_.read(reinterpret_cast<char*>(packed_.data()), static_cast<std::streamsize>(packed_.size()));
    if (file_.bad()) refuse("can't be read");
    stream_.next_in = packed_.data();
    stream_.avail_in = static_cast<unsigned>(file_.gcount());
  }
  std::size_t copy_some(unsigned char* to, std::size_t count) {
    if (stream_.avail_in == 0) refill();
    const auto got = std::min<std::size_t>(count, stream_.avail_in);
    std::memcpy(to, stream_.next_in, got);
    stream_.next_in += got;
    stream_.avail_in -= static_cast<unsigned>(got);
    return got;
  }
  std::size_t inflate_some(unsigned char* to, std::size_t count) {
    const auto room = static_cast<unsigned>(std::min<std::size_t>(count, 1u << 30));
    stream_.next_out = to;
    stream_.avail_out = room;
    while (stream_.avail_out == room) {
      if (stream_.avail_in == 0) refill();
      if (ended_) {  // another member may follow, nothing else
        if (stream_.avail_in == 0) return 0;
        if (*stream_.next_in != 0x1f) refuse("has bytes behind its gz stream");
        inflateReset(&stream_);
        ended_ = false;
      }
      if (stream_.avail_in == 0) refuse("ends in the middle of its gz stream");
      const int status = inflate(&stream_, Z_NO_FLUSH);
      if (status == Z_STREAM_END) ended_ = true;
      else if (status == Z_MEM_ERROR) refuse("can't be inflated: no memory", "a smaller data set");
      else if (status != Z_OK && status != Z_BUF_ERROR) refuse(std::string{"is no sound gz stream: "} + (stream_.msg ? stream_.msg : "wrong data"));
    }
    return room - stream_.avail_out;
  }

  std::filesystem::path path_;
  std::ifstream file_;
  std::uint64_t packed_size_ = 0;
  std::vector<unsigned char> packed_ = std::vector<unsigned char>(1 << 16);
  z_stream stream_{};  // of a plain file only the place in the buffer
  bool is_gz_ = false, ended_ = false;
};
}  // namespace detail

/// Reads an IDX file, plain or gz, into a tensor of its shape on the CPU: uint8, int8, int16, int32, float32 or float64.
/// Memory is the tensor and 100 kB; a header that claims more than the file can hold is refused before anything is allocated.
/// Throws regimen::Error with path and reason for a file that is missing, cut short, too long, or damaged (gz's checksum is checked).
/// The format is the one of LeCun's MNIST page. Example: `auto images = rg::read_idx("train-images-idx3-ubyte.gz");  // uint8 [60000, 28, 28]`
inline at::Tensor read_idx(const std::filesystem::path& path) {
  detail::IdxBytes bytes{path};
  std::array<unsigned char, 4> word{};
  if (bytes.read(word.data(), 4) < 4) bytes.refuse("is too short for an IDX file");
  struct Type { unsigned char code; at::ScalarType dtype; };
  constexpr std::array<Type, 6> types{{{0x08, at::kByte}, {0x09, at::kChar}, {0x0B, at::kShort}, {0x0C, at::kInt}, {0x0D, at::kFloat}, {0x0E, at::kDouble}}};
  const auto type = std::find_if(types.begin(), types.end(), [&](const Type& t) { return t.code == word[2]; });
  const int dims = word[3];
  if (word[0] != 0 || word[1] != 0 || type == types.end() || dims == 0)
    bytes.refuse("does not start as an IDX file does", "the path of an IDX file, plain or gz");

  std::vector<std::int64_t> shape;
  const std::uint64_t item = c10::elementSize(type->dtype);
  std::uint64_t count = item, span = item;  // of bytes; without the dimensions that are 0
  for (int d = 0; d < dims; ++d) {
    if (bytes.read(word.data(), 4) < 4) bytes.refuse("ends within its header");
    const auto size = std::uint64_t{word[0]} << 24 | std::uint64_t{word[1]} << 16 | std::uint64_t{word[2]} << 8 | word[3];
    if (size != 0 && (count > bytes.most() / size || span > (std::uint64_t{1} << 62) / size)) bytes.refuse("claims to hold more than its size allows");
    count *= size;
    if (size != 0) span *= size;
    shape.push_back(static_cast<std::int64_t>(size));
  }

  auto tensor = at::empty(shape, at::TensorOptions{}.dtype(type->dtype));
  auto* data = static_cast<unsigned char*>(tensor.mutable_data_ptr());
  const auto got = bytes.read(data, count);
  if (got < count) bytes.refuse("ends after " + std::to_string(got) + " of " + std::to_string(count) + " bytes");
  if (bytes.read(word.data(), 1) != 0) bytes.refuse("goes on behind its " + std::to_string(count) + " bytes");  // reads gz's checksum, too

  if (const std::uint16_t one = 1; item > 1 && *reinterpret_cast<const unsigned char*>(&one) == 1)  // files are big-endian
    for (std::uint64_t at = 0; at < count; at += item) std::reverse(data + at, data + at + item);
  return tensor;
}
}  // namespace regimen
