// regimen/core/hooks.hpp - the moments of a run: their names, their signatures, and what is likely meant by a wrong name
#pragma once
#include <array>
#include <concepts>
#include <cstddef>
#include <string_view>
#include <type_traits>

#include "regimen/core/text.hpp"

// In order of time. The second column is the arguments before `State&`:
// Model (auto& model), Draft (auto& draft), Step (auto& step), Batch (auto& step, auto& batch), Output (auto& step, auto& output, auto& batch).
// Scope and Term take (auto& step) and return an object; all others return void.
#define REGIMEN_MOMENTS(X)                                                                                                      \
  X(prepare_model, Model) X(partition, Draft) X(set_up, Step) X(before_run, Step) X(before_epoch, Step) X(batch_arrival, Batch) \
  X(before_window, Step) X(forward_scope, Scope) X(after_forward, Output) X(before_backward, Step) X(after_backward, Step)      \
  X(reduce, Step) X(before_update, Step) X(update_term, Term) X(after_update, Step) X(after_window, Step)                       \
  X(before_validation, Step) X(after_validation, Step) X(checkpoint, Step) X(after_epoch, Step) X(report_epoch, Step) X(after_run, Step)

// Names that people write from habit, and the moment they mean: C++20 can't list members, so each has to be asked for.
#define REGIMEN_LIKELY_WRONG(X)                                                                                              \
  X(on_fit_start, before_run) X(on_train_begin, before_run) X(on_train_start, before_run) X(before_fit, before_run)          \
  X(before_train, before_run) X(before_training, before_run) X(on_run, before_run) X(beforeRun, before_run)                  \
  X(on_fit_end, after_run) X(on_train_end, after_run) X(after_fit, after_run) X(after_train, after_run)                      \
  X(after_training, after_run) X(afterRun, after_run) X(on_epoch_begin, before_epoch) X(on_epoch_start, before_epoch)        \
  X(on_train_epoch_start, before_epoch) X(epoch_start, before_epoch) X(begin_epoch, before_epoch)                            \
  X(beforeEpoch, before_epoch) X(before_epochs, before_epoch) X(on_epoch_end, after_epoch)                                   \
  X(on_train_epoch_end, after_epoch) X(epoch_end, after_epoch) X(end_epoch, after_epoch) X(afterEpoch, after_epoch)          \
  X(after_epochs, after_epoch) X(on_epoch, after_epoch) X(on_batch_begin, batch_arrival) X(on_batch_start, batch_arrival)    \
  X(on_train_batch_start, batch_arrival) X(before_batch, batch_arrival) X(beforeBatch, batch_arrival)                        \
  X(on_batch, batch_arrival) X(on_arrival, batch_arrival) X(batchArrival, batch_arrival) X(batch_arrives, batch_arrival)     \
  X(before_forward, forward_scope) X(on_forward, after_forward) X(afterForward, after_forward)                               \
  X(after_loss, before_backward) X(on_before_backward, before_backward) X(beforeBackward, before_backward)                   \
  X(on_after_backward, after_backward) X(on_backward, after_backward) X(afterBackward, after_backward)                       \
  X(on_batch_end, after_backward) X(on_train_batch_end, after_backward) X(after_batch, after_backward)                       \
  X(afterBatch, after_backward) X(on_before_optimizer_step, before_update) X(before_optimizer_step, before_update)           \
  X(optimizer_step_pre_hook, before_update) X(pre_step, before_update) X(pre_update, before_update)                          \
  X(before_step, before_update) X(on_before_update, before_update) X(before_updates, before_update)                          \
  X(beforeUpdate, before_update) X(before_upate, before_update) X(before_udpate, before_update)                              \
  X(beforeupdate, before_update) X(optimizer_step, after_update) X(after_optimizer_step, after_update)                       \
  X(optimizer_step_post_hook, after_update) X(post_step, after_update) X(post_update, after_update)                          \
  X(after_step, after_update) X(on_step, after_update) X(on_step_end, after_update) X(on_update, after_update)               \
  X(on_after_update, after_update) X(after_updates, after_update) X(afterUpdate, after_update)                               \
  X(after_upate, after_update) X(after_udpate, after_update) X(afterupdate, after_update) X(afer_update, after_update)       \
  X(afterWindow, after_window) X(after_windows, after_window) X(on_window, after_window) X(on_window_end, after_window)      \
  X(beforeWindow, before_window) X(on_validation_end, after_validation) X(on_validation_epoch_end, after_validation)         \
  X(after_validate, after_validation) X(after_eval, after_validation) X(after_evaluation, after_validation)                  \
  X(afterValidation, after_validation) X(on_setup, set_up) X(setup, set_up) X(setUp, set_up) X(on_set_up, set_up)            \
  X(after_setup, set_up) X(prepareModel, prepare_model) X(configure_model, prepare_model) X(forwardScope, forward_scope)     \
  X(on_partition, partition) X(updateTerm, update_term) X(on_reduce, reduce)                     \
  X(on_save_checkpoint, checkpoint) X(on_checkpoint, checkpoint) X(save_checkpoint, checkpoint)

namespace regimen {
/// The hooks that a policy has: it lists them in `static constexpr HookSet hooks`, compared both ways with its members.
/// Write it first: a hook whose name is misspelt is then reported. Example: `static constexpr rg::HookSet hooks{.after_update = true};`
struct HookSet {
#define X(name, kind) bool name = false;
  REGIMEN_MOMENTS(X)
#undef X
  bool operator==(const HookSet&) const = default;
};

/// A moment of the run, as the argument of `rg::on<...>`.
enum class Moment : unsigned char {
#define X(name, kind) name,
  REGIMEN_MOMENTS(X)
#undef X
};
#define X(name, kind) inline constexpr Moment name = Moment::name;
REGIMEN_MOMENTS(X)
#undef X

#define REGIMEN_SHOWN_Model "(model, state)"
#define REGIMEN_SHOWN_Draft "(draft, state)"
#define REGIMEN_SHOWN_Step "(step, state)"
#define REGIMEN_SHOWN_Batch "(step, batch, state)"
#define REGIMEN_SHOWN_Output "(step, output, batch, state)"
#define REGIMEN_SHOWN_Scope "(step, state) -> a scope"
#define REGIMEN_SHOWN_Term "(step, state) -> a term"

namespace detail {
using Label = Text<32>;
constexpr Label label(std::string_view text) {
  char padded[32]{};
  std::copy_n(text.data(), std::min<std::size_t>(text.size(), 31), padded);
  return Label{padded};
}
/// The same without padding: clang prints an array with zeros inside as numbers.
template <Label Padded> constexpr auto cut() {
  constexpr auto length = Padded.length();
  char exact[length + 1]{};
  std::copy_n(Padded.chars, length, exact);
  return Text<length + 1>{exact};
}

inline constexpr std::string_view moment_names[]{
#define X(name, kind) #name,
    REGIMEN_MOMENTS(X)
#undef X
};
inline constexpr std::string_view moment_arguments[]{  // as a message shows them
#define X(name, kind) REGIMEN_SHOWN_##kind,
    REGIMEN_MOMENTS(X)
#undef X
};
inline constexpr std::size_t moment_count = std::size(moment_names);
constexpr std::array<bool, moment_count> listed(const HookSet& h) {
  return {
#define X(name, kind) h.name,
      REGIMEN_MOMENTS(X)
#undef X
  };
}

// Stand for what the engine passes: hooks write their return type, so no body is looked into.
struct AnyModel {};
struct AnyDraft {};
struct AnyStep {};
struct AnyBatch {};
struct AnyOutput {};

struct MomentNames {
#define X(name, kind) void name();
  REGIMEN_MOMENTS(X)
#undef X
};
struct WrongNames {
  void nobody_has_this_name();
#define X(wrong, right) void wrong();
  REGIMEN_LIKELY_WRONG(X)
#undef X
};
template <class P> struct Probe : P, MomentNames, WrongNames {};  // a name is ambiguous here if P has any such member

template <class P> constexpr std::array<bool, moment_count> has_hook{
#define X(name, kind) !requires { &Probe<P>::name; },
    REGIMEN_MOMENTS(X)
#undef X
};

/// The first likely misspelling that P has, as {wrong, right}; empty names if it has none.
struct Misspelling { std::string_view wrong, right; };
template <class P> consteval Misspelling misspelling() {
#define X(wrong, right) if (!requires { &Probe<P>::wrong; }) return {#wrong, #right};
  REGIMEN_LIKELY_WRONG(X)
#undef X
  return {};
}

#define REGIMEN_ARGS_Model AnyModel &a,
#define REGIMEN_ARGS_Draft AnyDraft &a,
#define REGIMEN_ARGS_Step AnyStep &a,
#define REGIMEN_ARGS_Batch AnyStep &a, AnyBatch &b,
#define REGIMEN_ARGS_Output AnyStep &a, AnyOutput &b, AnyBatch &c,
#define REGIMEN_ARGS_Scope AnyStep &a,
#define REGIMEN_ARGS_Term AnyStep &a,
#define REGIMEN_CALL_Model a, state
#define REGIMEN_CALL_Draft a, state
#define REGIMEN_CALL_Step a, state
#define REGIMEN_CALL_Batch a, b, state
#define REGIMEN_CALL_Output a, b, c, state
#define REGIMEN_CALL_Scope a, state
#define REGIMEN_CALL_Term a, state
template <class R> concept an_object = !std::is_void_v<R>;
#define REGIMEN_RESULT_Model std::same_as<void>
#define REGIMEN_RESULT_Draft std::same_as<void>
#define REGIMEN_RESULT_Step std::same_as<void>
#define REGIMEN_RESULT_Batch std::same_as<void>
#define REGIMEN_RESULT_Output std::same_as<void>
#define REGIMEN_RESULT_Scope an_object
#define REGIMEN_RESULT_Term an_object
template <class P> constexpr std::array<bool, moment_count> callable_hook{
#define X(name, kind) \
  requires(const P& p, REGIMEN_ARGS_##kind typename P::State& state) { { p.name(REGIMEN_CALL_##kind) } -> REGIMEN_RESULT_##kind; },
    REGIMEN_MOMENTS(X)
#undef X
};

// Calls the hook of one moment: a member's name can't be a template argument.
template <Moment M> struct Caller;
#define X(moment, kind)                                                                                \
  template <> struct Caller<Moment::moment> {                                                          \
    template <class P> static decltype(auto) call(const P& p, auto&... a) { return p.moment(a...); } \
  };
REGIMEN_MOMENTS(X)
#undef X

template <class P> constexpr bool hooks_into(Moment m) { return listed(P::hooks)[static_cast<std::size_t>(m)]; }
}  // namespace detail
}  // namespace regimen

#undef REGIMEN_SHOWN_Model
#undef REGIMEN_SHOWN_Draft
#undef REGIMEN_SHOWN_Step
#undef REGIMEN_SHOWN_Batch
#undef REGIMEN_SHOWN_Output
#undef REGIMEN_SHOWN_Scope
#undef REGIMEN_SHOWN_Term
#undef REGIMEN_ARGS_Model
#undef REGIMEN_ARGS_Draft
#undef REGIMEN_ARGS_Step
#undef REGIMEN_ARGS_Batch
#undef REGIMEN_ARGS_Output
#undef REGIMEN_ARGS_Scope
#undef REGIMEN_ARGS_Term
#undef REGIMEN_CALL_Model
#undef REGIMEN_CALL_Draft
#undef REGIMEN_CALL_Step
#undef REGIMEN_CALL_Batch
#undef REGIMEN_CALL_Output
#undef REGIMEN_CALL_Scope
#undef REGIMEN_CALL_Term
#undef REGIMEN_RESULT_Model
#undef REGIMEN_RESULT_Draft
#undef REGIMEN_RESULT_Step
#undef REGIMEN_RESULT_Batch
#undef REGIMEN_RESULT_Output
#undef REGIMEN_RESULT_Scope
#undef REGIMEN_RESULT_Term
#undef REGIMEN_MOMENTS
#undef REGIMEN_LIKELY_WRONG
