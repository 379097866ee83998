// regimen/tensor/draft.hpp - the partition while policies write it, at set-up
#pragma once
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "regimen/core/error.hpp"
#include "regimen/core/selector.hpp"
#include "regimen/core/text.hpp"
#include "regimen/tensor/model.hpp"
#include "regimen/tensor/partition.hpp"

namespace regimen {
namespace detail {
/// The same tensor, or equal storage, offset, sizes and strides: one weight under two names.
inline bool is_tied(const at::Tensor& a, const at::Tensor& b) {
  if (a.unsafeGetTensorImpl() == b.unsafeGetTensorImpl()) return true;
  if (a.layout() != at::kStrided || b.layout() != at::kStrided || a.numel() == 0) return false;
  return a.is_alias_of(b) && a.storage_offset() == b.storage_offset() && a.sizes() == b.sizes() && a.strides() == b.strides() && a.dtype() == b.dtype();
}
inline const void* place_of(const at::Tensor& t) {  // equal for tied tensors
  const void* data = t.layout() == at::kStrided && t.numel() > 0 ? t.const_data_ptr() : nullptr;
  return data ? data : t.unsafeGetTensorImpl();
}
inline std::size_t distance(std::string_view a, std::string_view b) {  // Levenshtein's
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t corner = row[0]++;
    for (std::size_t j = 1; j <= b.size(); ++j) corner = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, corner + (a[i - 1] != b[j - 1])}));
  }
  return row.back();
}
}  // namespace detail

/// Who freezes what, who groups what: a policy's `partition` hook writes it. First match wins; a selector that matches nothing throws.
template <class Module> class Draft {
 public:
  using Matches = std::vector<bool>;  // per weight

  Draft(Module& module, Partition& partition) : module_{module}, partition_{partition} {
    partition_.groups = {{"default", {}, false}};
    detail::for_each_module(module, [&](const std::string& prefix, auto& m) {
      detail::for_each_own_parameter(m, [&](const std::string& name, const at::Tensor& t) { add(prefix + name, t); });
    });
    if (partition_.weights.empty()) throw Error{"Trainer", "the model has no parameters", "a module that registers its parameters and submodules"};
    grouped_.resize(partition_.weights.size());
    keeps_train_mode_.resize(partition_.weights.size());
  }

  const std::vector<Weight>& weights() const { return partition_.weights; }

  /// The weights that one selector reaches, under any of their names or in a module of its type and below; throws if there are none.
  template <Selector S> Matches select(std::string_view who) const {
    if constexpr (!S.by_type) return select_if(who, S.view(), [](std::string_view name, const at::Tensor&) { return matches(S.view(), name); });
    else {
      Matches found(partition_.weights.size());
      std::vector<std::string> types;
      detail::for_each_module(module_, [&](const std::string&, auto& m) {
        if constexpr (requires { std::string{m.name()}; })
          if (std::ranges::find(types, m.name()) == types.end()) types.push_back(m.name());
        if (!is_a<typename decltype(S)::Type>(m)) return;
        detail::for_each_module(m, [&](const std::string&, auto& part) {  // with all that lies below
          detail::for_each_own_parameter(part, [&](const std::string&, const at::Tensor& t) { if (t.defined()) found[index_of(t)] = true; });
        });
      });
      if (std::ranges::count(found, true) > 0) return found;
      std::string there;
      for (const auto& type : types) there += (there.empty() ? "" : ", ") + type;
      throw Error{std::string{who}, "no parameter lies in a module of type " + std::string{type_name<typename decltype(S)::Type>()}, "a type that the model has, of " + there};
    }
  }
  Matches select_if(std::string_view who, std::string_view what, auto&& predicate) const {
    Matches found(partition_.weights.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      const auto& w = partition_.weights[i];
      found[i] = predicate(w.name, w.tensor) || std::ranges::any_of(w.also, [&](const auto& name) { return predicate(name, w.tensor); });
    }
    return checked(std::move(found), who, what);
  }

  void freeze(const Matches& which, std::string_view who, bool keep_train_mode) {
    for (std::size_t i = 0; i < which.size(); ++i) {
      if (!which[i]) continue;
      partition_.weights[i].frozen_by = who;
      keeps_train_mode_[i] = keep_train_mode;
    }
  }
  void group(const Matches& which, std::string name, Overrides overrides) {
    partition_.groups.push_back({std::move(name), std::move(overrides), false});
    for (std::size_t i = 0; i < which.size(); ++i)
      if (which[i] && !grouped_[i]) {
        grouped_[i] = true;
        partition_.weights[i].group = partition_.groups.size() - 1;
      }
  }
  /// Takes the weight decay of these weights out, whatever group they are in.
  void no_decay(const Matches& which) {
    std::vector<std::optional<std::size_t>> twin(partition_.groups.size());
    for (std::size_t i = 0; i < which.size(); ++i) {
      auto& weight = partition_.weights[i];
      if (!which[i] || partition_.groups[weight.group].no_decay) continue;
      auto& to = twin[weight.group];
      if (!to) {
        auto copy = partition_.groups[weight.group];
        copy.no_decay = true;
        to = partition_.groups.size();
        partition_.groups.push_back(std::move(copy));
      }
      weight.group = *to;
    }
  }

  void allow_empty() { may_be_empty_ = true; }

  /// Makes it so: frozen weights leave autograd, wholly frozen modules are listed for eval mode. Throws if nothing is left to train.
  void finish() {
    for (auto& w : partition_.weights) {
      if (w.frozen_by.empty()) {
        if (!w.tensor.is_leaf()) throw Error{"Trainer", "parameter " + w.name + " is not a leaf", "a parameter that is registered as such, not computed"};
        continue;
      }
      w.aliases.push_back(w.tensor);
      for (auto& t : w.aliases) {
        t.requires_grad_(false);
        t.mutable_grad() = at::Tensor{};  // a defined gradient would still be applied
      }
      w.aliases.pop_back();
    }
    detail::for_each_module(module_, [&](const std::string& prefix, auto& m) {
      bool any = false, all = true;
      detail::for_each_module(m, [&](const std::string&, auto& part) {
        detail::for_each_own_parameter(part, [&](const std::string&, const at::Tensor& t) {
          if (!t.defined()) return;
          const auto i = index_of(t);
          any = true;
          all = all && !partition_.weights[i].frozen_by.empty() && partition_.weights[i].frozen_by != by_hand && !keeps_train_mode_[i];
        });
      });
      if (any && all) partition_.frozen_modules.push_back(prefix);
    });
    const bool empty = std::ranges::none_of(partition_.weights, [](const Weight& w) { return w.frozen_by.empty(); });
    if (empty && !may_be_empty_) throw Error{"Trainer", "no parameter is left to train", "a Freeze that leaves some, or Freeze<...>{.allow_empty = true}"};
  }

 private:
  static constexpr std::string_view by_hand = "requires_grad";

  void add(std::string name, const at::Tensor& t) {
    if (!t.defined()) return;
    if (const auto i = index_of(t); i < partition_.weights.size()) {
      auto& w = partition_.weights[i];
      if (w.name != name && std::ranges::find(w.also, name) == w.also.end()) w.also.push_back(std::move(name));
      const auto is_same = [&](const at::Tensor& known) { return known.unsafeGetTensorImpl() == t.unsafeGetTensorImpl(); };
      if (!is_same(w.tensor) && std::ranges::none_of(w.aliases, is_same)) w.aliases.push_back(t);
      if (t.requires_grad() && w.frozen_by == by_hand) w.frozen_by.clear();  // it trains under one of its names
      return;
    }
    places_.emplace(detail::place_of(t), partition_.weights.size());
    partition_.weights.push_back({.name = std::move(name), .also = {}, .tensor = t, .aliases = {}, .frozen_by = std::string{t.requires_grad() ? "" : by_hand}});
  }
  std::size_t index_of(const at::Tensor& t) const {
    for (auto [at, end] = places_.equal_range(detail::place_of(t)); at != end; ++at)
      if (detail::is_tied(partition_.weights[at->second].tensor, t)) return at->second;
    return partition_.weights.size();
  }
  template <class T, class M> static bool is_a(M& m) {
    using Plain = std::remove_cvref_t<M>;
    if constexpr (requires { typename T::ContainedType; }) return is_a<typename T::ContainedType>(m);  // a module holder
    else if constexpr (std::is_same_v<T, Plain>) return true;
    else if constexpr (std::is_polymorphic_v<Plain>) return dynamic_cast<const T*>(&m) != nullptr;
    else return false;
  }
  Matches checked(Matches found, std::string_view who, std::string_view what) const {
    if (std::ranges::count(found, true) > 0) return found;
    std::vector<std::pair<std::size_t, std::string>> near;
    for (const auto& w : partition_.weights) near.emplace_back(detail::distance(what, w.name), w.name);
    std::ranges::sort(near);
    std::string names;
    for (std::size_t i = 0; i < std::min<std::size_t>(3, near.size()); ++i) names += (i ? ", \"" : "\"") + near[i].second + '"';
    throw Error{std::string{who}, "\"" + std::string{what} + "\" matches no parameter", "a pattern that matches; the nearest names are " + names};
  }

  Module& module_;
  Partition& partition_;
  std::vector<bool> grouped_, keeps_train_mode_;
  bool may_be_empty_ = false;
  std::unordered_multimap<const void*, std::size_t> places_;
};
}  // namespace regimen
