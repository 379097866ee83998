// tests/cases/validation_and_state.cpp - cases on validation, and on a run that is saved and goes on
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <algorithm>
#include <functional>

#include "support/toy.hpp"

using toy::close, toy::counting, toy::data, toy::Values;

namespace validation_cases {
struct CachesImpl : torch::nn::Module {  // T times a table that its first forward makes
  torch::nn::Linear fc{register_module("fc", torch::nn::Linear(torch::nn::LinearOptions(1, 1).bias(false)))};
  torch::Tensor table;
  CachesImpl() { torch::NoGradGuard no_grad; fc->weight.zero_(); }
  torch::Tensor forward(const torch::Tensor& x) {
    if (!table.defined()) table = torch::ones({1, 1}) * fc->weight.detach().add(1);
    return fc(x) * table;
  }
  double w() const { return fc->weight.item<double>(); }
};
TORCH_MODULE(Caches);

}  // namespace validation_cases

TEMPLATE_TEST_CASE("K119 validation keeps no graph", "", toy::Own, toy::Wrapped) {
  toy::Line net;
  int with_graph = 0, calls = 0;
  rg::Trainer trainer{net, TestType::sgd(net), [&](auto& n, const torch::Tensor& x) {
    auto y = n->forward(x);
    ++calls;
    with_graph += y.requires_grad();
    return y.mean();
  }};
  CHECK(trainer.evaluate(counting(100)).batches == 100);
  CHECK(calls == 100);
  CHECK(with_graph == 0);
}

TEMPLATE_TEST_CASE("K121 what a module caches in validation can be trained through", "", toy::Own, toy::Wrapped) {
  validation_cases::Caches net;
  rg::Trainer trainer{net, TestType::sgd(net), toy::mean};
  trainer.evaluate(data({{2}}));
  trainer.fit(data({{2}}), rg::epochs(1));
  CHECK(net->w() == -2);
}

TEMPLATE_TEST_CASE("K125 the validation loss is the mean over all batches", "", toy::Own, toy::Wrapped) {
  toy::Line net{1};
  rg::Trainer trainer{net, TestType::sgd(net), toy::mean};
  CHECK(trainer.evaluate(data({{1}, {2}, {6}})).loss == 3);
  CHECK(trainer.evaluate(toy::Data{}).batches == 0);
  CHECK(std::isnan(trainer.evaluate(toy::Data{}).loss));
}

TEST_CASE("K101 a loaded momentum is a copy") {
  toy::Line first, second;
  rg::Trainer a{first, rg::SGD{.lr = 1, .momentum = 0.9}, toy::mean}, b{second, rg::SGD{.lr = 1, .momentum = 0.9}, toy::mean};
  a.fit(data({{1}}), rg::epochs(1));
  b.load(a.save());
  a.fit(data({{1}}), rg::epochs(1));
  CHECK(first->w() == Catch::Approx(-1 - 1.9));
  CHECK(std::get<torch::Tensor>(b.save()["optimizer/fc.weight/momentum_buffer"]).item<double>() == 1);
  b.fit(data({{1}}), rg::epochs(1));
  CHECK(second->w() == first->w());
}

TEST_CASE("KZ1 KZ2 options and state of the optimizer are those of the loaded run") {
  toy::Line first{1}, second{1};
  rg::Trainer a{first, rg::AdamW{.lr = 5e-4, .weight_decay = 0.1}, toy::mean}, b{second, rg::AdamW{.lr = 1e-3, .weight_decay = 0}, toy::mean};
  b.load(a.save());
  CHECK(b.learning_rate() == 5e-4);
  CHECK(b.parameters_table() == a.parameters_table());
  a.fit(counting(3), rg::epochs(1));
  b.fit(counting(3), rg::epochs(1));
  CHECK(first->w() == second->w());

  toy::Line moved, fresh;
  rg::Trainer with_buffer{moved, rg::SGD{.lr = 1, .momentum = 0.9}, toy::mean}, without{fresh, rg::SGD{.lr = 1, .momentum = 0.9}, toy::mean};
  const auto empty = without.save();
  with_buffer.fit(data({{1}}), rg::epochs(1));
  with_buffer.load(empty);
  with_buffer.fit(data({{2}}), rg::epochs(1));
  CHECK(moved->w() == -2);  // -2.9 with the old buffer
}

TEST_CASE("K99 a loaded rate is the base of the schedule") {
  toy::Line first, second;
  rg::Trainer a{first, rg::SGD{.lr = 5e-4}, toy::mean, rg::Scheduler<rg::Constant>{}}, b{second, rg::SGD{.lr = 1e-3}, toy::mean, rg::Scheduler<rg::Constant>{}};
  b.load(a.save());
  b.fit(counting(1), rg::epochs(1));
  CHECK(b.learning_rate() == 5e-4);
}

namespace validation_cases {
struct DropoutNetImpl : torch::nn::Module {
  torch::nn::Linear fc{register_module("fc", torch::nn::Linear(4, 4))};
  torch::nn::Dropout dropout{register_module("dropout", torch::nn::Dropout(0.5))};
  torch::Tensor forward(const torch::Tensor& x) { return dropout(fc(x)); }
};
TORCH_MODULE(DropoutNet);
}  // namespace validation_cases

TEST_CASE("K105 a resumed run sees the batches and the dropout of the uninterrupted one") {
  const rg::Batches train{torch::arange(32).reshape({8, 4}).to(torch::kFloat), torch::arange(8), {.batch = 1, .shuffle = true, .seed = 3}};
  std::vector<std::int64_t> ids;
  const auto objective = [&](auto& net, const rg::Batch& batch) {
    ids.push_back(batch.target.template item<std::int64_t>());
    return net->forward(batch.input).square().mean();
  };
  validation_cases::DropoutNet net_a, net_b;
  rg::StateMap saved;
  std::function<rg::StateMap()> save;
  rg::Trainer a{net_a, rg::AdamW{.lr = 1e-2}, objective, rg::on<rg::checkpoint>([&](auto& step) { if (step.updates() == 11) saved = save(); })};
  save = [&] { return a.save(); };
  rg::seed(5);
  a.fit(train, rg::epochs(2));
  const auto uninterrupted = ids;
  CHECK_FALSE(std::equal(ids.begin(), ids.begin() + 8, ids.begin() + 8));  // another order in the second epoch
  ids.clear();
  rg::seed(99);
  rg::Trainer b{net_b, rg::AdamW{.lr = 1e-2}, objective, rg::on<rg::checkpoint>([](auto&) {})};
  b.load(saved);
  b.fit(train, rg::epochs(2));
  CHECK(ids == std::vector<std::int64_t>(uninterrupted.begin() + 11, uninterrupted.end()));
  CHECK(torch::equal(net_a->fc->weight, net_b->fc->weight));
}

TEST_CASE("K107 a run saved behind the last batch of an epoch goes on with the next epoch") {
  const bool in_the_epoch = GENERATE(true, false);  // behind its last window, and behind its validation and report
  toy::Line first, second;
  rg::StateMap saved;
  std::function<rg::StateMap()> save;
  int batches = 0;
  const auto objective = [&](auto& net, const torch::Tensor& x) { ++batches; return net->forward(x).mean(); };
  rg::Trainer a{first, rg::SGD{.lr = 1}, objective, rg::Accumulate<2>{}, rg::on<rg::checkpoint>([&](auto& step) { 
    if (step.updates() == 3 && (step.counters().batch > 0) == in_the_epoch) saved = save();
  })};
  save = [&] { return a.save(); };
  a.fit(counting(5), rg::epochs(2));
  CHECK(batches == 10);
  batches = 0;
  rg::Trainer b{second, rg::SGD{.lr = 1}, objective, rg::Accumulate<2>{}, rg::on<rg::checkpoint>([](auto&) {})};
  b.load(saved);
  if (!in_the_epoch) CHECK(b.counters().batch == 0);
  if (!in_the_epoch) CHECK(b.counters().epoch == 1);
  const auto report = b.fit(counting(5), rg::epochs(2));
  CHECK(batches == 5);
  CHECK(report.updates == 3);
  CHECK(b.counters().updates == 6);
  CHECK(second->w() == first->w());
}
