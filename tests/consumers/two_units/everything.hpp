// both units include all there is: what isn't inline is defined twice, and the link fails
#pragma once
#include <torch/torch.h>

#if __has_include(<regimen/regimen.hpp>)
#include <regimen/regimen.hpp>
#endif
#if __has_include(<regimen/data.hpp>)
#include <regimen/data.hpp>
#endif
