// regimen/device/choice.hpp - which device to train on, and why
#pragma once
#include <string>

#include <ATen/Context.h>

#include "regimen/core/error.hpp"

namespace regimen {
struct DeviceChoice {
  at::Device device = at::kCPU;
  std::string why;
};

/// "auto" takes CUDA if it is usable, else the CPU, and says why; "cpu", "cuda" and "cuda:1" are taken at their word.
/// Throws regimen::Error for a name it doesn't know, and for CUDA where no such GPU is usable. Example: `auto [device, why] = rg::choose_device("auto");`
inline DeviceChoice choose_device(const std::string& name = "auto") {
  const auto gpus = at::globalContext().hasCUDA() ? at::getNumGPUs() : 0;
  if (name == "auto") {
    if (gpus > 0) return {at::Device{at::kCUDA, 0}, std::to_string(gpus) + " CUDA GPU(s) usable"};
    return {at::kCPU, "no CUDA GPU is usable"};
  }
  if (name == "cpu") return {at::kCPU, "asked for"};
  const bool numbered = name.starts_with("cuda:") && name.size() > 5 && name.size() < 9 && name.find_first_not_of("0123456789", 5) == name.npos;
  if (name != "cuda" && !numbered) throw Error{"device", "\"" + name + "\" is no device", "auto, cpu, cuda or cuda:0"};
  const int index = numbered ? std::stoi(name.substr(5)) : 0;
  if (index >= static_cast<int>(gpus))
    throw Error{"device", "\"" + name + "\" was asked for, but " + std::to_string(gpus) + " CUDA GPUs are usable here", "cpu, or auto"};
  return {at::Device{at::kCUDA, static_cast<at::DeviceIndex>(index)}, "asked for"};
}
}  // namespace regimen
