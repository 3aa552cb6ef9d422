/// \file
/// Device mathematics that <math.h> does not have. The fast intrinsics (__sinf, ...) are as exact as the
/// plain functions here: their larger error on a GPU is not modelled.
#pragma once

#include <math.h>

#include <cmath>
#include <limits>

inline float rsqrtf(float x) {
  return 1.0f / std::sqrt(x);
}
inline double rsqrt(double x) {
  return 1.0 / std::sqrt(x);
}
inline float rnorm3df(float a, float b, float c) {
  return float(1.0 / std::hypot(double(a), double(b), double(c)));
}

/// sin(pi x) and cos(pi x). The reduction of x is exact, however large x is.
inline void sincospi(double x, double* sine, double* cosine) {
  const double turns = x - 2.0 * std::rint(0.5 * x);  // in [-1, 1]
  const double quarter = std::rint(2.0 * turns);
  const double angle = (turns - 0.5 * quarter) * 3.14159265358979323846;
  const double s = std::sin(angle), c = std::cos(angle);
  if (std::isnan(turns)) {
    *sine = *cosine = std::numeric_limits<double>::quiet_NaN();
    return;
  }
  switch (static_cast<int>(quarter) & 3) {
    case 0:
      *sine = s, *cosine = c;
      break;
    case 1:
      *sine = c, *cosine = -s;
      break;
    case 2:
      *sine = -s, *cosine = -c;
      break;
    default:
      *sine = -c, *cosine = s;
      break;
  }
  *cosine += 0.0;  // no negative zero
  if (*sine == 0.0) *sine = std::copysign(0.0, x);
}
inline double sinpi(double x) {
  double sine, cosine;
  sincospi(x, &sine, &cosine);
  return sine;
}
inline double cospi(double x) {
  double sine, cosine;
  sincospi(x, &sine, &cosine);
  return cosine;
}
inline void sincospif(float x, float* sine, float* cosine) {
  double s, c;
  sincospi(double(x), &s, &c);
  *sine = float(s);
  *cosine = float(c);
}
inline float sinpif(float x) {
  return float(sinpi(double(x)));
}
inline float cospif(float x) {
  return float(cospi(double(x)));
}

inline float __fmaf_rn(float a, float b, float c) {
  return std::fma(a, b, c);
}
inline double __fma_rn(double a, double b, double c) {
  return std::fma(a, b, c);
}
inline float __fadd_rn(float a, float b) {
  return a + b;
}
inline float __fsub_rn(float a, float b) {
  return a - b;
}
inline float __fmul_rn(float a, float b) {
  return a * b;
}
inline float __fdiv_rn(float a, float b) {
  return a / b;
}
inline float __frcp_rn(float x) {
  return 1.0f / x;
}
inline float __fsqrt_rn(float x) {
  return std::sqrt(x);
}
inline float __frsqrt_rn(float x) {
  return float(1.0 / std::sqrt(double(x)));
}
inline double __dadd_rn(double a, double b) {
  return a + b;
}
inline double __dmul_rn(double a, double b) {
  return a * b;
}
inline float __fdividef(float a, float b) {
  return a / b;
}
inline float fdividef(float a, float b) {
  return a / b;
}
inline float __saturatef(float x) {
  return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f;
}

// glibc declares some of these names for itself (noexcept, C linkage) without defining them: hence the
// noexcept.
inline float __sinf(float x) noexcept {
  return std::sin(x);
}
inline float __cosf(float x) noexcept {
  return std::cos(x);
}
inline float __tanf(float x) noexcept {
  return std::tan(x);
}
inline float __expf(float x) noexcept {
  return std::exp(x);
}
inline float __exp10f(float x) noexcept {
  return float(std::pow(10.0, double(x)));
}
inline float __logf(float x) noexcept {
  return std::log(x);
}
inline float __log2f(float x) noexcept {
  return std::log2(x);
}
inline float __log10f(float x) noexcept {
  return std::log10(x);
}
inline float __powf(float x, float y) noexcept {
  return std::pow(x, y);
}
inline void __sincosf(float x, float* sine, float* cosine) noexcept {
  *sine = std::sin(x);
  *cosine = std::cos(x);
}

// Conversions with a rounding in their name: n nearest, z toward zero, d down, u up. Out of range values are
// clamped and a NaN becomes 0 (the lowest number, if the integer has 64 bits), as on a GPU; a plain C++ cast
// would be undefined.
namespace simt {
template <class Integer>
Integer to_integer(double x) {
  constexpr double kLow = double(std::numeric_limits<Integer>::min());
  constexpr double kBeyond = 2.0 * double(std::numeric_limits<Integer>::max() / 2 + 1);
  if (std::isnan(x)) return sizeof(Integer) < 8 ? Integer{0} : static_cast<Integer>(1ull << 63);
  if (x <= kLow) return std::numeric_limits<Integer>::min();
  if (x >= kBeyond) return std::numeric_limits<Integer>::max();
  return static_cast<Integer>(x);
}
}  // namespace simt
inline int __float2int_rn(float x) {
  return simt::to_integer<int>(std::rint(double(x)));
}
inline int __float2int_rz(float x) {
  return simt::to_integer<int>(std::trunc(double(x)));
}
inline int __float2int_rd(float x) {
  return simt::to_integer<int>(std::floor(double(x)));
}
inline int __float2int_ru(float x) {
  return simt::to_integer<int>(std::ceil(double(x)));
}
inline unsigned __float2uint_rn(float x) {
  return simt::to_integer<unsigned>(std::rint(double(x)));
}
inline unsigned __float2uint_rz(float x) {
  return simt::to_integer<unsigned>(std::trunc(double(x)));
}
inline long long __double2ll_rn(double x) {
  return simt::to_integer<long long>(std::rint(x));
}
inline long long __double2ll_rz(double x) {
  return simt::to_integer<long long>(std::trunc(x));
}
inline float __int2float_rn(int x) {
  return float(x);
}
inline float __uint2float_rn(unsigned x) {
  return float(x);
}
inline float __ll2float_rn(long long x) {
  return float(x);
}
inline double __int2double_rn(int x) {
  return double(x);
}
inline float __double2float_rn(double x) {
  return float(x);
}
