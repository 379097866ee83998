// tests/tensor/partition.cpp - weights that train, sorted into cells
#include <torch/torch.h>

#include "regimen/tensor/partition.hpp"

#include <catch2/catch_test_macros.hpp>

namespace partition_tests {
namespace rg = regimen;
using Members = std::vector<std::size_t>;

rg::Weight weight(std::string name, torch::Tensor t, std::size_t group = 0, std::string frozen_by = "", bool updated = true) {
  return {.name = std::move(name),
          .also = {},
          .tensor = std::move(t),
          .aliases = {},
          .group = group,
          .frozen_by = std::move(frozen_by),
          .updated = updated};
}

TEST_CASE("a cell holds the weights of one group, device, dtype and layout, in the weights' order") {
  rg::Partition p;
  p.groups = {{"default", {}}, {"head", {}}};
  p.weights = {weight("a", torch::ones({2})),
               weight("b", torch::ones({2}, torch::kDouble)),
               weight("c", torch::ones({3})),
               weight("d", torch::ones({2}), 1),
               weight("e", torch::ones({2}, torch::kMeta)),
               weight("f", torch::eye(2).to_sparse()),
               weight("g", torch::ones({0})),
               weight("h", torch::ones({2}), 1)};
  p.build_cells();
  REQUIRE(p.cells.size() == 5);
  CHECK(p.cells[0].weights == Members{0, 2, 6});
  CHECK(p.cells[1].weights == Members{1});
  CHECK(p.cells[1].dtype == torch::kDouble);
  CHECK(p.cells[2].weights == Members{3, 7});
  CHECK(p.cells[2].group == 1);
  CHECK(p.cells[3].device == torch::kMeta);
  CHECK(p.cells[4].layout == torch::kSparse);
  for (const auto& cell : p.cells) {
    CHECK(cell.rule == 0);
    CHECK(cell.factor == 1);
  }
}

TEST_CASE("frozen weights, and those that no optimizer holds, are in no cell") {
  rg::Partition p;
  p.groups = {{"default", {}}};
  p.weights = {weight("a", torch::ones({2}), 0, "Freeze"), weight("b", torch::ones({2}), 0, "", false),
               weight("c", torch::ones({2}))};
  CHECK_FALSE(p.weights[0].trains());
  CHECK_FALSE(p.weights[1].trains());
  CHECK(p.weights[2].trains());
  p.build_cells();
  REQUIRE(p.cells.size() == 1);
  CHECK(p.cells[0].weights == Members{2});
  p.weights[2].frozen_by = "requires_grad";
  p.build_cells();
  CHECK(p.cells.empty());
}

TEST_CASE("cells that are built anew have a new version, the new groups and no factor left") {
  rg::Partition p;
  p.groups = {{"default", {}}, {"head", {}}};
  p.weights = {weight("a", torch::ones({2})), weight("b", torch::ones({2}))};
  CHECK(p.version == 0);
  p.build_cells();
  CHECK(p.version == 1);
  p.cells[0].factor = 0.5;
  p.weights[1].group = 1;
  p.build_cells();
  CHECK(p.version == 2);
  REQUIRE(p.cells.size() == 2);
  CHECK(p.cells[0].weights == Members{0});
  CHECK(p.cells[0].factor == 1);
  CHECK(p.cells[1].weights == Members{1});
}

TEST_CASE("a weight takes part in an update while its gradient is defined, zeros too") {
  rg::Partition p;
  p.weights = {weight("a", torch::ones({2}))};
  CHECK_FALSE(p.takes_part(0));
  p.weights[0].tensor.mutable_grad() = torch::zeros({2});
  CHECK(p.takes_part(0));
  p.weights[0].tensor.mutable_grad() = torch::Tensor{};
  CHECK_FALSE(p.takes_part(0));
}
}  // namespace partition_tests
