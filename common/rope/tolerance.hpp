/// \file
/// How far a correct implementation may be from the exact result, derived from the roundings it makes.
#pragma once

#include <cstdint>
#include <string>

#include "common/rope/schedules/schedule.hpp"
#include "common/rope/types.hpp"

namespace ropewalk {

/// Where a variant's cos and sin come from: the only part of the error that grows with the position.
enum class Angles {
  exact,     ///< a float table built in double, or exact phases: cos and sin rounded once
  f32_list,  ///< float(position) · float(inv_freq[p]), then sincosf: position, frequency and product are
             ///< rounded
  f32_powf,  ///< float(position) · powf(base, −2p/rotary_dim) in float, then sincosf
};

/// What a variant multiplies and adds in.
enum class Arithmetic {
  in_float,         ///< float, whatever the element type; rounded once, on the store
  in_element_type,  ///< cos, sin, products and sum are each rounded to the element type
};

/// One line for the reader: which roundings the tolerance of these angles allows.
std::string describe(Angles angles, Arithmetic arithmetic = Arithmetic::in_float);

/// Largest error of the angle in radians, plus that of sincosf, for pair p at this position; 0 for
/// Angles::exact.
double angle_error(Angles angles, std::int64_t position, std::int64_t pair, const ScheduleSpec& spec,
                   const Schedule& schedule);

/// Allowed |got − expected| for one channel of a pair. `norm` is hypot(x0, x1) · attention_factor, `expected`
/// the exact value, `angle_error` from above. Derivation: three float roundings of at most norm·2⁻²⁴ each
/// (cos or sin, product, sum), the angle's error times norm, and the rounding of the result to dtype,
/// subnormals included. In the element type: one more rounding to dtype of cos or sin, and one of each
/// product.
double pair_tolerance(Dtype dtype, double norm, double expected, double angle_error,
                      Arithmetic arithmetic = Arithmetic::in_float);

}  // namespace ropewalk
