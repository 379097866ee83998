#include <ATen/core/Tensor.h>  // found through regimen::regimen alone
#include <iostream>
#include <regimen/core/version.hpp>

int main() {
  at::Tensor none;
  std::cout << "regimen " << regimen::version.text() << " sees " << (none.defined() ? "a tensor" : "no tensor") << '\n';
}
