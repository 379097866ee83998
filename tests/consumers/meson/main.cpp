#include <torch/torch.h>

#include <iostream>
#include <regimen/core/version.hpp>

int main() {
  std::cout << "regimen " << regimen::version.text() << " sums " << torch::ones(3).sum().item<double>() << '\n';
}
