// examples/fashion_mnist/main.cpp - a small convolutional net on Fashion-MNIST: first all of it, in the last epoch its head alone
#include <torch/torch.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#if __has_include(<malloc.h>)
#include <malloc.h>  // for mallopt, glibc's own
#endif
#include <range/v3/view/transform.hpp>
#include <string>

#include <regimen/data.hpp>
#include <regimen/regimen.hpp>

namespace rg = regimen;

struct Options {
  std::string data = "/usr/share/datasets/fashion-mnist", device = "auto";
  std::int64_t epochs = 5, batch = 64;
  std::size_t accumulate = 2, limit = 0;
  std::uint64_t seed = 0;
  bool amp = false, shuffle_labels = false;
};

struct NetImpl : torch::nn::Module {
  torch::nn::Sequential features{
      torch::nn::Conv2d(torch::nn::Conv2dOptions(1, 16, 3).padding(1)), torch::nn::ReLU(), torch::nn::MaxPool2d(2),
      torch::nn::Conv2d(torch::nn::Conv2dOptions(16, 32, 3).padding(1)), torch::nn::ReLU(), torch::nn::MaxPool2d(2),
      torch::nn::Flatten(), torch::nn::Linear(32 * 7 * 7, 128), torch::nn::ReLU()};
  torch::nn::Linear head{128, 10};
  torch::Dtype activations = torch::kFloat;  // of the last forward: --amp looks at it

  NetImpl() {
    register_module("features", features);
    register_module("head", head);
  }
  torch::Tensor forward(const torch::Tensor& x) {
    const auto y = features->forward(x);
    activations = y.scalar_type();
    return head(y);
  }
};
TORCH_MODULE(Net);

// Bytes become numbers of mean 0 and deviation 1, batch by batch, as the trainer asks for them.
rg::Batch normalised(rg::Batch batch) {
  batch.input = batch.input.to(torch::kFloat).div_(255).sub_(0.2860).div_(0.3530);
  return batch;
}

// A run of five epochs or more must reach 91 %. A shorter one must have learnt something: one epoch reaches about 88 %, guessing 10 %.
double least_accuracy(const Options& o) { return o.limit > 0 ? 0 : o.epochs >= 5 ? 0.91 : 0.8; }

int train(const Options& o) {
  const auto device = rg::choose_device(o.device);
  std::printf("device %s: %s\n", device.device.str().c_str(), device.why.c_str());

  auto images = rg::read_mnist(o.data);
  rg::seed(o.seed);
  if (o.shuffle_labels) images.train.labels = images.train.labels.index_select(0, torch::randperm(images.train.labels.size(0)));
  rg::Batches train{images.train.images, images.train.labels, {.batch = o.batch, .seed = o.seed}};
  rg::Batches test{images.test.images, images.test.labels, {.batch = 500, .shuffle = false}};
  auto training = train | ranges::views::transform(normalised);
  auto validation = test | ranges::views::transform(normalised);

  Net net;
  double seconds = 0;
  const auto run_phase = [&](const char* title, double lr, rg::Epochs length, const auto& recipe) {
    rg::Trainer trainer{net, rg::AdamW{.lr = lr, .weight_decay = 0.05}, rg::CrossEntropy{}, recipe};
    std::int64_t trained = 0, frozen = 0;
    for (const auto& weight : trainer.partition().weights) (weight.trains() ? trained : frozen) += weight.tensor.numel();
    std::printf("%s: %lld parameters train, %lld are frozen\n", title, static_cast<long long>(trained), static_cast<long long>(frozen));

    const auto report = trainer.fit(training, validation, length);
    seconds += report.seconds;
    return report.last().value("validation_accuracy");
  };

  const auto whole_epochs = std::max<std::int64_t>(o.epochs - 1, 1);
  const auto batches = o.limit > 0 ? std::min<std::size_t>(o.limit, train.size()) : train.size();
  const auto updates = static_cast<std::int64_t>((batches + o.accumulate - 1) / o.accumulate) * whole_epochs;
  const auto limit = static_cast<std::int64_t>(o.limit);
  const auto base = rg::recipe(rg::Accumulate<>{o.accumulate}, rg::ClipNorm<>{1.0}, rg::ParamGroups{rg::NoDecay{}}, rg::Metrics{rg::Accuracy{}}, rg::Progress{},
                               rg::OnDevice{device.device}, rg::Limit{.batches = limit, .validation_batches = limit});
  const double accuracy = rg::choose(o.amp, base + rg::Amp<torch::kBFloat16>{}, base, [&](const auto& recipe) {
    const rg::Scheduler<rg::Cosine> with_warmup{.warmup = rg::steps(std::min<std::int64_t>(200, updates / 8))};
    const double reached = run_phase("all", 6e-3, rg::epochs(whole_epochs), recipe + with_warmup);
    if (o.epochs == 1) return reached;
    return run_phase("the head alone", 1e-3, rg::epochs(1), recipe + rg::Scheduler<rg::Cosine>{} + rg::Freeze<"features.*">{});
  });
  std::printf("accuracy %.4f after %lld epochs in %.1f s\n", accuracy, static_cast<long long>(o.epochs), seconds);

  if (o.amp) {
    std::printf("activations are %s\n", c10::toString(net->activations));
    if (net->activations != torch::kBFloat16) {
      std::fprintf(stderr, "fashion_mnist: --amp was asked for, and the activations are not BFloat16\n");
      return 1;
    }
  }
  if (!(accuracy >= least_accuracy(o))) {
    std::fprintf(stderr, "fashion_mnist: an accuracy of %.4f is below the %.2f that %lld epochs should reach\n", accuracy, least_accuracy(o), static_cast<long long>(o.epochs));
    return 1;
  }
  return 0;
}

int main(int argc, char** argv) {
#ifdef __GLIBC__  // by default each step's activations go back to the kernel and are faulted in again: a third of the first epoch's time
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
  Options o;
  CLI::App app{"Trains a small convolutional net on Fashion-MNIST: first all of it, in the last of several epochs its head alone.\n"
               "Exit code 1 where the accuracy is below 0.91 (five epochs and more) or 0.8 (fewer), 2 for what can't be run.\n"};
  app.add_option("--data", o.data, "the directory of the four IDX files, plain or gz, as Debian's dataset-fashion-mnist has it")->capture_default_str();
  app.add_option("--epochs", o.epochs, "one trains all, several train the head alone in the last")->check(CLI::Range(1, 1000))->capture_default_str();
  app.add_option("--batch", o.batch, "images in a micro-batch")->check(CLI::Range(1, 60000))->capture_default_str();
  app.add_option("--accumulate", o.accumulate, "micro-batches for one update")->check(CLI::Range(1, 60000))->capture_default_str();
  app.add_option("--device", o.device, "auto, cpu, cuda or cuda:i; auto takes CUDA where it is usable")->capture_default_str();
  app.add_option("--seed", o.seed, "of the weights and the order of the images")->capture_default_str();
  app.add_option("--limit", o.limit, "ends epochs and validations after so many batches, to try things out; 0: never")->check(CLI::Range(0, 60000))->capture_default_str();
  app.add_flag("--amp", o.amp, "bfloat16 where that is safe; slower on CPUs without bfloat16 units");
  app.add_flag("--shuffle-labels", o.shuffle_labels, "labels at random: the run must fail");
  try {
    app.parse(argc, argv);
    return train(o);
  } catch (const CLI::Success& e) {  // --help
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    std::fprintf(stderr, "fashion_mnist: %s; see --help\n", e.what());
    return 2;
  } catch (const rg::Error& e) {
    std::fprintf(stderr, "fashion_mnist: %s\n", e.what());
    return 2;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "fashion_mnist: %s\n", e.what());
    return 1;
  }
}
