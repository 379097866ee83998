// tests/train/table.cpp - the plan and the parameters as text
#include "regimen/train/table.hpp"

#include <catch2/catch_test_macros.hpp>
#include <string>

#include "support/toy.hpp"

TEST_CASE("the plan names moments, costs, weighing and the short last window") {
  toy::Line net;
  rg::Trainer trainer{net, rg::AdamW{}, rg::MSE{}, rg::Accumulate<4>{}, rg::ClipNorm<>{1.0}, rg::Scheduler<rg::Cosine>{}};
  // compilers differ in whether they spell default arguments
  const std::string clip{rg::detail::short_name<rg::ClipNorm<>>()}, scheduler{rg::detail::short_name<rg::Scheduler<>>()};
  CHECK(trainer.plan(std::vector<rg::Batch>(10)) ==
        "one window (update by AdamW):\n"
        "  set_up: Accumulate<4>, " + clip + "\n"
        "  before_run: " + scheduler + "\n"
        "  before_update: " + clip + ", " + scheduler + "\n"
        "  passes over the gradients: 3, bytes per parameter: 40, host syncs on CUDA: 1, tensor allocations: 0\n"
        "  CUDA graph: its norm is read on the host\n"
        "  window: 4 micro-batches, weighted by samples\n"
        "  epoch: 10 batches, 3 updates; last window has 2 of 4 micro-batches\n");
  rg::Trainer alike{net, rg::AdamW{}, rg::MSE{.weight = rg::per_micro_batch}};
  CHECK(alike.plan(std::vector<rg::Batch>(3)).find("1 micro-batch, weighted all alike (loss/N)") != std::string::npos);
  STATIC_CHECK(decltype(alike)::plan().host_syncs == 0);
  STATIC_CHECK(decltype(trainer)::plan().passes == 3);
}

TEST_CASE("the table shows group, rate, decay, who froze what, and ties") {
  struct Net : torch::nn::Module {
    torch::nn::Linear body{register_module("body", torch::nn::Linear(2, 2))}, head{register_module("head", torch::nn::Linear(2, 1))};
    Net() { register_module("copy", head); body->bias.requires_grad_(false); }
  };
  rg::Trainer trainer{std::make_shared<Net>(), rg::AdamW{.lr = 0.5, .weight_decay = 0.25}, [](auto&, int) { return torch::Tensor{}; },
                      rg::Freeze<"body.weight">{}, rg::ParamGroups{rg::Group<"head.*">{.lr = 0.125}}};
  CHECK(trainer.parameters_table() ==
        "parameter    shape   group   lr     weight decay  state                    tied with\n"
        "body.weight  [2, 2]  -       -      -             frozen by Freeze\n"
        "body.bias    [2]     -       -      -             frozen by requires_grad\n"
        "head.weight  [1, 2]  head.*  0.125  0.25          trains                   copy.weight\n"
        "head.bias    [1]     head.*  0.125  0.25          trains                   copy.bias\n"
        "3 numbers train, 6 don't\n");
}
