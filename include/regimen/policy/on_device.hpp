// regimen/policy/on_device.hpp - model and batches on one device
#pragma once
#include <string>

#include "regimen/core/policy.hpp"
#include "regimen/data/parts.hpp"
#include "regimen/device/choice.hpp"

namespace regimen {
/// Moves the model at set-up and each batch on arrival to `device`: one copy per batch, none where it is there already.
/// Takes "auto", "cpu", "cuda", "cuda:1" or an at::Device; CUDA without a usable GPU throws regimen::Error.
/// Equals `model.to(device)` and `batch.to(device)`. Example: `rg::OnDevice{"auto"}`.
struct OnDevice {
  at::Device device = at::kCPU;

  OnDevice() = default;
  OnDevice(at::Device d) : device{d} {}
  OnDevice(const std::string& name) : device{choose_device(name).device} {}
  OnDevice(const char* name) : OnDevice{std::string{name}} {}

  struct State {};
  static constexpr Facts facts{.name = "on_device", .slot = "device", .writes = {"batch"}};
  static constexpr HookSet hooks{.prepare_model = true, .batch_arrival = true};

  void prepare_model(auto& model, State&) const { model.to(device); }
  void batch_arrival(auto&, auto& batch, State&) const {
    detail::for_each_tensor(batch, [&](at::Tensor& t) {
      if (t.device() != device) t = t.to(device, /*non_blocking=*/true);
    });
  }
  bool operator==(const OnDevice&) const = default;
};
static_assert(policy<OnDevice>);
}  // namespace regimen
