/// \file
/// Stand-in for CUDA's cuda_bf16.h: bfloat16, the upper half of a float: 1 sign, 8 exponent and 7 fraction
/// bits.
#pragma once

#include <concepts>

#include "common/simt/device/small_float.hpp"
#include "cuda_runtime.h"

struct alignas(2) __nv_bfloat16_raw {
  unsigned short x;
};

struct alignas(2) __nv_bfloat16;
struct alignas(4) __nv_bfloat162;
template <>
inline constexpr bool simt::is_small_float<__nv_bfloat16> = true;
template <>
inline constexpr bool simt::is_small_float_pair<__nv_bfloat162> = true;

struct alignas(2) __nv_bfloat16 {
  __nv_bfloat16() = default;
  __nv_bfloat16(float value) : bits_(simt::bfloat16_from_float(value)) {}
  __nv_bfloat16(double value) : __nv_bfloat16(simt::round_to_odd(value)) {}
  __nv_bfloat16(std::integral auto value) : __nv_bfloat16(simt::double_from_integer(value)) {}
  __nv_bfloat16(__nv_bfloat16_raw raw) : bits_(raw.x) {}
  template <simt::SmallFloat Other>
  explicit __nv_bfloat16(Other value) : __nv_bfloat16(float(value)) {}

  operator float() const { return simt::float_from_bfloat16(bits_); }
  operator __nv_bfloat16_raw() const { return {bits_}; }

 private:
  unsigned short bits_;
};

struct alignas(4) __nv_bfloat162 {
  __nv_bfloat16 x, y;
  __nv_bfloat162() = default;
  __nv_bfloat162(const __nv_bfloat16& x_, const __nv_bfloat16& y_) : x(x_), y(y_) {}
};

using nv_bfloat16 = __nv_bfloat16;
using nv_bfloat162 = __nv_bfloat162;

#include "common/simt/device/small_float_functions.hpp"
SIMT_SMALL_FLOAT_OPERATORS(__nv_bfloat16)
SIMT_SMALL_FLOAT_PAIR_OPERATORS(__nv_bfloat162)

inline __nv_bfloat16 __float2bfloat16(float value) {
  return __nv_bfloat16(value);
}
inline __nv_bfloat16 __float2bfloat16_rn(float value) {
  return __nv_bfloat16(value);
}
inline __nv_bfloat16 __float2bfloat16_rz(float value) {
  return simt::toward_zero(__nv_bfloat16(value), value);
}
inline __nv_bfloat16 __float2bfloat16_rd(float value) {
  return simt::downward(__nv_bfloat16(value), value);
}
inline __nv_bfloat16 __float2bfloat16_ru(float value) {
  return simt::upward(__nv_bfloat16(value), value);
}
inline __nv_bfloat16 __double2bfloat16(double value) {
  return __nv_bfloat16(value);
}
inline float __bfloat162float(__nv_bfloat16 value) {
  return float(value);
}

inline __nv_bfloat162 make_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) {
  return __nv_bfloat162(x, y);
}
inline __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) {
  return __nv_bfloat162(x, y);
}
inline __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 value) {
  return __nv_bfloat162(value, value);
}
inline __nv_bfloat162 __float2bfloat162_rn(float value) {
  return __nv_bfloat162(value, value);
}
inline __nv_bfloat162 __floats2bfloat162_rn(float x, float y) {
  return __nv_bfloat162(x, y);
}
inline __nv_bfloat162 __float22bfloat162_rn(float2 value) {
  return __nv_bfloat162(value.x, value.y);
}
inline float2 __bfloat1622float2(__nv_bfloat162 value) {
  return make_float2(float(value.x), float(value.y));
}
inline __nv_bfloat16 __low2bfloat16(__nv_bfloat162 value) {
  return value.x;
}
inline __nv_bfloat16 __high2bfloat16(__nv_bfloat162 value) {
  return value.y;
}
inline __nv_bfloat162 __low2bfloat162(__nv_bfloat162 value) {
  return __nv_bfloat162(value.x, value.x);
}
inline __nv_bfloat162 __high2bfloat162(__nv_bfloat162 value) {
  return __nv_bfloat162(value.y, value.y);
}
inline __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) {
  return __nv_bfloat162(a.x, b.x);
}
inline __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) {
  return __nv_bfloat162(a.y, b.y);
}

inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 value) {
  return static_cast<unsigned short>(simt::bits_of(value));
}
inline short __bfloat16_as_short(__nv_bfloat16 value) {
  return static_cast<short>(simt::bits_of(value));
}
inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits) {
  return simt::from_bits<__nv_bfloat16>(bits);
}
inline __nv_bfloat16 __short_as_bfloat16(short bits) {
  return simt::from_bits<__nv_bfloat16>(static_cast<unsigned short>(bits));
}

inline __nv_bfloat16 __int2bfloat16_rn(int value) {
  return __nv_bfloat16(value);
}
inline __nv_bfloat16 __uint2bfloat16_rn(unsigned value) {
  return __nv_bfloat16(value);
}
inline __nv_bfloat16 __short2bfloat16_rn(short value) {
  return __nv_bfloat16(value);
}
inline __nv_bfloat16 __ushort2bfloat16_rn(unsigned short value) {
  return __nv_bfloat16(value);
}
inline __nv_bfloat16 __ll2bfloat16_rn(long long value) {
  return __nv_bfloat16(value);
}
inline __nv_bfloat16 __ull2bfloat16_rn(unsigned long long value) {
  return __nv_bfloat16(value);
}
// To an integer: nearest, toward zero, down, up; out of range values are clamped.
inline int __bfloat162int_rz(__nv_bfloat16 value) {
  return simt::to_integer<int>(std::trunc(double(float(value))));
}
inline unsigned __bfloat162uint_rz(__nv_bfloat16 value) {
  return simt::to_integer<unsigned>(std::trunc(double(float(value))));
}
inline short __bfloat162short_rz(__nv_bfloat16 value) {
  return simt::to_integer<short>(std::trunc(double(float(value))));
}
inline unsigned short __bfloat162ushort_rz(__nv_bfloat16 value) {
  return simt::to_integer<unsigned short>(std::trunc(double(float(value))));
}
inline long long __bfloat162ll_rz(__nv_bfloat16 value) {
  return simt::to_integer<long long>(std::trunc(double(float(value))));
}
inline unsigned long long __bfloat162ull_rz(__nv_bfloat16 value) {
  return simt::to_integer<unsigned long long>(std::trunc(double(float(value))));
}
inline int __bfloat162int_rn(__nv_bfloat16 value) {
  return simt::to_integer<int>(std::rint(double(float(value))));
}
inline int __bfloat162int_rd(__nv_bfloat16 value) {
  return simt::to_integer<int>(std::floor(double(float(value))));
}
inline int __bfloat162int_ru(__nv_bfloat16 value) {
  return simt::to_integer<int>(std::ceil(double(float(value))));
}
