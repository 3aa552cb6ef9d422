/// \file
/// Chapter 04: one block per token. Its heads share one row of cosines and sines, which lies in shared
/// memory. Beside it what one might do instead: a row per head, no shared memory at all, several tokens per
/// block.
#pragma once

#include <cuda_runtime.h>

#include "common/gpu/device.cuh"
#include "common/gpu/dynamic_shared.cuh"
#include "common/gpu/launch.hpp"
#include "common/gpu/tensors.cuh"

namespace ropewalk::shared_memory {

// [rotate]
/// Turns pair p of the head that begins at x. No other thread touches these two channels.
template <class T>
__device__ void rotate_in_place(T* x, int p, int pairs, float cosine, float sine) {
  const float2 y = rotate_pair(to_float(x[p]), to_float(x[p + pairs]), cosine, sine);
  x[p] = from_float<T>(y.x);
  x[p + pairs] = from_float<T>(y.y);
}
// [rotate]

// [sources]
/// Where cosines and sines come from: the table.
struct FromTable {
  Table table;

  __device__ float cosine(int position, int pair, int pairs) const {
    return table.cosine(table.entry(position, pair, pairs));
  }
  __device__ float sine(int position, int pair, int pairs) const {
    return table.sine(table.entry(position, pair, pairs));
  }
};

/// Or they are computed, as in chapter 03's powf. No table.
struct FromPowf {
  float base;

  __device__ float angle(int position, int pair, int pairs) const {
    const float exponent = static_cast<float>(-2 * pair) / static_cast<float>(2 * pairs);
    return static_cast<float>(position) * powf(base, exponent);
  }
  __device__ float cosine(int position, int pair, int pairs) const {
    return cosf(angle(position, pair, pairs));
  }
  __device__ float sine(int position, int pair, int pairs) const {
    return sinf(angle(position, pair, pairs));
  }
};
// [sources]

// [stage]
/// Fills shared memory for `tokens` tokens, [tokens, 2 · pairs] floats: the cosines of a position, then its
/// sines. The threads of the block share the work evenly, so a number is seldom written by the thread that
/// will read it: a barrier must follow.
template <class Source>
__device__ void stage(float* staged, int tokens, int pairs, const Source& source, const int* positions) {
  const int thread = static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x);
  const int threads = static_cast<int>(blockDim.x * blockDim.y);
  for (int i = thread; i < tokens * 2 * pairs; i += threads) {
    const int t = i / (2 * pairs), j = i % (2 * pairs);
    staged[i] =
        j < pairs ? source.cosine(positions[t], j, pairs) : source.sine(positions[t], j - pairs, pairs);
  }
}
// [stage]

// [token_staged]
/// One block: tokens_per_block tokens with all their heads; the last block may have fewer. Block: see
/// block_for(). Shared memory: tokens_per_block · rotary_dim floats. A thread owns one pair in every
/// blockDim.y-th head. Reads and writes each rotary channel once, asks the source once for each cosine and
/// sine of a token. Any alignment.
template <class T, class Source>
__global__ void rope_token_staged(Tensors<T> a, Source source, int tokens_per_block) {
  const int pairs = a.pairs();
  const long long first = static_cast<long long>(blockIdx.x) * tokens_per_block;
  const long long left = a.tokens - first;
  const int tokens = left < tokens_per_block ? static_cast<int>(left) : tokens_per_block;

  float* staged = dynamic_shared<float>();
  stage(staged, tokens, pairs, source, a.positions + first);
  __syncthreads();  // nobody may read before all of it is there

  const int first_pair = static_cast<int>(threadIdx.x), pair_step = static_cast<int>(blockDim.x);
  const int first_head = static_cast<int>(threadIdx.y), head_step = static_cast<int>(blockDim.y);
  for (int t = 0; t < tokens; ++t) {
    const float* cosines = staged + t * 2 * pairs;
    const float* sines = cosines + pairs;
    for (int p = first_pair; p < pairs; p += pair_step) {
      const float cosine = cosines[p], sine = sines[p];
      for (int h = first_head; h < a.heads(); h += head_step)
        rotate_in_place(a.head(first + t, h), p, pairs, cosine, sine);
    }
  }
}
// [token_staged]

// [token_direct]
/// One block: one token. No shared memory and no barrier: a thread asks the source for its two numbers again
/// for each head. Block and pairs as in rope_token_staged(). Reads and writes each rotary channel once, asks
/// for each cosine and sine once per head. Any alignment.
template <class T, class Source>
__global__ void rope_token_direct(Tensors<T> a, Source source) {
  const int pairs = a.pairs();
  const long long token = blockIdx.x;
  const int first_pair = static_cast<int>(threadIdx.x), pair_step = static_cast<int>(blockDim.x);
  const int first_head = static_cast<int>(threadIdx.y), head_step = static_cast<int>(blockDim.y);
  for (int p = first_pair; p < pairs; p += pair_step)
    for (int h = first_head; h < a.heads(); h += head_step) {
      const int position = a.positions[token];
      const float cosine = source.cosine(position, p, pairs), sine = source.sine(position, p, pairs);
      rotate_in_place(a.head(token, h), p, pairs, cosine, sine);
    }
}
// [token_direct]

// [token_registers]
/// One block: one token. No shared memory and no barrier: a thread asks for its two numbers once, before its
/// first head, and keeps them. Block and pairs as in rope_token_staged(). Reads and writes each rotary
/// channel once, asks for each cosine and sine blockDim.y times per token. Any alignment.
template <class T, class Source>
__global__ void rope_token_registers(Tensors<T> a, Source source) {
  const int pairs = a.pairs();
  const long long token = blockIdx.x;
  const int first_pair = static_cast<int>(threadIdx.x), pair_step = static_cast<int>(blockDim.x);
  const int first_head = static_cast<int>(threadIdx.y), head_step = static_cast<int>(blockDim.y);
  const int position = a.positions[token];
  for (int p = first_pair; p < pairs; p += pair_step) {
    const float cosine = source.cosine(position, p, pairs), sine = source.sine(position, p, pairs);
    for (int h = first_head; h < a.heads(); h += head_step)
      rotate_in_place(a.head(token, h), p, pairs, cosine, sine);
  }
}
// [token_registers]

// [head_direct]
/// One block: blockDim.y heads, whatever their tokens, a pair per thread. Grid: enough of them for all heads
/// of all tokens. Reads and writes each rotary channel once, reads a table row per head. Any alignment.
template <class T>
__global__ void rope_head_direct(Tensors<T> a, Table table) {
  const int pairs = a.pairs();
  const int first_pair = static_cast<int>(threadIdx.x), pair_step = static_cast<int>(blockDim.x);
  const long long n = static_cast<long long>(blockIdx.x) * blockDim.y + threadIdx.y;  // token · heads + head
  if (n >= a.tokens * a.heads()) return;
  const long long token = n / a.heads();
  T* x = a.head(token, static_cast<int>(n - token * a.heads()));
  for (int p = first_pair; p < pairs; p += pair_step) {
    const long long entry = table.entry(a.positions[token], p, pairs);
    rotate_in_place(x, p, pairs, table.cosine(entry), table.sine(entry));
  }
}
// [head_direct]

// [head_staged]
/// The same with cosines and sines in shared memory for each head: [blockDim.y, 2 · pairs] floats. Each
/// number is written once and read once.
template <class T>
__global__ void rope_head_staged(Tensors<T> a, Table table) {
  const int pairs = a.pairs();
  const int first_pair = static_cast<int>(threadIdx.x), pair_step = static_cast<int>(blockDim.x);
  const long long n = static_cast<long long>(blockIdx.x) * blockDim.y + threadIdx.y;
  const long long token = n / a.heads();
  const int head = static_cast<int>(n - token * a.heads());
  const bool active = n < a.tokens * a.heads();
  float* cosines = dynamic_shared<float>() + threadIdx.y * 2 * static_cast<unsigned>(pairs);
  float* sines = cosines + pairs;
  if (active)
    for (int p = first_pair; p < pairs; p += pair_step) {
      const long long entry = table.entry(a.positions[token], p, pairs);
      cosines[p] = table.cosine(entry);
      sines[p] = table.sine(entry);
    }
  __syncthreads();
  if (!active) return;  // only now: every thread of a block must reach the barrier
  T* x = a.head(token, head);
  for (int p = first_pair; p < pairs; p += pair_step) rotate_in_place(x, p, pairs, cosines[p], sines[p]);
}
// [head_staged]

// [launch]
constexpr int kThreads = 256;                     // of a block, at most
constexpr int kMostSharedFloats = 48 * 1024 / 4;  // what a block may have without asking for more

/// threadIdx.x counts pairs, threadIdx.y heads: 64 pairs give 64 × 4 threads, 20 pairs 20 × 12.
inline dim3 block_for(int pairs) {
  const int x = pairs < kThreads ? pairs : kThreads;
  return dim3(static_cast<unsigned>(x), static_cast<unsigned>(kThreads / x));
}

/// Launches rope_token_staged(). Fewer tokens share a block where their rows would not fit into its shared
/// memory. One row must fit: rotary_dim ≤ kMostSharedFloats.
template <class T, class Source>
void launch_token_staged(cudaStream_t stream, const Tensors<T>& a, const Source& source,
                         int tokens_per_block) {
  if (a.tokens == 0) return;
  const int fit = kMostSharedFloats / a.rotary_dim;
  const int tokens = tokens_per_block < fit ? tokens_per_block : fit;
  launch({.grid = grid_for(a.tokens, tokens),
          .block = block_for(a.pairs()),
          .shared_bytes =
              sizeof(float) * static_cast<std::size_t>(tokens) * static_cast<std::size_t>(a.rotary_dim),
          .stream = stream},
         rope_token_staged<T, Source>, a, source, tokens);
}
// [launch]

/// Launches rope_token_direct() or rope_token_registers().
template <class T, class Source>
void launch_per_token(cudaStream_t stream, void (*kernel)(Tensors<T>, Source), const Tensors<T>& a,
                      const Source& source) {
  if (a.tokens == 0) return;
  launch({.grid = grid_for(a.tokens, 1), .block = block_for(a.pairs()), .stream = stream}, kernel, a, source);
}

/// Launches rope_head_direct() or rope_head_staged(), which needs rotary_dim floats of shared memory per
/// head.
template <class T>
void launch_per_head(cudaStream_t stream, void (*kernel)(Tensors<T>, Table), const Tensors<T>& a,
                     const Table& table, int shared_floats_per_head) {
  if (a.tokens == 0) return;
  const dim3 block = block_for(a.pairs());
  launch({.grid = grid_for(a.tokens * a.heads(), static_cast<int>(block.y)),
          .block = block,
          .shared_bytes = sizeof(float) * block.y * static_cast<std::size_t>(shared_floats_per_head),
          .stream = stream},
         kernel, a, table);
}

}  // namespace ropewalk::shared_memory
