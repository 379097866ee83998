// regimen/core/error.hpp - what went wrong, and what to write instead
#pragma once
#include <stdexcept>
#include <string>
#include <utility>

namespace regimen {
/// What every run-time fault of Regimen throws: who refuses, what it found, what to write.
/// Example: `throw rg::Error{"Ema", "decay is 1.5", "a number in [0, 1)"}` reads "Ema: decay is 1.5; write a number in [0, 1)".
struct Error : std::runtime_error {
  std::string who, found, write;

  Error(std::string who_, std::string found_, std::string write_)
      : std::runtime_error("regimen: " + who_ + ": " + found_ + "; write " + write_),
        who{std::move(who_)}, found{std::move(found_)}, write{std::move(write_)} {}
};
}  // namespace regimen
