// tests/state/random.cpp - generators: seeded, saved, restored
#include <torch/torch.h>

#include "regimen/state/random.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_all.hpp>

#include "regimen/state/memory.hpp"
#include "support/tensors.hpp"

namespace random_tests {
namespace rg = regimen;

rg::StateMap saved() {
  rg::StateMap map;
  rg::detail::MemoryArchive<false> archive{map};
  rg::detail::archive_generators(archive, false);
  return map;
}
void load(const rg::StateMap& map) {
  rg::detail::MemoryArchive<true> archive{map};
  rg::detail::archive_generators(archive, true);
}
/// Whole and odd numbers of draws of several kinds: a normal leaves one cached in the generator.
std::vector<torch::Tensor> draws() {
  return {torch::rand({3}),   torch::randn({1}),       torch::randperm(7), torch::dropout(torch::ones({64}), 0.5, true),
          torch::randn({33}), torch::randint(100, {5})};
}
bool same(const std::vector<torch::Tensor>& a, const std::vector<torch::Tensor>& b) {
  return std::ranges::equal(a, b, tensors::same_bits);
}

TEST_CASE("seed is torch's manual_seed") {
  for (std::uint64_t s : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 40}) {
    rg::seed(s);
    const auto ours = draws();
    torch::manual_seed(s);
    CHECK(same(ours, draws()));
  }
  rg::seed(1);
  const auto one = torch::rand({4});
  rg::seed(2);
  CHECK_FALSE(torch::equal(one, torch::rand({4})));
}

TEST_CASE("KZ15 a restored generator draws the same bits, dropout masks too, as often as it is restored") {
  rg::seed(7);
  for (int before = 0; before < 4; ++before) {
    if (before > 0) torch::randn({before});  // at odd places of the stream
    const auto state = saved();
    const auto uninterrupted = draws();
    CHECK(saved().size() == state.size());  // reading draws nothing
    for (int again = 0; again < 2; ++again) {
      torch::rand({5 + again});
      load(state);
      CHECK(same(draws(), uninterrupted));
    }
    CHECK_FALSE(same(draws(), uninterrupted));  // it goes on
  }
}

TEST_CASE("saving draws nothing, and a saved state does not follow the generator") {
  rg::seed(3);
  const auto expected = draws();
  rg::seed(3);
  const auto state = saved();
  CHECK(same(draws(), expected));
  load(state);
  load(state);
  CHECK(same(draws(), expected));
}

TEST_CASE("each generator has a name, and one that the state lacks is an error") {
  CHECK(saved().contains("generator/cpu"));
  CHECK(saved().size() == 1 + (torch::cuda::is_available() ? std::size_t(torch::cuda::device_count()) : 0));
  CHECK_THAT(tensors::error_of([] { load({}); }), Catch::Matchers::ContainsSubstring("generator/cpu"));
}
}  // namespace random_tests
