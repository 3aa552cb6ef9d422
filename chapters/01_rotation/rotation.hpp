/// \file
/// Chapter 01: RoPE for one pair of channels, in double. The whole mathematics of the book fits on this page.
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>

namespace ropewalk::rotation {

// [turn]
/// Two channels of a head, seen as the arrow from (0, 0) to (x0, x1).
struct Pair {
  double x0, x1;
};

/// Turns the arrow by `angle` radians, counterclockwise; its length stays.
inline Pair turn(Pair x, double angle) {
  const double c = std::cos(angle);
  const double s = std::sin(angle);
  return {x.x0 * c - x.x1 * s, x.x0 * s + x.x1 * c};
}
// [turn]

// [complex]
/// The same turn as one multiplication of complex numbers.
inline std::complex<double> turn(std::complex<double> x, double angle) {
  return x * std::polar(1.0, angle);  // polar(1, angle) = cos(angle) + i sin(angle)
}
// [complex]

// [frequency]
/// Radians by which a pair turns from one position to the next. The exponent counts over rotary_dim, the
/// channels that turn; head_dim has no part in it.
inline double frequency(std::int64_t pair, std::int64_t rotary_dim, double base) {
  return std::pow(base, -2.0 * static_cast<double>(pair) / static_cast<double>(rotary_dim));
}
// [frequency]

/// What a pair adds to the dot product of a query and a key.
inline double dot(Pair q, Pair k) {
  return q.x0 * k.x0 + q.x1 * k.x1;
}

inline double length(Pair x) {
  return std::hypot(x.x0, x.x1);
}

}  // namespace ropewalk::rotation
