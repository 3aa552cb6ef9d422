/// \file
/// Integer and bit intrinsics, and min/max for every pair of types CUDA has them for.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

inline int __clz(int x) {
  return std::countl_zero(unsigned(x));
}
inline int __clzll(long long x) {
  return std::countl_zero(static_cast<unsigned long long>(x));
}
inline int __popc(unsigned x) {
  return std::popcount(x);
}
inline int __popcll(unsigned long long x) {
  return std::popcount(x);
}
/// Position of the lowest set bit, counted from 1; 0 if there is none.
inline int __ffs(int x) {
  return x == 0 ? 0 : std::countr_zero(unsigned(x)) + 1;
}
inline int __ffsll(long long x) {
  return x == 0 ? 0 : std::countr_zero(static_cast<unsigned long long>(x)) + 1;
}
inline unsigned __brev(unsigned x) {
  unsigned reversed = 0;
  for (int bit = 0; bit < 32; ++bit) reversed |= (x >> bit & 1u) << (31 - bit);
  return reversed;
}

/// Upper half of the product.
inline unsigned __umulhi(unsigned a, unsigned b) {
  return unsigned((std::uint64_t(a) * b) >> 32);
}
inline int __mulhi(int a, int b) {
  return int((std::int64_t(a) * b) >> 32);
}
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  const std::uint64_t a_low = a & 0xffffffffu, a_high = a >> 32, b_low = b & 0xffffffffu, b_high = b >> 32;
  const std::uint64_t middle = a_high * b_low + ((a_low * b_low) >> 32);
  const std::uint64_t carry = a_low * b_high + (middle & 0xffffffffu);
  return a_high * b_high + (middle >> 32) + (carry >> 32);
}
inline long long __mul64hi(long long a, long long b) {
  using Unsigned = unsigned long long;
  Unsigned high = __umul64hi(Unsigned(a), Unsigned(b));
  if (a < 0) high -= Unsigned(b);
  if (b < 0) high -= Unsigned(a);
  return static_cast<long long>(high);
}

/// 32 bits of the 64-bit value high:low, shifted left (right) by `shift` modulo 32.
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return unsigned(((std::uint64_t(high) << 32 | low) << (shift & 31)) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return unsigned((std::uint64_t(high) << 32 | low) >> (shift & 31));
}

/// Four bytes picked out of the eight of (x, y), by the low three of each four bits of `selectors`.
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selectors) {
  const std::uint64_t bytes = std::uint64_t(y) << 32 | x;
  unsigned result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned selector = selectors >> (4 * i) & 7;
    result |= (unsigned(bytes >> (8 * selector)) & 0xff) << (8 * i);
  }
  return result;
}

inline int __float_as_int(float x) {
  return std::bit_cast<int>(x);
}
inline unsigned __float_as_uint(float x) {
  return std::bit_cast<unsigned>(x);
}
inline float __int_as_float(int x) {
  return std::bit_cast<float>(x);
}
inline float __uint_as_float(unsigned x) {
  return std::bit_cast<float>(x);
}
inline long long __double_as_longlong(double x) {
  return std::bit_cast<long long>(x);
}
inline double __longlong_as_double(long long x) {
  return std::bit_cast<double>(x);
}

#define SIMT_MIN_MAX(Result, A, B)                                       \
  constexpr Result min(A a, B b) {                                       \
    const Result x = static_cast<Result>(a), y = static_cast<Result>(b); \
    return x < y ? x : y;                                                \
  }                                                                      \
  constexpr Result max(A a, B b) {                                       \
    const Result x = static_cast<Result>(a), y = static_cast<Result>(b); \
    return x > y ? x : y;                                                \
  }
SIMT_MIN_MAX(int, int, int)
SIMT_MIN_MAX(unsigned, unsigned, unsigned)
SIMT_MIN_MAX(unsigned, int, unsigned)
SIMT_MIN_MAX(unsigned, unsigned, int)
SIMT_MIN_MAX(long, long, long)
SIMT_MIN_MAX(unsigned long, unsigned long, unsigned long)
SIMT_MIN_MAX(unsigned long, long, unsigned long)
SIMT_MIN_MAX(unsigned long, unsigned long, long)
SIMT_MIN_MAX(long long, long long, long long)
SIMT_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
SIMT_MIN_MAX(unsigned long long, long long, unsigned long long)
SIMT_MIN_MAX(unsigned long long, unsigned long long, long long)
#undef SIMT_MIN_MAX

// A NaN loses against a number.
inline float min(float a, float b) {
  return std::fmin(a, b);
}
inline float max(float a, float b) {
  return std::fmax(a, b);
}
inline double min(double a, double b) {
  return std::fmin(a, b);
}
inline double max(double a, double b) {
  return std::fmax(a, b);
}
inline double min(float a, double b) {
  return std::fmin(double(a), b);
}
inline double max(float a, double b) {
  return std::fmax(double(a), b);
}
inline double min(double a, float b) {
  return std::fmin(a, double(b));
}
inline double max(double a, float b) {
  return std::fmax(a, double(b));
}
