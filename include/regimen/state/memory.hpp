// regimen/state/memory.hpp - all that changes in a run, as named values in memory
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "regimen/core/archive.hpp"
#include "regimen/core/error.hpp"
#include "regimen/tensor/compat.hpp"

namespace regimen {
/// Named numbers, texts and tensors (copies, on the device they were on). Example: `rg::StateMap saved = trainer.save();`
using StateMap = std::map<std::string, std::variant<std::int64_t, double, std::string, at::Tensor>>;

namespace detail {
/// Writes a State into a map, or (with `Loading`) a map into a State; names of nested fields are joined by '/'.
template <bool Loading> class MemoryArchive {
  using Map = std::conditional_t<Loading, const StateMap, StateMap>;

 public:
  explicit MemoryArchive(Map& map, std::string prefix = "") : map_{map}, prefix_{std::move(prefix)} {}
  MemoryArchive in(std::string_view name) const { return MemoryArchive{map_, prefix_ + std::string{name} + '/'}; }

  template <class T> void operator()(std::string_view name, T& field) {
    const auto key = prefix_ + std::string{name};
    if constexpr (std::is_floating_point_v<T>) number<double>(key, field);
    else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) number<std::int64_t>(key, field);
    else if constexpr (std::is_same_v<T, std::string>) number<std::string>(key, field);
    else if constexpr (tensor_like<T>) tensor(key, field);
    else if constexpr (has_archive<T>) { auto inner = in(name); field.archive(inner); }
    else sequence(in(name), field);
  }

 private:
  template <class Stored, class T> void number(const std::string& key, T& field) {
    if constexpr (Loading) field = static_cast<T>(find<Stored>(key));
    else map_[key] = static_cast<Stored>(field);
  }
  void tensor(const std::string& key, at::Tensor& field) {
    at::NoGradGuard no_grad;
    if constexpr (!Loading) map_[key] = field.defined() ? field.detach().clone() : at::Tensor{};
    else {
      const auto& stored = find<at::Tensor>(key);
      if (field.defined() && stored.defined() && field.sizes() != stored.sizes()) throw Error{"load", key + " has another shape", "a state of the same model and policies"};
      if (field.defined() && stored.defined()) field.copy_(stored);  // in place: views and lists of it stay valid
      else field = stored.defined() ? stored.clone() : at::Tensor{};
    }
  }
  template <class T> void sequence(MemoryArchive a, std::vector<T>& field) {
    auto n = static_cast<std::int64_t>(field.size());
    a("size", n);
    if (n < 0) throw Error{"load", "\"" + a.prefix_ + "size\" is " + std::to_string(n), "a state of the same model and policies"};
    field.resize(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < field.size(); ++i) a(std::to_string(i), field[i]);
  }
  template <class T, std::size_t N> void sequence(MemoryArchive a, std::array<T, N>& field) {
    for (std::size_t i = 0; i < N; ++i) a(std::to_string(i), field[i]);
  }
  template <class A, class B> void sequence(MemoryArchive a, std::pair<A, B>& field) { a("first", field.first); a("second", field.second); }
  template <class T> void sequence(MemoryArchive a, std::optional<T>& field) {
    bool has = field.has_value();
    a("has", has);
    if (has && !field) field.emplace();
    if (!has) field.reset();
    if (has) a("value", *field);
  }
  template <class T> void sequence(MemoryArchive a, std::map<std::string, T>& field) {
    std::vector<std::string> keys;
    for (const auto& [key, value] : field) keys.push_back(key);
    a("keys", keys);
    if constexpr (Loading) field.clear();
    for (const auto& key : keys) a("of " + key, field[key]);
  }
  template <class Stored> const Stored& find(const std::string& key) const {
    const auto at = map_.find(key);
    if (at == map_.end()) throw Error{"load", "the state has no \"" + key + "\"", "a state of the same model and policies"};
    const auto* value = std::get_if<Stored>(&at->second);
    if (!value) throw Error{"load", "\"" + key + "\" is of another kind", "a state of the same model and policies"};
    return *value;
  }

  Map& map_;
  std::string prefix_;
};
}  // namespace detail
}  // namespace regimen
