// bench/include_13.cpp - a trainer of 13 policies, for `./dev bench include`; -DFEW leaves 3 of them
#include <torch/torch.h>

#include <regimen/regimen.hpp>
#include <vector>

namespace rg = regimen;

struct Net : torch::nn::Module {
  torch::nn::Linear features{784, 32}, head{32, 10};
  Net() {
    register_module("features", features);
    register_module("head", head);
  }
  at::Tensor forward(const at::Tensor& x) { return head(torch::relu(features(x))); }
};

rg::Report train(Net& net, std::vector<std::pair<at::Tensor, at::Tensor>>& data) {
  rg::Trainer trainer{net, rg::AdamW{.lr = 1e-3}, rg::CrossEntropy{},
#ifndef FEW
      rg::Amp<torch::kBFloat16>{}, rg::Freeze<"features.*">{}, rg::ParamGroups{rg::Group<"head.*">{.lr = 1e-2}, rg::NoDecay{}},
      rg::Metrics{rg::Accuracy{}}, rg::Limit{.batches = 2}, rg::OnDevice{"auto"}, rg::Progress{}, rg::Validate{.every = rg::steps(500)},
      rg::on<rg::after_update>([](auto& step) { step.log("norm", step.outcome().norm); }),
      rg::on<rg::after_epoch>([](auto& step) { if (step.mean_loss() < 0.01) step.stop("good enough"); }),
#endif
      rg::Accumulate<4>{}, rg::ClipNorm<>{1.0}, rg::Scheduler<rg::Cosine>{.warmup = rg::steps(500)}};
  return trainer.fit(data, data, rg::epochs(10));
}
