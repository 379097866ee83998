// regimen/data.hpp - data sets and pipelines: what regimen.hpp has of data/, and what needs zlib (link with -lz)
#pragma once
#include "regimen/data/batch.hpp"
#include "regimen/data/batches.hpp"
#include "regimen/data/idx.hpp"
#include "regimen/data/mnist.hpp"
#include "regimen/data/permutation.hpp"
