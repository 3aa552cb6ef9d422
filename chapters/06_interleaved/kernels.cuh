/// \file
/// Chapter 06: pairs of neighbouring channels, moved by ever wider accesses.
#pragma once

#include <cuda_runtime.h>

#include "common/gpu/device.cuh"
#include "common/gpu/launch.hpp"
#include "common/gpu/pack.cuh"
#include "common/gpu/tensors.cuh"

namespace ropewalk::interleaved {

// [stride_2]
/// One block: one token, as in chapter 04. threadIdx.x owns a pair and keeps its two numbers, threadIdx.y and
/// its step own heads. Reads and writes each rotary channel once, one at a time. Adjacent pairs: lanes lie
/// two elements apart. Any alignment.
template <class T, bool kAdjacent>
__global__ void rope_channels(Tensors<T> a, Table table) {
  const long long token = blockIdx.x;
  const int position = a.positions[token];
  const int first_pair = static_cast<int>(threadIdx.x), pair_step = static_cast<int>(blockDim.x);
  const int first_head = static_cast<int>(threadIdx.y), head_step = static_cast<int>(blockDim.y);
  for (int p = first_pair; p < a.pairs(); p += pair_step) {
    const long long entry = table.entry(position, p, a.pairs());
    const float cosine = table.cosine(entry), sine = table.sine(entry);
    const int first = kAdjacent ? 2 * p : p, second = kAdjacent ? first + 1 : first + a.pairs();
    for (int h = first_head; h < a.heads(); h += head_step) {
      T* x = a.head(token, h);
      const float2 y = rotate_pair(to_float(x[first]), to_float(x[second]), cosine, sine);
      x[first] = from_float<T>(y.x);
      x[second] = from_float<T>(y.y);
    }
  }
}
// [stride_2]

// [packed]
/// Turns the pairs that one pack holds; cosines and sines are theirs.
template <class T, int N>
__device__ void rotate_pack(T* x, const float* cosines, const float* sines) {
  Pack<T, N> pack = load_pack<N>(x);
  for (int i = 0; i < N / 2; ++i) {
    const float2 y =
        rotate_pair(to_float(pack.values[2 * i]), to_float(pack.values[2 * i + 1]), cosines[i], sines[i]);
    pack.values[2 * i] = from_float<T>(y.x);
    pack.values[2 * i + 1] = from_float<T>(y.y);
  }
  store_pack(x, pack);
}

/// Elements in one access to kPairs pairs: all, or as many as 16 bytes hold.
template <class T, int kPairs>
inline constexpr int kPackSize = 2 * kPairs * sizeof(T) < 16 ? 2 * kPairs : 16 / sizeof(T);

/// As rope_channels, but a thread owns kPairs neighbouring pairs and moves them together. Reads the table in
/// packs of kPairs. Alignment: see pairs_that_fit().
template <class T, int kPairs>
__global__ void rope_packed(Tensors<T> a, Table table) {
  constexpr int kSize = kPackSize<T, kPairs>;
  const long long token = blockIdx.x;
  const int position = a.positions[token];
  const int first_pair = static_cast<int>(threadIdx.x) * kPairs;
  const int pair_step = static_cast<int>(blockDim.x) * kPairs;
  const int first_head = static_cast<int>(threadIdx.y), head_step = static_cast<int>(blockDim.y);
  for (int p = first_pair; p < a.pairs(); p += pair_step) {
    const long long entry = table.entry(position, p, a.pairs());
    const Pack<float, kPairs> cosines = read_row<kPairs>(table.cosines, entry);
    const Pack<float, kPairs> sines = read_row<kPairs>(table.sines, entry);
    for (int h = first_head; h < a.heads(); h += head_step) {
      T* x = a.head(token, h) + 2 * p;
      for (int i = 0; i < 2 * kPairs; i += kSize)
        rotate_pack<T, kSize>(x + i, cosines.values + i / 2, sines.values + i / 2);
    }
  }
}
// [packed]

// [fits]
/// How many pairs a thread may move together: `wanted` (4, 2 or 1) or the next smaller number that fits, or
/// 0 if not even the two channels of a pair lie at a multiple of their size. All rows of the table and all
/// heads must begin where a pack may begin, and no pack may reach beyond the last pair.
template <class T>
int pairs_that_fit(const Tensors<T>& a, const Table& table, int wanted) {
  const unsigned long long head_bytes = static_cast<unsigned long long>(a.head_dim) * sizeof(T);
  const unsigned long long row_bytes = static_cast<unsigned long long>(a.pairs()) * sizeof(float);
  for (int n = wanted; n >= 1; n /= 2) {
    const unsigned long long entry_bytes = static_cast<unsigned long long>(n) * sizeof(float);
    const unsigned long long pack_bytes = static_cast<unsigned long long>(2 * n) * sizeof(T);
    const unsigned long long bytes = pack_bytes < 16 ? pack_bytes : 16;
    if (is_aligned(a.q, head_bytes, bytes) && is_aligned(a.k, head_bytes, bytes) &&
        is_aligned(table.cosines, row_bytes, entry_bytes) && is_aligned(table.sines, row_bytes, entry_bytes))
      return n;
  }
  return 0;
}
// [fits]

// [launch]
/// Launches a kernel whose threads own that many pairs each.
template <class T>
void launch_per_token(cudaStream_t stream, void (*kernel)(Tensors<T>, Table), const Tensors<T>& a,
                      const Table& table, int pairs_per_thread) {
  if (a.tokens == 0) return;
  launch({.grid = grid_for(a.tokens, 1),
          .block = block_for(a.pairs() / pairs_per_thread, a.heads()),
          .stream = stream},
         kernel, a, table);
}

/// Rotates adjacent pairs with accesses of up to `wanted` pairs (4, 2, 1; 0: one channel at a time).
template <class T>
void launch_interleaved(cudaStream_t stream, const Tensors<T>& a, const Table& table, int wanted) {
  switch (pairs_that_fit(a, table, wanted)) {
    case 4:
      return launch_per_token(stream, rope_packed<T, 4>, a, table, 4);
    case 2:
      return launch_per_token(stream, rope_packed<T, 2>, a, table, 2);
    case 1:
      return launch_per_token(stream, rope_packed<T, 1>, a, table, 1);
    default:
      return launch_per_token(stream, rope_channels<T, true>, a, table, 1);
  }
}
// [launch]

}  // namespace ropewalk::interleaved
