// examples/accumulate/main.cpp - the classic program of gradient accumulation: a net of one hidden layer, micro-batches of 16, an update for every 4.
// reference.py is the Python original; with one thread the losses and weights are equal to the last bit.
#include <torch/torch.h>

#include <cstdio>
#include <exception>
#include <fstream>
#include <string>

#include <regimen/data.hpp>
#include <regimen/regimen.hpp>

namespace rg = regimen;

// Prints the losses with all digits, and writes the weights as raw float32 to the second argument.
void train(const std::string& directory, const std::string& weights) {
  const auto images = rg::read_mnist(directory).train;
  const auto x = images.images.narrow(0, 0, 6400).flatten(1).to(torch::kFloat).div_(255), y = images.labels.narrow(0, 0, 6400);

  rg::seed(0);
  torch::nn::Sequential net{torch::nn::Linear(784, 512), torch::nn::ReLU(), torch::nn::Linear(512, 10)};
  rg::Trainer trainer{net, rg::Adam{.lr = 1e-4}, rg::CrossEntropy{}, rg::Accumulate<4>{}};
  const auto report = trainer.fit(rg::Batches{x, y, {.batch = 16, .shuffle = false}}, rg::epochs(3));

  for (const auto& epoch : report.epochs) std::printf("epoch %d  loss %.17g  updates %d\n", int(epoch.epoch), epoch.train_loss, int(epoch.updates));
  if (weights.empty()) return;
  std::ofstream file{weights, std::ios::binary};
  for (const auto& w : net->parameters()) file.write(static_cast<const char*>(w.const_data_ptr()), static_cast<std::streamsize>(w.nbytes()));
}

int main(int argc, char** argv) {
  try {
    train(argc > 1 ? argv[1] : "/usr/share/datasets/fashion-mnist", argc > 2 ? argv[2] : "");
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "accumulate: %s\n", e.what());
    return 2;
  }
}
