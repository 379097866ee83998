// regimen/data/batches.hpp - shuffled mini-batches of tensors that lie in memory
#pragma once
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <ranges>
#include <string>
#include <utility>

#include <ATen/core/Tensor.h>
#include <range/v3/range/concepts.hpp>

#include "regimen/core/error.hpp"
#include "regimen/data/batch.hpp"
#include "regimen/data/permutation.hpp"
