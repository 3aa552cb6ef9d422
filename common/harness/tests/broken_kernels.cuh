/// \file
/// One kernel with a switch for every mistake the book's checks must catch. Half style, float tables, any
/// dtype.
#pragma once

#include <cuda_runtime.h>

#include <cmath>

#include "common/gpu/device.cuh"

namespace ropewalk::faults {

/// DESIGN of the list: the first fifteen are mistakes of arithmetic or indexing, the others of memory and
/// numbers.
enum class Fault {
  none,
  split_at_half_of_head,
  other_style,
  sign,
  exponent_over_head_dim,
  wrong_base,
  position_off_by_one,
  head_taken_for_position,
  positions_ignored,
  cos_and_sin_swapped,
  in_place_order,
  tail_lost,
  last_block_skipped,
  rotated_twice,
  table_row_of_another_token,
  nothing_done,
  barrier_in_place,  // no fault: what missing_barrier is compared with
  missing_barrier,
  nan_result,
  overrun,
  unwritten_output,
  input_modified,
  wrong_rounding,
};

template <class T>
struct Arguments {
  T* x;                  // [tokens, heads, head_dim]
  int* positions;        // [tokens]
  const float* cosines;  // [table_rows, pairs]
  const float* sines;
  const float* inv_freq;  // [pairs]
  float base;
  int first_position, table_rows, tokens, heads, head_dim, rotary_dim;
};

// float to bfloat16 or half by cutting bits off instead of rounding to nearest.
template <class T>
__device__ T truncated(float value) {
  const T nearest = from_float<T>(value);
  // Rounded away from zero: the next smaller magnitude is 2⁻¹¹ (half) or 2⁻⁸ (bfloat16) of the value away at
  // most.
  const float step =
      to_float(nearest) * (sizeof(T) == 2 && to_float(from_float<T>(1.001f)) == 1.0f ? 0x1p-8f : 0x1p-11f);
  return fabsf(to_float(nearest)) > fabsf(value) ? from_float<T>(to_float(nearest) - step) : nearest;
}
template <>
__device__ inline float truncated<float>(float value) {
  return to_float(from_float<__half>(value));
}

/// One thread per pair, 64 threads a block.
template <Fault F, class T>
__global__ void broken(Arguments<T> a) {
  const int pairs = a.rotary_dim / 2;
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int total = a.tokens * a.heads * pairs;
  const bool active = i < total + (F == Fault::overrun ? 1 : 0);
  const int pair = active ? i % pairs : 0;
  const int row = active ? i / pairs : 0;
  const int head = row % a.heads;
  const int token = row / a.heads;

  int position = F == Fault::overrun && token >= a.tokens ? a.first_position : a.positions[token];
  if (F == Fault::position_off_by_one) position += 1;
  if (F == Fault::head_taken_for_position) position = head;
  if (F == Fault::positions_ignored) position = token;
  float cosine, sine;
  if (F == Fault::exponent_over_head_dim || F == Fault::wrong_base || F == Fault::position_off_by_one ||
      F == Fault::head_taken_for_position || F == Fault::positions_ignored) {
    const float exponent = -2.0f * static_cast<float>(pair) /
                           static_cast<float>(F == Fault::exponent_over_head_dim ? a.head_dim : a.rotary_dim);
    sincosf(static_cast<float>(position) * powf(F == Fault::wrong_base ? 2 * a.base : a.base, exponent),
            &sine, &cosine);
  } else {
    const int table_token = F == Fault::table_row_of_another_token ? (token + 1) % a.tokens : token;
    const int table_row =
        F == Fault::overrun && token >= a.tokens ? 0 : a.positions[table_token] - a.first_position;
    cosine = a.cosines[table_row * pairs + pair];
    sine = a.sines[table_row * pairs + pair];
  }
  if constexpr (F == Fault::missing_barrier || F == Fault::barrier_in_place) {
    __shared__ float staged[64];  // each thread fetches the sine of its neighbour
    const int other = i ^ 1;
    if (other < total) {
      const int other_row = a.positions[other / pairs / a.heads] - a.first_position;
      staged[threadIdx.x ^ 1] = a.sines[other_row * pairs + other % pairs];
    }
    if constexpr (F == Fault::barrier_in_place) __syncthreads();
    if (active) sine = staged[threadIdx.x];
  }
  if (F == Fault::cos_and_sin_swapped) {
    const float swap = cosine;
    cosine = sine;
    sine = swap;
  }
  if (F == Fault::sign) sine = -sine;
  if (F == Fault::nan_result && i == total / 2) cosine = NAN;
  if (!active || F == Fault::nothing_done) return;
  if (F == Fault::tail_lost && i >= total / 32 * 32) return;  // only whole warps
  if (F == Fault::last_block_skipped && blockIdx.x + 1 == gridDim.x) return;
  if (F == Fault::unwritten_output && token == a.tokens - 1 && head == a.heads - 1) return;

  T* x = a.x + static_cast<long long>(row) * a.head_dim;
  int first = pair, second = pair + pairs;
  if (F == Fault::split_at_half_of_head) second = pair + a.head_dim / 2;
  if (F == Fault::other_style) {
    first = 2 * pair;
    second = 2 * pair + 1;
  }
  for (int turn = 0; turn < (F == Fault::rotated_twice ? 2 : 1); ++turn) {
    const float u = to_float(x[first]), v = to_float(x[second]);
    float2 y = rotate_pair(u, v, cosine, sine);
    if (F == Fault::in_place_order)
      y.y = y.x * sine + v * cosine;  // reads the first channel after it was overwritten
    x[first] = F == Fault::wrong_rounding ? truncated<T>(y.x) : from_float<T>(y.x);
    x[second] = F == Fault::wrong_rounding ? truncated<T>(y.y) : from_float<T>(y.y);
  }
  if (F == Fault::input_modified && i == 0) a.positions[a.tokens - 1] += 1;
}

}  // namespace ropewalk::faults
