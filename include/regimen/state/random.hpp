// regimen/state/random.hpp - the default generators: seed, save, restore
#pragma once
#include <cstdint>
#include <mutex>
#include <string>

#include <ATen/Context.h>

#include "regimen/tensor/compat.hpp"

namespace regimen {
/// Seeds the default generators of all devices. Equals `torch.manual_seed`. Example: `rg::seed(0);`
inline void seed(std::uint64_t s) { at::manual_seed(s); }

namespace detail {
/// Visits the states of the default generators: the CPU's, and each CUDA device's where CUDA is usable.
void archive_generators(auto& a, bool loading) {
  const auto visit = [&](at::Device device) {
    auto generator = at::globalContext().defaultGenerator(device);
    const std::lock_guard lock{generator.mutex()};
    auto state = generator.get_state();
    a("generator/" + device.str(), state);
    if (loading) generator.set_state(state);
  };
  visit(at::kCPU);
  if (at::globalContext().hasCUDA())
    for (int i = 0; i < static_cast<int>(at::getNumGPUs()); ++i) visit(at::Device{at::kCUDA, static_cast<at::DeviceIndex>(i)});
}
}  // namespace detail
}  // namespace regimen
