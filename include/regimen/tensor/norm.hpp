// regimen/tensor/norm.hpp - the norm of many tensors, and whether all of it is finite, in one pass
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
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
template <class P> double plain_norm(const at::Tensor& t, P p) {
  if (t.device().is_cpu() && is_dense(t)) {
    if (t.scalar_type() == at::kFloat) return root_of(power_sum(t.const_data_ptr<float>(), t.numel(), p), p);
    if (t.scalar_type() == at::kDouble) return root_of(power_sum(t.const_data_ptr<double>(), t.numel(), p), p);
  }
  return norm_by_torch(t, p);
}
/// One tensor's norm, NaN or infinite exactly if an element is, or if it is beyond the largest double itself.
template <class P> double norm_of(const at::Tensor& t, P p) {
  if (t.layout() != at::kStrided) throw Error{"norm", "a sparse gradient", "a dense layer (`sparse(false)` for an embedding)"};
  if (t.numel() == 0) return 0;
  const double n = plain_norm(t, p);
  if constexpr (!std::is_same_v<P, MaxNorm>) {
    if (p <= 2 && t.scalar_type() != at::kDouble) return n;  // no square of a float leaves the range of a double
    const double power = p == 2 ? n * n : std::pow(n, double(p));
    if (power > 1e-280 && std::isfinite(power)) return n;
    // squares of doubles beyond 1e154 overflow and below 1e-162 vanish, 20th powers much earlier: so in units of the largest element
    const double largest = plain_norm(t, max_norm);
    if (largest > 0 && std::isfinite(largest)) return largest * norm_by_torch(t.detach().to(at::kDouble).div(largest), p);
  }
  return n;
}
/// The norm of a list whose parts have the norms `a` and `b`.
template <class P> double joined(double a, double b, P p) {
  if constexpr (std::is_same_v<P, MaxNorm>) return a >= b || a != a ? a : b;
  else if (p == 2) return std::hypot(a, b);
  else if (p == 1) return a + b;
  else {
    const double most = std::max(a, b);
    if (!(most > 0) || std::isinf(most) || std::isnan(a + b)) return a + b;
    return most * std::pow(std::pow(a / most, double(p)) + std::pow(b / most, double(p)), 1.0 / p);
  }
}
}  // namespace detail

/// The p-norm of all elements of all tensors together, in double; NaN or infinite if any element is. Undefined tensors are left out.
/// One pass, nothing allocated for dense float and double on the CPU; on a device it waits once per tensor. Doubles whose powers leave the range of
/// a double take more. Throws regimen::Error if one is sparse, or p is not above 0.
/// Equals `torch.nn.utils.get_total_norm`. Example: `rg::norm({a.grad(), b.grad()}, 2)`.
template <class P = int> double norm(const std::vector<at::Tensor>& tensors, P p = 2) {
  if constexpr (!std::is_same_v<P, MaxNorm>) {
    if (!(p > 0)) throw Error{"norm", "p is " + std::to_string(p), "1, 2, another number above 0, or rg::max_norm"};  // NaN too
    if (std::isinf(static_cast<double>(p))) return norm(tensors, max_norm);
  }
  double all = 0;
  for (const auto& t : tensors)
    if (t.defined()) all = detail::joined(all, detail::norm_of(t, p), p);
  return all;
}
}  // namespace regimen
