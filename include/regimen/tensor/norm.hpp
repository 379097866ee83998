// regimen/tensor/norm.hpp - the norm of many tensors, and whether all of it is finite, in one pass
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <ATen/core/Tensor.h>
#include <ATen/ops/linalg_vector_norm.h>

#include "regimen/core/error.hpp"
#include "regimen/tensor/compat.hpp"
#include "regimen/tensor/scalar.hpp"

namespace regimen {
struct MaxNorm { bool operator==(const MaxNorm&) const = default; };
/// The infinity norm, as the argument of `ClipNorm` and `norm`. Example: `rg::ClipNorm<rg::max_norm>{0.5}`.
inline constexpr MaxNorm max_norm{};

namespace detail {
// Eight sums, so that the adds don't wait for each other; in double, so that no square of a float overflows.
template <class T, class Term, class Join> double fold(const T* x, int64_t n, Term term, Join join) {
  double s[8]{};
  int64_t i = 0;
  for (; i + 8 <= n; i += 8)
    for (int k = 0; k < 8; ++k) s[k] = join(s[k], term(static_cast<double>(x[i + k])));
  for (; i < n; ++i) s[0] = join(s[0], term(static_cast<double>(x[i])));
  return join(join(join(s[0], s[1]), join(s[2], s[3])), join(join(s[4], s[5]), join(s[6], s[7])));
}
template <class T, class P> double power_sum(const T* x, int64_t n, P p) {
  const auto add = [](double a, double b) { return a + b; };
  if constexpr (std::is_same_v<P, MaxNorm>)
    return fold(x, n, [](double v) { return std::abs(v); }, [](double a, double b) { return a >= b || a != a ? a : b; });  // NaN stays
  else if (p == 2) return fold(x, n, [](double v) { return v * v; }, add);
  else if (p == 1) return fold(x, n, [](double v) { return std::abs(v); }, add);
  else return fold(x, n, [p](double v) { return std::pow(std::abs(v), p); }, add);
}
template <class P> double root_of(double sum, P p) {
  if constexpr (std::is_same_v<P, MaxNorm>) return sum;
  else return p == 2 ? std::sqrt(sum) : p == 1 ? sum : std::pow(sum, 1.0 / p);
}
template <class P> double norm_by_torch(const at::Tensor& t, P p) {
  double ord = std::numeric_limits<double>::infinity();
  if constexpr (!std::is_same_v<P, MaxNorm>) ord = p;
  return read_number(at::linalg_vector_norm(t.detach(), ord, at::OptionalIntArrayRef{}, false, at::kDouble));  // sync: on a device
}
/// One tensor's norm, NaN or infinite exactly if an element is (or a double's power overflows: then by scaling).
template <class P> double norm_of(const at::Tensor& t, P p) {
  if (t.layout() != at::kStrided) throw Error{"norm", "a sparse gradient", "a dense layer (`sparse(false)` for an embedding)"};
  if (t.numel() == 0) return 0;
  if (t.device().is_cpu() && is_dense(t)) {
    if (t.scalar_type() == at::kFloat) return root_of(power_sum(t.const_data_ptr<float>(), t.numel(), p), p);
    if (t.scalar_type() == at::kDouble) {
      const double* x = t.const_data_ptr<double>();
      const double n = root_of(power_sum(x, t.numel(), p), p);
      const double largest = power_sum(x, t.numel(), max_norm);
      if (std::isfinite(largest) && (!std::isfinite(n) || n < 1e-140) && largest > 0)
        return largest * norm_by_torch(t.div(largest), p);  // squares of doubles beyond 1e154 overflow, below 1e-162 vanish
      return n;
    }
  }
  return norm_by_torch(t, p);
}
}  // namespace detail

/// The p-norm of all elements of all tensors together, in double; NaN or infinite if any element is. Undefined tensors are left out.
/// One pass, nothing allocated for dense float and double on the CPU; on a device it waits once per tensor. Throws regimen::Error if one is sparse.
/// Equals `torch.nn.utils.get_total_norm`. Example: `rg::norm({a.grad(), b.grad()}, 2)`.
template <class P = int> double norm(const std::vector<at::Tensor>& tensors, P p = 2) {
  double sum = 0;
  for (const auto& t : tensors) {
    if (!t.defined()) continue;
    const double n = detail::norm_of(t, p);
    if constexpr (std::is_same_v<P, MaxNorm>) sum = sum >= n || sum != sum ? sum : n;
    else if (p == 2) sum = std::hypot(sum, n);
    else if (p == 1) sum += n;
    else sum = std::pow(std::pow(sum, double(p)) + std::pow(n, double(p)), 1.0 / p);
  }
  return sum;
}
}  // namespace regimen
