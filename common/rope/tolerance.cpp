/// \file
/// Tolerances. Every term is one rounding of the computation it stands for, at its worst.
#include "common/rope/tolerance.hpp"

#include <algorithm>
#include <cmath>

namespace ropewalk {
namespace {

/// A binary floating-point format: its significant bits and the spacing of its subnormals.
struct Format {
  int digits;
  int smallest_exponent;  // subnormals are multiples of 2^smallest_exponent
};
constexpr Format kF32{24, -149};
constexpr Format kF16{11, -24};
constexpr Format kBf16{8, -133};

constexpr double kUnitRoundoff = 0x1p-24;  // of float: largest relative error of one correct rounding

// CUDA Programming Guide, section "Floating-Point Computation", tables of powers and of trigonometric
// functions: with default flags sinf and cosf are at most 2 ulp, and powf at most 4 ulp, from the *correctly
// rounded* result, over their full range. NVIDIA calls these the largest errors seen in extensive tests, not
// a guarantee. glibc's functions stay below 1 ulp.
constexpr double kSincosfUlps = 2.0;
constexpr double kPowfUlps = 4.0;

/// Distance between neighbouring values of the format around |value|.
double ulp(double value, Format format) {
  const double magnitude = std::abs(value);
  const int exponent = magnitude > 0.0 ? std::ilogb(magnitude) : format.smallest_exponent;
  return std::ldexp(1.0, std::max(exponent - format.digits + 1, format.smallest_exponent));
}

double half_ulp(double value, Format format) {
  return 0.5 * ulp(value, format);
}

/// Cosine and sine lie in [−1, 1], where an ulp is at most 2^−24. Two errors of e each move a channel by at
/// most e·(|x0| + |x1|) ≤ e·√2·norm.
double sincosf_error() {
  return std::sqrt(2.0) * kSincosfUlps * 0x1p-24;
}

/// |float frequency − inv_freq| when base^(−2p/d) is evaluated by powf: the rounded base and the rounded
/// exponent move the power (to first order: their products are 2^−24 of it), then come the errors of powf
/// itself and of rounding its result.
double powf_frequency_error(std::int64_t pair, const ScheduleSpec& spec, double inv_freq) {
  if (pair == 0) return 0.0;  // powf(x, 0) is exactly 1
  const double exponent = 2.0 * static_cast<double>(pair) / static_cast<double>(spec.rotary_dim);
  const double base_error = std::abs(static_cast<double>(static_cast<float>(spec.base)) / spec.base - 1.0);
  const double moved = inv_freq * (exponent * base_error + std::log(spec.base) * half_ulp(exponent, kF32));
  return moved + (kPowfUlps + 0.5) * ulp(inv_freq + moved, kF32);
}

}  // namespace

std::string describe(Angles angles, Arithmetic arithmetic) {
  const std::string rounded =
      arithmetic == Arithmetic::in_element_type ? "; cos, sin and products rounded to the element type" : "";
  switch (angles) {
    case Angles::f32_list:
      return "angle = float(position) * float(inv_freq): three roundings, then sincosf (2 ulp)" + rounded;
    case Angles::f32_powf:
      return std::string(
                 "angle = float(position) * powf(base, -2p/rotary_dim): four roundings and powf (4 ulp), ") +
             "then sincosf (2 ulp)" + rounded;
    case Angles::exact:
      break;
  }
  return "cos and sin exact but for one rounding to float: the error does not grow with the position" +
         rounded;
}

double angle_error(Angles angles, std::int64_t position, std::int64_t pair, const ScheduleSpec& spec,
                   const Schedule& schedule) {
  if (angles == Angles::exact) return 0.0;
  if (position == 0) return sincosf_error();  // the angle is 0 whatever the frequency
  const double inv_freq = schedule.inv_freq[static_cast<std::size_t>(pair)];
  const double distance = std::abs(static_cast<double>(position));

  // A float list is rounded once, on the host, by the same rule everywhere: its error is known, not just
  // bounded.
  const double frequency_error = angles == Angles::f32_list
                                     ? std::abs(static_cast<double>(static_cast<float>(inv_freq)) - inv_freq)
                                     : powf_frequency_error(pair, spec, inv_freq);
  // int32 to float is exact up to 2^24, and a known rounding beyond.
  const double position_error =
      std::abs(static_cast<double>(static_cast<float>(position)) - static_cast<double>(position));
  const double factors = distance * frequency_error + position_error * (inv_freq + frequency_error);
  const double product = half_ulp(distance * inv_freq + factors, kF32);
  return factors + product + sincosf_error();
}

double pair_tolerance(Dtype dtype, double norm, double expected, double angle_error,
                      Arithmetic arithmetic_type) {
  // (1 + u)^3 − 1 is a little more than 3u; float products of tiny values lose up to half a subnormal each.
  const double arithmetic = norm * (3.0 * kUnitRoundoff * (1.0 + 0x1p-20) + angle_error) + 0x1p-149;
  if (dtype == Dtype::f32) return arithmetic;  // the rounding of the sum is that of the result
  const Format format = dtype == Dtype::f16 ? kF16 : kBf16;
  double inner = arithmetic;
  if (arithmetic_type == Arithmetic::in_element_type) {
    // cos or sin, then the product: u each, of at most norm. Two products may be subnormal.
    const double u = std::ldexp(1.0, -format.digits);
    inner += norm * (2.0 * u * (1.0 + u)) + std::ldexp(1.0, format.smallest_exponent);
  }
  return inner + half_ulp(std::abs(expected) + inner, format);
}

}  // namespace ropewalk
