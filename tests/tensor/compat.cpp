// tests/tensor/compat.cpp - version counters, and which memory a raw kernel may take
#include <torch/torch.h>

#include "regimen/tensor/compat.hpp"

#include <catch2/catch_test_macros.hpp>

#include "support/tensors.hpp"

namespace compat_tests {
namespace rg = regimen;

TEST_CASE("a backward across a change that autograd was told of throws") {
  for (bool told : {false, true}) {
    INFO(told);
    auto w = torch::full({1}, 3.0).requires_grad_();
    const auto loss = (w * w).sum();
    const auto version = w._version();
    *w.mutable_data_ptr<float>() = 5;  // as a fused operator writes
    if (told) rg::detail::bump_version(w);
    CHECK(w._version() == version + told);
    if (told) {
      CHECK_THROWS_AS(loss.backward(), c10::Error);
      CHECK_FALSE(w.grad().defined());
    } else {
      loss.backward();  // what the bump is for: 10 is wrong, unnoticed
      CHECK(w.grad().item<double>() == 10);
    }
  }
}

TEST_CASE("memory is dense if it is one run of numbers without holes and overlaps") {
  const auto t = torch::randn({4, 6});
  for (const auto& dense : {t, t.t(), torch::randn({2, 3, 4, 5}).contiguous(torch::MemoryFormat::ChannelsLast), t.slice(0, 1, 3),
                            t[0], t[0][0], torch::zeros({0}), torch::zeros({3, 0})})
    CHECK(rg::detail::is_dense(dense));
  for (const auto& other : {t.slice(1, 0, 3), t.slice(0, 0, 4, 2), t[0].expand({3, 6}), tensors::spread(t),
                            torch::eye(3).to_sparse(), torch::eye(4).to_sparse_csr()})
    CHECK_FALSE(rg::detail::is_dense(other));
}
}  // namespace compat_tests
