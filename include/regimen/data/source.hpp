// regimen/data/source.hpp - one pass over whatever gives batches
#pragma once
#include <algorithm>
#include <concepts>
#include <cstdint>
#include <iterator>
#include <optional>
#include <type_traits>
#include <utility>

namespace regimen::detail {
using std::begin;
using std::end;
template <class R> concept loopable = requires(R& r) { begin(r) != end(r); };
template <class S> concept per_epoch = requires(S& s) { s(std::int64_t{}); } && !loopable<S>;

/// Calls `f(range)` with the range behind a source: itself, what a pointer points at, or what a function of the epoch returns.
template <class S> decltype(auto) with_range(S& source, std::int64_t epoch, auto&& f) {
  if constexpr (loopable<S>) {
    using Plain = std::remove_const_t<S>;
    if constexpr (std::is_const_v<S> && requires(Plain& plain) { plain.set_epoch(epoch); }) {  // a const one would give every epoch the same order
      Plain copy{source};
      copy.set_epoch(epoch);
      return f(copy);
    } else {
      if constexpr (requires { source.set_epoch(epoch); }) source.set_epoch(epoch);
      return f(source);
    }
  } else if constexpr (requires { requires loopable<std::remove_reference_t<decltype(*source)>>; }) return with_range(*source, epoch, f);
  else if constexpr (per_epoch<S>) {
    auto range = source(epoch);
    return with_range(range, epoch, f);
  } else
    static_assert(sizeof(S) == 0, "regimen: data is what a range-for accepts, a pointer to such, or a function of the epoch that returns such; see docs/errors.md#data");
}

/// The number of batches, where the range says it.
template <class R> std::optional<std::int64_t> batches_in(R& range) {
  if constexpr (requires { { range.size() } -> std::integral; }) return static_cast<std::int64_t>(range.size());
  else return std::nullopt;
}

// A loader of torch::data whose workers still have jobs refuses to begin again, and has no way to drop them but to hand them out.
template <class R> void leave(R& range, auto& it, const auto& last) {
  if constexpr (requires { range.join(); range.options().workers; })
    if (range.options().workers > 0)
      while (it != last) ++it;
}

/// Calls `f(batch, is_last)` from batch `from` on until it returns false; at most `limit` batches of the pass where that isn't 0.
/// Whether a batch is the last is known from the size, else by looking one ahead. Returns the position behind the last one taken.
/// A torch::data loader with workers that is left early is read to its end.
template <class R> std::int64_t for_each_batch(R& range, std::int64_t from, std::int64_t limit, auto&& f) {
  auto known = batches_in(range);
  if (limit > 0) known = known ? std::min(*known, limit) : limit;
  auto it = [&] {
    if constexpr (requires { range.begin_at(from); }) return range.begin_at(from);
    else {
      auto start = begin(range);
      for (std::int64_t skipped = 0; skipped < from && start != end(range); ++skipped) ++start;
      return start;
    }
  }();
  auto last = end(range);
  auto taken = from;
  while (it != last && (limit == 0 || taken < limit)) {
    auto batch = *it;  // our own copy: policies may move it to a device
    ++taken;
    const bool sized = known.has_value() && (limit == 0 || batches_in(range).has_value());
    bool is_last = false, advanced = false;
    if (known && taken >= *known) is_last = true;
    else if (!sized) {
      ++it;
      advanced = true;
      is_last = !(it != last);
    }
    if (!f(batch, is_last)) break;
    if (!advanced) ++it;
  }
  leave(range, it, last);
  return taken;
}
}  // namespace regimen::detail
