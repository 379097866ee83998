// regimen/data/parts.hpp - inputs and target of whatever stands as a batch
#pragma once
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>

namespace regimen::detail {
template <class B> concept named_batch = requires(B& b) { b.input; b.target; };   // rg::Batch
template <class B> concept example_batch = requires(B& b) { b.data; b.target; };  // torch::data::Example<>
template <class B> concept tuple_batch = requires { std::tuple_size<std::remove_cvref_t<B>>::value; };
template <class B> concept list_of_examples = requires(B& b) { b.front().data; b.front().target; b.size(); };

/// Calls `f(inputs...)` with all of a batch but its target.
template <class B> decltype(auto) with_inputs(B& batch, auto&& f) {
  if constexpr (named_batch<B>) return f(batch.input);
  else if constexpr (example_batch<B>) return f(batch.data);
  else if constexpr (tuple_batch<B>) {
    constexpr auto n = std::tuple_size_v<std::remove_cvref_t<B>>;
    return [&]<std::size_t... I>(std::index_sequence<I...>) -> decltype(auto) { return f(std::get<I>(batch)...); }(std::make_index_sequence<n - 1>{});
  } else if constexpr (list_of_examples<B>)
    static_assert(sizeof(B) == 0, "regimen: the loader gives lists of examples: add .map(torch::data::transforms::Stack<>()) to its data set; see docs/errors.md#stack");
  else
    static_assert(sizeof(B) == 0, "regimen: this batch has no input and target: give rg::Batch, a pair or tuple, or an objective (model, batch) -> loss; see docs/errors.md#batch");
}
template <class B> auto& target_of(B& batch) {
  if constexpr (named_batch<B> || example_batch<B>) return batch.target;
  else return std::get<std::tuple_size_v<std::remove_cvref_t<B>> - 1>(batch);
}

/// Calls `f(tensor)` for every tensor of a batch: its own `for_each_tensor(f)`, members, elements of tuples, lists and maps.
template <class B> void for_each_tensor(B& batch, auto&& f) {
  if constexpr (std::is_same_v<std::remove_cv_t<B>, at::Tensor>) {
    if (batch.defined()) f(batch);
  } else if constexpr (requires { batch.for_each_tensor(f); }) batch.for_each_tensor(f);
  else if constexpr (named_batch<B>) { for_each_tensor(batch.input, f); for_each_tensor(batch.target, f); }
  else if constexpr (example_batch<B>) { for_each_tensor(batch.data, f); for_each_tensor(batch.target, f); }
  else if constexpr (tuple_batch<B>) std::apply([&](auto&... part) { (for_each_tensor(part, f), ...); }, batch);
  else if constexpr (requires { batch.begin(); batch.begin()->second; }) { for (auto& [key, part] : batch) for_each_tensor(part, f); }
  else if constexpr (requires { batch.begin(); *batch.begin(); }) { for (auto& part : batch) for_each_tensor(part, f); }
}

/// The first dimension of the first tensor; 1 where there is none.
template <class B> double samples_of(B& batch) {
  double n = -1;
  for_each_tensor(batch, [&](const at::Tensor& t) { if (n < 0) n = t.dim() > 0 ? static_cast<double>(t.size(0)) : 1; });
  return n < 0 ? 1 : n;
}
}  // namespace regimen::detail
