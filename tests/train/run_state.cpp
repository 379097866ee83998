// tests/train/run_state.cpp - a run copied in its middle into a second trainer goes on with the same bits, whatever the policies
#include "regimen/train/run_state.hpp"

#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <sstream>

#include "support/toy.hpp"

namespace run_state_tests {
struct NetImpl : torch::nn::Module {
  torch::nn::Linear body{register_module("body", torch::nn::Linear(4, 6))}, head{register_module("head", torch::nn::Linear(6, 3))};
  torch::nn::BatchNorm1d norm{register_module("norm", torch::nn::BatchNorm1d(6))};  // has buffers
  torch::nn::Dropout dropout{register_module("dropout", torch::nn::Dropout(0.2))};  // draws numbers
  torch::Tensor forward(const torch::Tensor& x) { return head(dropout(norm(body(x)).relu())); }
};
TORCH_MODULE(Net);

std::vector<rg::Batch> batches(int n) {
  torch::manual_seed(4);
  std::vector<rg::Batch> all;
  for (int i = 0; i < n; ++i) {
    auto x = torch::randn({4, 4});
    all.push_back({std::move(x), torch::randint(3, {4}, torch::kLong)});
  }
  return all;
}
bool same(const rg::StateMap& a, const rg::StateMap& b) {
  if (a.size() != b.size()) return false;
  for (const auto& [name, value] : a) {
    if (name.find("minutes") != name.npos || name.find("samples_per_second") != name.npos) continue;  // the clock's
    const auto other = b.find(name);
    if (other == b.end() || other->second.index() != value.index()) return false;
    const bool equal = std::visit([&](const auto& v) {
      const auto& w = std::get<std::remove_cvref_t<decltype(v)>>(other->second);
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(v)>, at::Tensor>) return v.defined() == w.defined() && (!v.defined() || v.equal(w));
      else if constexpr (std::is_same_v<std::remove_cvref_t<decltype(v)>, double>) return v == w || (v != v && w != w);
      else return v == w;
    }, value);
    if (!equal) {
      UNSCOPED_INFO("differs: " << name);
      return false;
    }
  }
  return true;
}

/// Fits 3 epochs of 7 batches; at the `at`-th checkpoint the run is copied into a second trainer, which finishes it.
template <class Optimizer = rg::AdamW> void check(int at, const auto& recipe, const Optimizer& optimizer = {.lr = 0.01}) {
  INFO("checkpoint " << at);
  const auto train = batches(7), validation = batches(2);
  rg::StateMap saved;
  std::function<rg::StateMap()> save;
  int checkpoints = 0;
  const auto hook = rg::on<rg::checkpoint>([&](auto&) { if (save && checkpoints++ == at) saved = save(); });
  torch::manual_seed(1);
  Net first, second;  // of other weights
  rg::Trainer a{first, optimizer, rg::CrossEntropy{}, recipe, hook};
  rg::Trainer b{second, optimizer, rg::CrossEntropy{}, recipe, hook};
  save = [&] { return a.save(); };
  const auto whole = a.fit(train, validation, rg::epochs(3));
  const auto end = a.save();
  REQUIRE(!saved.empty());
  save = nullptr;
  torch::manual_seed(77);
  torch::randn({5});
  b.load(saved);
  const auto rest = b.fit(train, validation, rg::epochs(3));
  CHECK(same(end, b.save()));
  REQUIRE(!rest.epochs.empty());
  for (std::size_t i = 1; i <= rest.epochs.size(); ++i) {  // the rows too, with means over the whole epoch
    auto x = whole.epochs[whole.epochs.size() - i], y = rest.epochs[rest.epochs.size() - i];
    x.samples_per_second = y.samples_per_second = 0;
    CHECK(x.line() == y.line());
    CHECK(x.train_loss == y.train_loss);
  }
}
void check(const auto& recipe) {
  check(0, recipe);
  check(2, recipe);
}
}  // namespace run_state_tests

TEST_CASE("a run copied mid-run goes on with the same bits, with each policy") {
  using run_state_tests::check;
  std::ostringstream out;
  check(rg::recipe());
  check(rg::recipe(rg::Accumulate<3>{}));
  check(rg::recipe(rg::Accumulate<>{2}));
  check(rg::recipe(rg::ClipNorm<>{0.1}));
  check(rg::recipe(rg::Amp<torch::kBFloat16>{}));
  check(rg::recipe(rg::Amp<>{.loss_scale = {.init_scale = 1e9, .growth_interval = 2}}));
  check(rg::recipe(rg::Scheduler<rg::Cosine>{.warmup = rg::steps(3)}));
  check(rg::recipe(rg::Freeze<"body.*">{}));
  check(rg::recipe(rg::ParamGroups{rg::Group<"head.*">{.lr = 0.1}, rg::NoDecay{}}));
  check(rg::recipe(rg::Metrics{rg::Accuracy{}, rg::TopK<2>{}}));
  check(rg::recipe(rg::Validate{.every = rg::steps(3)}));
  check(rg::recipe(rg::Limit{.batches = 5, .validation_batches = 1}));
  check(rg::recipe(rg::Progress{.out = &out}));
  check(rg::recipe(rg::OnDevice{"cpu"}));
  check(rg::recipe(rg::on<rg::after_update>([](auto& step) { step.log("rate", step.learning_rate()); })));
  check(rg::recipe(rg::Accumulate<2>{}, rg::ClipNorm<>{0.1}, rg::Amp<>{.loss_scale = {.init_scale = 1e9, .growth_interval = 2}}, rg::Scheduler<rg::Cosine>{},
                   rg::Freeze<"body.*">{}, rg::ParamGroups{rg::NoDecay{}}, rg::Metrics{rg::Accuracy{}}, rg::Validate{.every = rg::steps(2)}));
}

TEST_CASE("own optimizers take their moments along") {
  using run_state_tests::check;
  check(3, rg::recipe(), rg::SGD{.lr = 0.1, .momentum = 0.9, .nesterov = true});
  check(3, rg::recipe(), rg::Adam{.lr = 0.01, .amsgrad = true});
}

TEST_CASE("a state of another composition is refused") {
  toy::Line net;
  rg::Trainer plain{net, rg::SGD{.lr = 1}, toy::mean};
  rg::Trainer adamw{net, rg::AdamW{}, toy::mean};
  rg::Trainer other{torch::nn::Linear(1, 1), rg::SGD{.lr = 1}, toy::mean};
  rg::Trainer scheduled{net, rg::SGD{.lr = 1}, toy::mean, rg::Scheduler<rg::Constant>{}};
  CHECK_THROWS_AS(adamw.load(plain.save()), rg::Error);
  CHECK_THROWS_AS(other.load(plain.save()), rg::Error);
  CHECK_THROWS_AS(scheduled.load(plain.save()), rg::Error);
  rg::Trainer wrapped{net, torch::optim::SGD{net->parameters(), 1.0}, toy::mean};
  CHECK_THROWS_AS(wrapped.save(), rg::Error);
}
