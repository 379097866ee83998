// tests/core/hooks.cpp - which hooks a class has, whether they can be called, what a wrong name meant
#include "regimen/core/hooks.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <string>

namespace rg = regimen;
namespace d = rg::detail;

namespace hooks_tests {
template <class P> constexpr bool has(rg::Moment m) { return d::has_hook<P>[static_cast<std::size_t>(m)]; }
template <class P> constexpr bool can_call(rg::Moment m) { return d::callable_hook<P>[static_cast<std::size_t>(m)]; }

struct None {
  struct State {};
};
struct Right {
  struct State {};
  struct Scope {};
  void partition(auto&, State&) const {}
  void batch_arrival(auto&, auto&, State&) const {}
  Scope forward_scope(auto&, State&) const { return {}; }
  void after_forward(auto&, auto&, auto&, State&) const {}
  double update_term(auto&, State&) const { return 0; }
  void after_update(auto&, State&) const {}
};
struct Wrong {
  struct State {};
  void partition(auto&, auto&, State&) const {}
  void batch_arrival(auto&, State&) const {}
  void forward_scope(auto&, State&) const {}
  void after_forward(auto&, State&) const {}
  void update_term(auto&, State&) const {}
  int after_update(auto&, State&) const { return 0; }
  void before_run(auto&, State&) {}
  void after_run(auto&) const {}
};
struct HardToSee {
  struct State {};
  virtual void before_run(int) {}
  template <class T> void after_run() const {}
  void before_epoch(int) const {}
  void before_epoch(double) const {}
  static void after_epoch() {}
  int reduce = 0;
  virtual ~HardToSee() = default;

 private:
  void set_up() {}
};
struct Child : Right {};
struct Camel { void afterUpdate() {} };
struct Lightning { void on_train_batch_end() {}  void after_update() {} };
}  // namespace hooks_tests
using namespace hooks_tests;

TEST_CASE("moments, their names and the fields of a HookSet are one list in order of time") {
  STATIC_CHECK(d::moment_names[static_cast<std::size_t>(rg::prepare_model)] == "prepare_model");
  STATIC_CHECK(d::moment_names[static_cast<std::size_t>(rg::after_run)] == "after_run");
  STATIC_CHECK(d::moment_count == static_cast<std::size_t>(rg::after_run) + 1);
  STATIC_CHECK((rg::batch_arrival < rg::forward_scope && rg::before_backward < rg::after_backward && rg::before_update < rg::after_update));
  constexpr auto listed = d::listed(rg::HookSet{.before_update = true, .after_run = true});
  for (std::size_t m = 0; m < d::moment_count; ++m)
    CHECK(listed[m] == (m == static_cast<std::size_t>(rg::before_update) || m == static_cast<std::size_t>(rg::after_run)));
}

TEST_CASE("a class's hooks are found, whatever kind of member they are") {
  CHECK(std::ranges::none_of(d::has_hook<None>, std::identity{}));
  CHECK(std::ranges::count(d::has_hook<Right>, true) == 6);
  CHECK(std::ranges::count(d::has_hook<Child>, true) == 6);
  for (const auto m : {rg::before_run, rg::after_run, rg::before_epoch, rg::after_epoch, rg::Moment::reduce, rg::set_up}) {
    CAPTURE(d::moment_names[static_cast<std::size_t>(m)]);
    CHECK(has<HardToSee>(m));
  }
  CHECK(std::ranges::count(d::has_hook<HardToSee>, true) == 6);
}

TEST_CASE("a hook can be called where arguments, result and const are as its moment wants") {
  CHECK(d::callable_hook<Right> == d::has_hook<Right>);
  CHECK(std::ranges::count(d::has_hook<Wrong>, true) == 8);
  CHECK(std::ranges::none_of(d::callable_hook<Wrong>, std::identity{}));
  STATIC_CHECK_FALSE(can_call<None>(rg::after_update));
}

TEST_CASE("likely misspellings are seen and say which moment is meant") {
  STATIC_CHECK(d::misspelling<Right>().wrong.empty());
  STATIC_CHECK(d::misspelling<HardToSee>().wrong.empty());
  STATIC_CHECK(d::misspelling<Camel>().wrong == "afterUpdate");
  STATIC_CHECK(d::misspelling<Camel>().right == "after_update");
  STATIC_CHECK(d::misspelling<Lightning>().wrong == "on_train_batch_end");
  STATIC_CHECK(d::misspelling<Lightning>().right == "after_backward");
}

TEST_CASE("a label is cut to its text, so that compilers print it") {
  STATIC_CHECK(std::is_same_v<decltype(d::cut<d::label("after_update")>()), rg::Text<13>>);
  STATIC_CHECK(d::cut<d::label("after_update")>().view() == "after_update");
  STATIC_CHECK(d::cut<d::label("")>().view().empty());
  STATIC_CHECK(d::cut<d::label("a name that is longer than a label")>().view() == "a name that is longer than a la");
  for (const auto name : d::moment_names) CHECK(name.size() < 32);
  for (const auto arguments : d::moment_arguments) CHECK(arguments.size() < 32);
}

TEST_CASE("a call by moment reaches the hook of that name") {
  None::State state;
  struct Log { std::string text; } log;
  struct Both {
    static void before_run(Log& l, None::State&) { l.text += "run "; }
    static void after_epoch(Log& l, None::State&) { l.text += "epoch "; }
  };
  d::Caller<rg::after_epoch>::call(Both{}, log, state);
  d::Caller<rg::before_run>::call(Both{}, log, state);
  CHECK(log.text == "epoch run ");
}
