/// \file
/// The oracle: RoPE in double precision, written from the definition and not from any kernel.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/rope/schedules/schedule.hpp"
#include "common/rope/types.hpp"

namespace ropewalk {

struct CosSin {
  double cos, sin;
};

/// The exact angle of a pair in radians. long double, so that a huge position costs no digits before the
/// reduction.
long double exact_angle(std::int64_t position, double inv_freq);

/// cos and sin of exact_angle(), correct to about 1e-16.
CosSin exact_cos_sin(std::int64_t position, double inv_freq);

/// cos and sin of every pair at one position: [rotary_dim/2].
std::vector<CosSin> exact_cos_sin_row(const Schedule& schedule, std::int64_t position);

/// Rotates one head: y = attention_factor · R(angles) x on the first 2·cos_sin.size() channels, the rest
/// copied. x and y have head_dim elements and may be the same memory.
void rotate_head(std::span<const double> x, std::span<double> y, Style style, std::span<const CosSin> cos_sin,
                 double attention_factor);

/// Rotates a whole tensor x[rows, heads, head_dim] with positions[rows]. Returns y of the same shape.
std::vector<double> rotate(std::span<const double> x, std::span<const std::int32_t> positions,
                           std::int64_t heads, std::int64_t head_dim, Style style, const Schedule& schedule);

/// The transpose, R(−angles) scaled by attention_factor: the gradient, and the inverse when the factor is 1.
void rotate_head_transposed(std::span<const double> y, std::span<double> x, Style style,
                            std::span<const CosSin> cos_sin, double attention_factor);

}  // namespace ropewalk
