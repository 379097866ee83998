// tests/train/root_gradient.cpp - one tensor for all backwards, as long as nobody else holds it
#include "regimen/train/root_gradient.hpp"

#include <catch2/catch_test_macros.hpp>
#include <torch/torch.h>

TEST_CASE("the tensor is used again, with its new value, unless it, a view of it, or another loss stands in the way") {
  regimen::detail::RootGradient root;
  const auto loss = torch::ones({});
  const auto* first = root.of(loss, 0.25).unsafeGetTensorImpl();
  CHECK(root.of(loss, 0.5).unsafeGetTensorImpl() == first);
  CHECK(root.of(loss, 0.5).item<float>() == 0.5f);

  const auto kept = root.of(loss, 1);
  CHECK(root.of(loss, 2).unsafeGetTensorImpl() != first);
  CHECK(kept.item<float>() == 1);

  const auto view = root.of(loss, 3).expand({4});
  CHECK(root.of(loss, 4).item<float>() == 4);
  CHECK(view[0].item<float>() == 3);

  CHECK(root.of(torch::ones({1}, torch::kDouble), 0.1).scalar_type() == torch::kDouble);
  CHECK(root.of(torch::ones({1}), 0.1).sizes() == torch::IntArrayRef{1});
}
