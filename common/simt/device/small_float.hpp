/// \file
/// Rounding to the two 16-bit floating-point formats, half and bfloat16. All of it is exact: the bits are
/// those a GPU produces.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace simt {

/// True for __half and __nv_bfloat16.
template <class T>
inline constexpr bool is_small_float = false;
/// half or bfloat16.
template <class T>
concept SmallFloat = is_small_float<T>;

/// A pair of them: __half2 or __nv_bfloat162.
template <class T>
inline constexpr bool is_small_float_pair = false;
/// Two of them in 32 bits.
template <class T>
concept SmallFloatPair = is_small_float_pair<T>;

inline constexpr std::uint32_t kFloatInfinity = 0x7f800000;
inline constexpr std::uint32_t kFloatNan =
    0x7fffffff;                                     // what the NaNs of half become; bfloat16 keeps its bits
inline constexpr std::uint16_t kSmallNan = 0x7fff;  // the NaN of every GPU operation, in either format

/// float to half, ties to even.
inline std::uint16_t half_from_float(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
  if (magnitude > kFloatInfinity) return kSmallNan;
  if (magnitude >= 0x477ff000) return std::uint16_t(sign | 0x7c00);  // 65520 and more round to infinity
  if (magnitude < 0x38800000) {
    // Below 2^-14 the step is 2^-24, which is that of a float in [0.5, 1): adding 0.5 rounds to it.
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    return std::uint16_t(sign | (std::bit_cast<std::uint32_t>(shifted) - 0x3f000000));
  }
  // Change the exponent's bias from 127 to 15, then round away the lowest 13 bits; a carry may run into the
  // exponent.
  return std::uint16_t(sign | ((magnitude - (112u << 23) + 0xfff + (magnitude >> 13 & 1)) >> 13));
}

inline float float_from_half(std::uint16_t bits) {
  const std::uint32_t sign = std::uint32_t(bits & 0x8000) << 16, magnitude = bits & 0x7fff;
  if (magnitude > 0x7c00) return std::bit_cast<float>(kFloatNan);
  if (magnitude == 0x7c00) return std::bit_cast<float>(sign | kFloatInfinity);
  if (magnitude < 0x400)
    return std::copysign(float(magnitude) * 0x1p-24f, std::bit_cast<float>(sign | 0x3f800000));
  return std::bit_cast<float>(sign | ((magnitude << 13) + (112u << 23)));
}

/// float to bfloat16, ties to even: bfloat16 is the upper half of a float.
inline std::uint16_t bfloat16_from_float(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffff) > kFloatInfinity) return kSmallNan;
  return std::uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

inline float float_from_bfloat16(std::uint16_t bits) {
  return std::bit_cast<float>(std::uint32_t(bits) << 16);
}

// Rounding twice can go wrong: the first rounding may produce a tie that the exact value was not. Rounding to
// odd prevents that. An inexact result gets an odd last bit, which is never a tie of the shorter format.

/// double to float, rounded to odd.
inline float round_to_odd(double value) {
  const float nearest = static_cast<float>(value);
  if (std::isnan(value) || double(nearest) == value) return nearest;
  std::uint32_t bits = std::bit_cast<std::uint32_t>(nearest);
  if (std::fabs(double(nearest)) > std::fabs(value)) --bits;  // truncate
  return std::bit_cast<float>(bits | 1u);
}

/// a + b, rounded to odd.
inline double add_round_to_odd(double a, double b) {
  const double sum = a + b;
  if (!std::isfinite(sum)) return sum;
  const double b_part = sum - a;
  const double error = (a - (sum - b_part)) + (b - b_part);  // exact (Knuth's two-sum)
  std::uint64_t bits = std::bit_cast<std::uint64_t>(sum);
  if (error == 0.0 || (bits & 1u)) return sum;
  bits = (error > 0.0) == (sum > 0.0) ? bits + 1 : bits - 1;
  return std::bit_cast<double>(bits);
}

/// An integer as a double, rounded to odd.
template <class Integer>
double double_from_integer(Integer value) {
  if constexpr (sizeof(Integer) < 8) {
    return double(value);
  } else {
    const bool negative = value < 0;
    const std::uint64_t magnitude = negative ? 0 - std::uint64_t(value) : std::uint64_t(value);
    const std::uint64_t rounded =
        magnitude >> 53 == 0 ? magnitude : (magnitude >> 12 | ((magnitude & 0xfff) != 0)) << 12;
    return negative ? -double(rounded) : double(rounded);
  }
}

}  // namespace simt
