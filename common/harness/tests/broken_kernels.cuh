/// \file
/// One kernel with a switch for every mistake the book's checks must catch. Half style, float tables, any
/// dtype.
#pragma once

#include <cuda_runtime.h>

#include <cmath>

#include "common/gpu/device.cuh"
#include "common/harness/tests/fault_names.hpp"

namespace ropewalk::faults {

template <class T>
struct Arguments {
  Fault fault;
  T* x;                  // [batch, tokens, heads, head_dim]
  const int* positions;  // [batch, tokens]
  const float* cosines;  // [table_rows, pairs]
  const float* sines;
  double base;
  int first_position, table_rows, batch, tokens, heads, head_dim, rotary_dim;
};

/// float to bfloat16 or half by cutting bits off instead of rounding to nearest, to float by way of half.
template <class T>
__device__ T wrongly_rounded(float value) {
  if constexpr (sizeof(T) == sizeof(float)) return to_float(from_float<__half>(value));
  const T nearest = from_float<T>(value);
  // Rounded away from zero: the next smaller magnitude is 2⁻¹¹ (half) or 2⁻⁸ (bfloat16) of the value away at
  // most.
  const bool bfloat16 = to_float(from_float<T>(1.001f)) == 1.0f;
  const float step = to_float(nearest) * (bfloat16 ? 0x1p-8f : 0x1p-11f);
  return fabsf(to_float(nearest)) > fabsf(value) ? from_float<T>(to_float(nearest) - step) : nearest;
}

struct CosineAndSine {
  float cosine, sine;
};

/// What the pair turns by. Wrong angles are computed in double, so that nothing but the mistake is wrong.
template <class T>
__device__ CosineAndSine angle_of(const Arguments<T>& a, int row, int pair) {
  const int token = row / a.heads, head = row % a.heads, pairs = a.rotary_dim / 2;
  double position = a.positions[token], base = a.base, width = a.rotary_dim;
  int table_row = a.positions[token] - a.first_position;
  switch (a.fault) {
    case Fault::position_off_by_one:
      position += 1;
      break;
    case Fault::head_taken_for_position:
      position = head;
      break;
    case Fault::positions_ignored:
      position = token % a.tokens;
      break;
    case Fault::wrong_base:
      base *= kWrongBaseFactor;
      break;
    case Fault::exponent_over_head_dim:
      width = a.head_dim;
      break;
    case Fault::positions_of_first_sequence:
      table_row = a.positions[token % a.tokens] - a.first_position;
      return {a.cosines[table_row * pairs + pair], a.sines[table_row * pairs + pair]};
    case Fault::table_row_of_another_token:  // the row that has the token's number, not its position's
      table_row = token;
      if (table_row >= a.table_rows) return {NAN, NAN};
      return {a.cosines[table_row * pairs + pair], a.sines[table_row * pairs + pair]};
    case Fault::next_table_row:
      table_row = table_row + 1 < a.table_rows ? table_row + 1 : table_row;
      return {a.cosines[table_row * pairs + pair], a.sines[table_row * pairs + pair]};
    case Fault::previous_table_row:
      table_row = table_row > 0 ? table_row - 1 : table_row;
      return {a.cosines[table_row * pairs + pair], a.sines[table_row * pairs + pair]};
    default:
      return {a.cosines[table_row * pairs + pair], a.sines[table_row * pairs + pair]};
  }
  const double angle = position * pow(base, -2.0 * pair / width);
  return {static_cast<float>(cos(angle)), static_cast<float>(sin(angle))};
}

/// One thread per pair, 64 threads a block.
template <class T>
__global__ void broken(Arguments<T> a) {
  const Fault fault = a.fault;
  const int pairs = a.rotary_dim / 2;
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int total = a.batch * a.tokens * a.heads * pairs;
  const bool active = i < total;
  const int pair = active ? i % pairs : 0;
  const int row = active ? i / pairs : 0;

  auto [cosine, sine] = angle_of(a, row, pair);
  if (fault == Fault::missing_barrier || fault == Fault::barrier_in_place) {
    __shared__ float staged[64];  // each thread fetches the sine of its neighbour
    const int other = i ^ 1;
    if (other < total) staged[threadIdx.x ^ 1] = angle_of(a, other / pairs, other % pairs).sine;
    if (fault == Fault::barrier_in_place) __syncthreads();
    if (active) sine = staged[threadIdx.x];
  }
  if (fault == Fault::cos_and_sin_swapped) {
    const float swap = cosine;
    cosine = sine;
    sine = swap;
  }
  if (fault == Fault::sign) sine = -sine;
  if (fault == Fault::nan_result && i == total / 2) cosine = NAN;
  if (!active || fault == Fault::nothing_done) return;
  if (fault == Fault::last_block_skipped && i >= total / kBlockOfPairs * kBlockOfPairs) return;
  if (fault == Fault::unwritten_output && row + 1 == a.batch * a.tokens * a.heads) return;

  T* x = a.x + static_cast<long long>(row) * a.head_dim;
  if constexpr (sizeof(T) == sizeof(float)) {
    if (fault == Fault::misaligned_access) {
      const float2 both = *reinterpret_cast<const float2*>(x + 1);  // 4 bytes past a multiple of 8
      if (both.x == 12345.678f) sine = both.y;
    }
  }
  int first = pair, second = pair + pairs;
  if (fault == Fault::split_at_half_of_head) second = pair + a.head_dim / 2;
  if (fault == Fault::other_style) {
    first = 2 * pair;
    second = 2 * pair + 1;
  }
  for (int turn = 0; turn < (fault == Fault::rotated_twice ? 2 : 1); ++turn) {
    const float u = to_float(x[first]), v = to_float(x[second]);
    float2 y = rotate_pair(u, v, cosine, sine);
    if (fault == Fault::in_place_order)
      y.y = y.x * sine + v * cosine;  // reads the first channel after it was overwritten
    x[first] = fault == Fault::wrong_rounding ? wrongly_rounded<T>(y.x) : from_float<T>(y.x);
    x[second] = fault == Fault::wrong_rounding ? wrongly_rounded<T>(y.y) : from_float<T>(y.y);
  }
  if (fault == Fault::tail_lost && pair == 0)
    for (int c = a.rotary_dim; c < a.head_dim; ++c) x[c] = from_float<T>(0.0f);
  if (fault == Fault::overrun && row == 0 && pair == 0)
    a.x[static_cast<long long>(a.batch) * a.tokens * a.heads * a.head_dim] = from_float<T>(1.0f);
  if (fault == Fault::underrun && row == 0 && pair == 0) a.x[-1] = from_float<T>(1.0f);
}

}  // namespace ropewalk::faults
