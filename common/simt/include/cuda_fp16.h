/// \file
/// Stand-in for CUDA's cuda_fp16.h: IEEE half precision: 1 sign, 5 exponent and 10 fraction bits.
#pragma once

#include <concepts>

#include "common/simt/device/small_float.hpp"
#include "cuda_runtime.h"

struct alignas(2) __half_raw {
  unsigned short x;
};

struct alignas(2) __half;
struct alignas(4) __half2;
template <>
inline constexpr bool simt::is_small_float<__half> = true;
template <>
inline constexpr bool simt::is_small_float_pair<__half2> = true;

struct alignas(2) __half {
  __half() = default;
  __half(float value) : bits_(simt::half_from_float(value)) {}
  __half(double value) : __half(simt::round_to_odd(value)) {}
  __half(std::integral auto value) : __half(simt::double_from_integer(value)) {}
  __half(__half_raw raw) : bits_(raw.x) {}
  template <simt::SmallFloat Other>
  explicit __half(Other value) : __half(float(value)) {}

  operator float() const { return simt::float_from_half(bits_); }
  operator __half_raw() const { return {bits_}; }

 private:
  unsigned short bits_;
};

struct alignas(4) __half2 {
  __half x, y;
  __half2() = default;
  __half2(const __half& x_, const __half& y_) : x(x_), y(y_) {}
};

using half = __half;
using half2 = __half2;
using __nv_half = __half;
using __nv_half2 = __half2;
using nv_half = __half;
using nv_half2 = __half2;

#include "common/simt/device/small_float_functions.hpp"
SIMT_SMALL_FLOAT_OPERATORS(__half)
SIMT_SMALL_FLOAT_PAIR_OPERATORS(__half2)

inline __half __float2half(float value) {
  return __half(value);
}
inline __half __float2half_rn(float value) {
  return __half(value);
}
inline __half __float2half_rz(float value) {
  return simt::toward_zero(__half(value), value);
}
inline __half __float2half_rd(float value) {
  return simt::downward(__half(value), value);
}
inline __half __float2half_ru(float value) {
  return simt::upward(__half(value), value);
}
inline __half __double2half(double value) {
  return __half(value);
}
inline float __half2float(__half value) {
  return float(value);
}

inline __half2 make_half2(__half x, __half y) {
  return __half2(x, y);
}
inline __half2 __halves2half2(__half x, __half y) {
  return __half2(x, y);
}
inline __half2 __half2half2(__half value) {
  return __half2(value, value);
}
inline __half2 __float2half2_rn(float value) {
  return __half2(value, value);
}
inline __half2 __floats2half2_rn(float x, float y) {
  return __half2(x, y);
}
inline __half2 __float22half2_rn(float2 value) {
  return __half2(value.x, value.y);
}
inline float2 __half22float2(__half2 value) {
  return make_float2(float(value.x), float(value.y));
}
inline __half __low2half(__half2 value) {
  return value.x;
}
inline __half __high2half(__half2 value) {
  return value.y;
}
inline __half2 __low2half2(__half2 value) {
  return __half2(value.x, value.x);
}
inline __half2 __high2half2(__half2 value) {
  return __half2(value.y, value.y);
}
inline __half2 __lows2half2(__half2 a, __half2 b) {
  return __half2(a.x, b.x);
}
inline __half2 __highs2half2(__half2 a, __half2 b) {
  return __half2(a.y, b.y);
}

inline unsigned short __half_as_ushort(__half value) {
  return static_cast<unsigned short>(simt::bits_of(value));
}
inline short __half_as_short(__half value) {
  return static_cast<short>(simt::bits_of(value));
}
inline __half __ushort_as_half(unsigned short bits) {
  return simt::from_bits<__half>(bits);
}
inline __half __short_as_half(short bits) {
  return simt::from_bits<__half>(static_cast<unsigned short>(bits));
}

inline __half __int2half_rn(int value) {
  return __half(value);
}
inline __half __uint2half_rn(unsigned value) {
  return __half(value);
}
inline __half __short2half_rn(short value) {
  return __half(value);
}
inline __half __ushort2half_rn(unsigned short value) {
  return __half(value);
}
inline __half __ll2half_rn(long long value) {
  return __half(value);
}
inline __half __ull2half_rn(unsigned long long value) {
  return __half(value);
}
// To an integer: nearest, toward zero, down, up; out of range values are clamped.
inline int __half2int_rz(__half value) {
  return simt::to_integer<int>(std::trunc(double(float(value))));
}
inline unsigned __half2uint_rz(__half value) {
  return simt::to_integer<unsigned>(std::trunc(double(float(value))));
}
inline short __half2short_rz(__half value) {
  return simt::to_integer<short>(std::trunc(double(float(value))));
}
inline unsigned short __half2ushort_rz(__half value) {
  return simt::to_integer<unsigned short>(std::trunc(double(float(value))));
}
inline long long __half2ll_rz(__half value) {
  return simt::to_integer<long long>(std::trunc(double(float(value))));
}
inline unsigned long long __half2ull_rz(__half value) {
  return simt::to_integer<unsigned long long>(std::trunc(double(float(value))));
}
inline int __half2int_rn(__half value) {
  return simt::to_integer<int>(std::rint(double(float(value))));
}
inline int __half2int_rd(__half value) {
  return simt::to_integer<int>(std::floor(double(float(value))));
}
inline int __half2int_ru(__half value) {
  return simt::to_integer<int>(std::ceil(double(float(value))));
}
