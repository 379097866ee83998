// regimen/regimen.hpp - everything that needs std and LibTorch only, by layer
#pragma once
#include "regimen/core/check.hpp"
#include "regimen/core/counters.hpp"
#include "regimen/core/describe.hpp"
#include "regimen/core/duration.hpp"
#include "regimen/core/error.hpp"
#include "regimen/core/on.hpp"
#include "regimen/core/outcome.hpp"
#include "regimen/core/plan.hpp"
#include "regimen/core/policy.hpp"
#include "regimen/core/recipe.hpp"
#include "regimen/core/selector.hpp"
#include "regimen/core/version.hpp"
#include "regimen/core/window.hpp"

#include "regimen/schedule/constant.hpp"
#include "regimen/schedule/cosine.hpp"
#include "regimen/schedule/linear.hpp"

#include "regimen/tensor/norm.hpp"
#include "regimen/tensor/partition.hpp"
#include "regimen/tensor/scale.hpp"

#include "regimen/optim/adam.hpp"
#include "regimen/optim/adamw.hpp"
#include "regimen/optim/sgd.hpp"

#include "regimen/precision/autocast.hpp"
#include "regimen/precision/loss_scale.hpp"

#include "regimen/state/memory.hpp"
#include "regimen/state/random.hpp"

#include "regimen/device/choice.hpp"

#include "regimen/data/batch.hpp"
#include "regimen/data/batches.hpp"

#include "regimen/objective/accuracy.hpp"
#include "regimen/objective/bce.hpp"
#include "regimen/objective/cross_entropy.hpp"
#include "regimen/objective/loss.hpp"
#include "regimen/objective/mse.hpp"
#include "regimen/objective/top_k.hpp"

#include "regimen/policy/accumulate.hpp"
#include "regimen/policy/amp.hpp"
#include "regimen/policy/clip_norm.hpp"
#include "regimen/policy/freeze.hpp"
#include "regimen/policy/limit.hpp"
#include "regimen/policy/metrics.hpp"
#include "regimen/policy/on_device.hpp"
#include "regimen/policy/param_groups.hpp"
#include "regimen/policy/progress.hpp"
#include "regimen/policy/scheduler.hpp"
#include "regimen/policy/validate.hpp"

#include "regimen/train/regimen.hpp"
#include "regimen/train/report.hpp"
#include "regimen/train/trainer.hpp"
