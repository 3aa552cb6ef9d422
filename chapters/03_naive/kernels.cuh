/// \file
/// Chapter 03: one thread per pair. The kernels differ in where cos and sin come from, and in who works.
#pragma once

#include <cuda_runtime.h>

#include <cmath>

#include "common/gpu/device.cuh"
#include "common/gpu/launch.hpp"

namespace ropewalk::naive {

// [heads]
/// q or k, to be rotated in place: x is [tokens, heads, head_dim], contiguous. The first rotary_dim channels
/// of a head turn, the rest is not touched. The sequences of a batch follow each other: tokens counts them
/// all.
template <class T>
struct Heads {
  T* x;
  const int* positions;  // [tokens]
  long long tokens;
  int heads;
  int head_dim;
  int rotary_dim;

  __host__ __device__ long long pairs() const { return tokens * heads * (rotary_dim / 2); }
};
// [heads]

// [pair]
/// The two channels that one thread owns, and the token they belong to.
struct Pair {
  long long first;   // element of x; 64 bits: beyond 524,288 tokens of 32 heads × 128 it passes 2³¹ − 1
  long long second;  // its partner, half of the rotary channels away
  long long token;
  int pair;  // 0 … rotary_dim/2 − 1
};

/// Splits thread number i into token, head and pair. The pair runs fastest, so neighbours in a warp touch
/// neighbouring channels.
template <class T>
__host__ __device__ Pair owned_pair(const Heads<T>& h, long long i) {
  const int pairs = h.rotary_dim / 2;
  const long long row = i / pairs;  // token · heads + head
  const int pair = static_cast<int>(i % pairs);
  const long long first = row * h.head_dim + pair;
  return {first, first + pairs, row / h.heads, pair};
}

/// Loads the pair, turns it in float, rounds once and stores it. No other thread touches these two elements.
template <class T>
__device__ void rotate_in_place(T* x, const Pair& p, float cosine, float sine) {
  const float2 y = rotate_pair(to_float(x[p.first]), to_float(x[p.second]), cosine, sine);
  x[p.first] = from_float<T>(y.x);
  x[p.second] = from_float<T>(y.y);
}

/// Number of this thread in the whole grid.
__device__ inline long long thread_number() {
  return static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
}
// [pair]

// [table]
/// Turns the pair by the table row of its token's position.
template <class T>
__device__ void rotate_with_table(const Heads<T>& h, const Table& table, const Pair& p) {
  const long long entry = table.entry(h.positions[p.token], p.pair, h.rotary_dim / 2);
  rotate_in_place(h.x, p, table.cosine(entry), table.sine(entry));
}

/// One thread: one pair. Grid: 1-D, at least tokens · heads · rotary_dim/2 threads. Any alignment, any block
/// size. Reads and writes 2 elements, reads 2 table entries and 1 position.
template <class T>
__global__ void rope_table(Heads<T> h, Table table) {
  const long long i = thread_number();
  if (i >= h.pairs()) return;  // the last block sticks out
  rotate_with_table(h, table, owned_pair(h, i));
}
// [table]

// [angles]
/// As rope_table, but the angle is computed: inv_freq is [rotary_dim/2] floats. Reads no table.
template <class T>
__global__ void rope_angles(Heads<T> h, const float* inv_freq) {
  const long long i = thread_number();
  if (i >= h.pairs()) return;
  const Pair p = owned_pair(h, i);
  const float angle =
      static_cast<float>(h.positions[p.token]) * inv_freq[p.pair];  // rounded: wrong by up to angle · 2⁻²⁴
  float sine, cosine;
  sincosf(angle, &sine, &cosine);
  rotate_in_place(h.x, p, cosine, sine);
}
// [angles]

// [powf]
/// As rope_angles, but each thread also computes its frequency.
template <class T>
__global__ void rope_powf(Heads<T> h, float base) {
  const long long i = thread_number();
  if (i >= h.pairs()) return;
  const Pair p = owned_pair(h, i);
  const float exponent = static_cast<float>(-2 * p.pair) / static_cast<float>(h.rotary_dim);
  const float angle = static_cast<float>(h.positions[p.token]) * powf(base, exponent);
  float sine, cosine;
  sincosf(angle, &sine, &cosine);
  rotate_in_place(h.x, p, cosine, sine);
}
// [powf]

// [idle]
/// As rope_table, but one block per row, which is one head of one token. Grid: tokens · heads blocks, any
/// block size. When 128 channels turn, 64 of 256 threads find a pair; the others leave at once.
template <class T>
__global__ void rope_row_per_block(Heads<T> h, Table table) {
  const int pairs = h.rotary_dim / 2;
  for (int pair = static_cast<int>(threadIdx.x); pair < pairs; pair += static_cast<int>(blockDim.x))
    rotate_with_table(h, table, owned_pair(h, static_cast<long long>(blockIdx.x) * pairs + pair));
}
// [idle]

// [launch]
constexpr int kBlock = 256;

/// Launches `kernel` with one thread per pair. No pairs, no launch: CUDA refuses an empty grid.
template <class T, class... Parameters, class... Arguments>
void launch_per_pair(cudaStream_t stream, void (*kernel)(Heads<T>, Parameters...), const Heads<T>& h,
                     Arguments... arguments) {
  if (h.pairs() == 0) return;
  launch({.grid = grid_for(h.pairs(), kBlock), .block = dim3(kBlock), .stream = stream}, kernel, h,
         arguments...);
}
// [launch]

/// Launches rope_row_per_block() with one block per row.
template <class T>
void launch_per_row(cudaStream_t stream, const Heads<T>& h, const Table& table) {
  if (h.pairs() == 0) return;
  launch({.grid = grid_for(h.tokens * h.heads, 1), .block = dim3(kBlock), .stream = stream},
         rope_row_per_block<T>, h, table);
}

}  // namespace ropewalk::naive
