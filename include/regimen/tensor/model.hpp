// regimen/tensor/model.hpp - what may stand as a model: a module, a holder or shared_ptr of one, a scripted one
#pragma once
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "regimen/tensor/compat.hpp"

// Everything here is duck-typed: no header of torch/nn is included, and none is needed.
namespace regimen {
namespace detail {
template <class M> concept pointer_like = requires(M& m) { *m; };

/// The module behind a holder or pointer, or the module itself.
template <class M> auto& module_of(M& model) {
  if constexpr (pointer_like<M>) return *model;
  else return model;
}
template <class M> concept has_parameters = requires(M& model) { module_of(model).named_parameters(true); };

/// Calls `f(name, module)` for the module and all below it, parents first; names end in '.', the root's is empty.
template <class Module> void for_each_module(Module& module, auto&& f, const std::string& prefix = "") {
  f(prefix, module);
  for (auto&& child : module.named_children()) {
    if constexpr (requires { *child.value(); }) for_each_module(*child.value(), f, prefix + child.key() + '.');
    else for_each_module(child.value, f, prefix + child.name + '.');  // a scripted module
  }
}
template <class Module> void for_each_own_parameter(Module& module, auto&& f) {
  for (auto&& p : module.named_parameters(/*recurse=*/false)) {
    if constexpr (requires { p.key(); }) f(p.key(), p.value());
    else f(p.name, p.value);
  }
}
template <class Module> void for_each_own_buffer(Module& module, auto&& f) {
  for (auto&& b : module.named_buffers(/*recurse=*/false)) {
    if constexpr (requires { b.key(); }) f(b.key(), b.value());
    else f(b.name, b.value);
  }
}

/// Calls the model with a batch's inputs and returns its output.
template <class M, class... Inputs> decltype(auto) call_model(M& model, const Inputs&... inputs) {
  auto& module = module_of(model);
  if constexpr (requires { module.forward(inputs...); }) return module.forward(inputs...);
  else if constexpr (requires { module(inputs...); }) return module(inputs...);
  else if constexpr (requires { model(inputs...); }) return model(inputs...);
  else if constexpr (requires { module.forward({inputs...}).toTensor(); }) return module.forward({inputs...}).toTensor();
  else static_assert(sizeof(M) == 0, "regimen: the model has no forward that takes this batch's inputs; see docs/errors.md#forward");
}
}  // namespace detail

/// Puts a model into eval mode (or train mode), and at the end of the scope every module back into its own, also on exceptions.
/// Example: `{ rg::ModeGuard guard{*net}; auto output = net->forward(x); }`
template <class Module> class ModeGuard {
 public:
  explicit ModeGuard(Module& module, bool train = false) : module_{module} {
    detail::for_each_module(module_, [&](const std::string&, auto& m) { was_.push_back(m.is_training()); });
    module_.train(train);
  }
  ModeGuard(const ModeGuard&) = delete;
  ~ModeGuard() {
    auto was = was_.begin();
    // parents first: train() reaches every child, which then gets its own back
    detail::for_each_module(module_, [&](const std::string&, auto& m) { m.train(*was++); });
  }

 private:
  Module& module_;
  std::vector<bool> was_;
};
}  // namespace regimen
