// tests/fake/device/accelerator.hpp - a device without hardware: its memory is the host's, and all that is asked of it is written down
#pragma once
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include <torch/torch.h>

namespace fake {
inline const at::Device device{at::kPrivateUse1, 0};

/// A kernel, a copy or a wait on an event, in the order in which they reached the device. Views and empty tensors launch nothing.
struct Op {
  std::string name;
  std::int64_t stream = 0, bytes = 0;  // of all tensors that it is given and gives back
  bool operator==(const Op&) const = default;
  friend std::ostream& operator<<(std::ostream& out, const Op& op) { return out << op.name << " (stream " << op.stream << ", " << op.bytes << " bytes)"; }
};
/// What happened while something ran.
struct Log {
  std::vector<Op> ops;
  std::vector<std::string> syncs;  // operators for which the host waited
  std::int64_t allocations = 0, copies_in = 0, copies_out = 0;
  std::int64_t launches(const std::string& name) const;
  std::vector<std::string> names() const;
};
/// Runs `f` and returns what it did to the device.
class Recorder {
 public:
  Recorder();
  ~Recorder();
  Log stop();
};
template <class F> Log record(F&& f) {
  Recorder recorder;
  f();
  return recorder.stop();
}

/// While one lives, an operator for which the host would wait throws, named.
class NoSync {
 public:
  NoSync();
  ~NoSync();
  NoSync(const NoSync&) = delete;
  NoSync& operator=(const NoSync&) = delete;
};

/// Copies to pinned memory that aren't waited for arrive only now, at a wait, or with their event: until then the memory holds 0xff.
void arrive();

/// A stream beside the default one, current while it lives.
class OnStream {
 public:
  explicit OnStream(std::int64_t id);
  ~OnStream();
  OnStream(const OnStream&) = delete;
  OnStream& operator=(const OnStream&) = delete;

 private:
  std::int64_t before_;
};
}  // namespace fake
