/// \file
/// Device functions that several chapters use. Each is quoted in the text of the chapter that uses it first.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cmath>

namespace ropewalk {

// Storage type to float is exact; float to storage rounds to nearest, ties to even.
__host__ __device__ inline float to_float(float x) {
  return x;
}
__host__ __device__ inline float to_float(__half x) {
  return __half2float(x);
}
__host__ __device__ inline float to_float(__nv_bfloat16 x) {
  return __bfloat162float(x);
}

template <class T>
__host__ __device__ T from_float(float x);
template <>
__host__ __device__ inline float from_float<float>(float x) {
  return x;
}
template <>
__host__ __device__ inline __half from_float<__half>(float x) {
  return __float2half(x);
}
template <>
__host__ __device__ inline __nv_bfloat16 from_float<__nv_bfloat16>(float x) {
  return __float2bfloat16(x);
}

// [rotate_pair]
/// (x, y) turned by the angle whose cosine and sine are given: the formula of the whole book.
__host__ __device__ inline float2 rotate_pair(float x, float y, float cosine, float sine) {
  return make_float2(x * cosine - y * sine, x * sine + y * cosine);
}
// [rotate_pair]

// [table]
/// cos and sin from a table, [rows, rotary_dim/2] floats each; row r belongs to position first_position + r.
struct Table {
  const float* cosines;
  const float* sines;
  int first_position;
  unsigned rows;

  /// Number of the entry for a position and a pair, or -1 outside the table.
  __host__ __device__ long long entry(int position, int pair, int pairs) const {
    // Unsigned: a position before the table becomes a huge row.
    const unsigned row = static_cast<unsigned>(position) - static_cast<unsigned>(first_position);
    return row < rows ? static_cast<long long>(row) * pairs + pair : -1;
  }

  // Outside the table the answer is NaN, never a stray read.
  __device__ float cosine(long long entry) const { return entry >= 0 ? cosines[entry] : NAN; }
  __device__ float sine(long long entry) const { return entry >= 0 ? sines[entry] : NAN; }
};
// [table]

}  // namespace ropewalk
