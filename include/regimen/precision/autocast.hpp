// regimen/precision/autocast.hpp - a region in which matrix products run in a smaller type
#pragma once
#include "regimen/tensor/compat.hpp"

namespace regimen {
/// Autocast for one device type from construction to the end of the scope, also on exceptions; scopes nest.
/// Equals Python's `torch.autocast(device, dtype)`. At the end of the outermost scope, and around one of another type, the cast cache is cleared.
/// Leave it before backward, and never change weights inside. Example: `{ rg::AutocastScope scope{at::kCPU, at::kBFloat16}; y = net->forward(x); }`
class AutocastScope {
 public:
  AutocastScope(at::DeviceType device, at::ScalarType dtype, bool cache = true)
      : device_{device}, enabled_{at::autocast::is_autocast_enabled(device)}, dtype_{at::autocast::get_autocast_dtype(device)},
        cache_{at::autocast::is_autocast_cache_enabled()}, casts_differ_{enabled_ && dtype_ != dtype} {
    if (casts_differ_) at::autocast::clear_cache();  // the cache asks for the weight only, not for the type of its cast
    at::autocast::set_autocast_enabled(device, true);
    at::autocast::set_autocast_dtype(device, dtype);
    at::autocast::set_autocast_cache_enabled(cache);
    at::autocast::increment_nesting();
  }
  AutocastScope(const AutocastScope&) = delete;
  AutocastScope& operator=(const AutocastScope&) = delete;
  ~AutocastScope() {
    if (at::autocast::decrement_nesting() == 0 || casts_differ_) at::autocast::clear_cache();
    at::autocast::set_autocast_enabled(device_, enabled_);
    at::autocast::set_autocast_dtype(device_, dtype_);
    at::autocast::set_autocast_cache_enabled(cache_);
  }

 private:
  at::DeviceType device_;
  bool enabled_;
  at::ScalarType dtype_;
  bool cache_, casts_differ_;
};
}  // namespace regimen
