// bench/include_13.cpp - a trainer of 13 policies, for `./dev bench include`; -DFEW leaves 3 of them, -DSMALL has 10 that do next to nothing beside these 3
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

template <char Name> struct Small {  // two hooks, two fields of state: what a further policy costs if its own code costs nothing
  double by = 1;
  static constexpr char name[]{Name, 0};
  static constexpr rg::HookSet hooks{.before_update = true, .after_update = true};
  static constexpr rg::Facts facts{.name = name};
  struct State {
    double sum = 0;
    std::int64_t count = 0;
    constexpr void archive(auto& a) { a("sum", sum); a("count", count); }
  };
  void before_update(auto&, State& state) const { state.sum += by; }
  void after_update(auto&, State& state) const { ++state.count; }
};

rg::Report train(Net& net, std::vector<std::pair<at::Tensor, at::Tensor>>& data) {
  rg::Trainer trainer{net, rg::AdamW{.lr = 1e-3}, rg::CrossEntropy{},
#ifdef SMALL
      Small<'a'>{}, Small<'b'>{}, Small<'c'>{}, Small<'d'>{}, Small<'e'>{}, Small<'f'>{}, Small<'g'>{}, Small<'h'>{}, Small<'i'>{}, Small<'j'>{},
#elif !defined FEW
      rg::Amp<torch::kBFloat16>{}, rg::Freeze<"features.*">{}, rg::ParamGroups{rg::Group<"head.*">{.lr = 1e-2}, rg::NoDecay{}},
      rg::Metrics{rg::Accuracy{}}, rg::Limit{.batches = 2}, rg::OnDevice{"auto"}, rg::Progress{}, rg::Validate{.every = rg::steps(500)},
      rg::on<rg::after_update>([](auto& step) { step.log("norm", step.outcome().norm); }),
      rg::on<rg::after_epoch>([](auto& step) { if (step.mean_loss() < 0.01) step.stop("good enough"); }),
#endif
      rg::Accumulate<4>{}, rg::ClipNorm<>{1.0}, rg::Scheduler<rg::Cosine>{.warmup = rg::steps(500)}};
  return trainer.fit(data, data, rg::epochs(10));
}
