/// \file
/// Chapter 07: turns a window of each head, whatever the style, the strides and the types.
#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <string>
#include <type_traits>

#include "chapters/07_partial_and_strided/views.cuh"
#include "common/gpu/device.cuh"
#include "common/gpu/launch.hpp"
#include "common/gpu/pack.cuh"

namespace ropewalk::strided {

// [item]
/// Where the two packs of a work item begin, counted in channels of the head.
struct Packs {
  int first, second;
};

/// Items 0 … pairs/N − 1 turn 2N channels each, the ones behind them copy 2N.
/// Turning: N channels of the first half of the window and the N that lie half a window further on. That fits
/// both styles. Only single channels (N = 1) of neighbouring pairs do not: there an item is one pair.
/// Copying: the same with what is left when the window is cut out. The last item may find no second pack;
/// then it copies its first one twice.
template <int N, class From, class To>
__device__ Packs packs_of(const Rotation<From, To>& a, int item) {
  const int turning = a.pairs() / N;
  if (item < turning) {
    if (N == 1 && a.adjacent) return {a.rotary_offset + 2 * item, a.rotary_offset + 2 * item + 1};
    return {a.rotary_offset + N * item, a.rotary_offset + N * item + a.pairs()};
  }
  const int half = (a.rest() / N + 1) / 2 * N;
  const int first = N * (item - turning);
  const int second = first + half < a.rest() ? first + half : first;
  return {first < a.rotary_offset ? first : first + a.rotary_dim,
          second < a.rotary_offset ? second : second + a.rotary_dim};
}
// [item]

// [angles]
/// Cosines and sines for the N pairs of an item.
template <int N>
struct Angles {
  float cosines[N], sines[N];
};

/// Entries entry … entry + N − 1 of the table's cosines or sines into `to`; NaN outside the table.
template <int N>
__device__ void read_entries(const float* row, long long entry, float* to) {
  Pack<float, N> pack;
  for (float& value : pack.values) value = NAN;
  if (entry >= 0) pack = load_pack<N>(row + entry);
  for (int i = 0; i < N; ++i) to[i] = pack.values[i];
}

/// The item's first pack has pairs from p on, and so has its second if a pair has a channel in each of them.
/// In two packs of neighbouring pairs are two runs of N/2.
template <int N, class From, class To>
__device__ Angles<N> angles_of(const Rotation<From, To>& a, const Table& table, int position, int item) {
  constexpr int kRun = N > 1 ? N / 2 : 1;
  const bool neighbours = N > 1 && a.adjacent;
  const int p = neighbours ? kRun * item : N * item;
  const int next = neighbours ? p + a.pairs() / 2 : p + kRun;
  Angles<N> angles;
  const long long first = table.entry(position, p, a.pairs());
  read_entries<kRun>(table.cosines, first, angles.cosines);
  read_entries<kRun>(table.sines, first, angles.sines);
  if (N > 1) {
    const long long second = table.entry(position, next, a.pairs());
    read_entries<kRun>(table.cosines, second, angles.cosines + N / 2);
    read_entries<kRun>(table.sines, second, angles.sines + N / 2);
  }
  return angles;
}
// [angles]

// [rotate]
/// Turns N pairs. The two channels of a pair lie in different packs, or side by side in one. Which pack an
/// element comes from is the only thing in which the styles differ.
template <int N>
__device__ void rotate(float (&first)[N], float (&second)[N], const Angles<N>& angles, bool adjacent) {
  if constexpr (N > 1) {
    if (adjacent) {
      for (int i = 0; i < N / 2; ++i) {
        const float2 x = rotate_pair(first[2 * i], first[2 * i + 1], angles.cosines[i], angles.sines[i]);
        const float2 y =
            rotate_pair(second[2 * i], second[2 * i + 1], angles.cosines[N / 2 + i], angles.sines[N / 2 + i]);
        first[2 * i] = x.x, first[2 * i + 1] = x.y;
        second[2 * i] = y.x, second[2 * i + 1] = y.y;
      }
      return;
    }
  }
  for (int i = 0; i < N; ++i) {
    const float2 x = rotate_pair(first[i], second[i], angles.cosines[i], angles.sines[i]);
    first[i] = x.x, second[i] = x.y;
  }
}

template <int N, class T>
__device__ void to_floats(const Pack<T, N>& pack, float (&values)[N]) {
  for (int i = 0; i < N; ++i) values[i] = to_float(pack.values[i]);
}
template <class T, int N>
__device__ Pack<T, N> rounded(const float (&values)[N]) {
  Pack<T, N> pack;
  for (int i = 0; i < N; ++i) pack.values[i] = from_float<T>(values[i]);
  return pack;
}

/// Not a bit may change unless the type does. The way through float would change the bits of some NaNs.
template <class To, class From, int N>
__device__ Pack<To, N> copied(const Pack<From, N>& pack) {
  if constexpr (std::is_same_v<From, To>) {
    return pack;
  } else {
    float values[N];
    to_floats(pack, values);
    return rounded<To>(values);
  }
}
// [rotate]

// [kernel]
constexpr int kThreads = 256;  // of a block, at most

/// One block: one token (blockIdx.x), of sequence blockIdx.y and every gridDim.y-th after it. threadIdx.x and
/// its step own work items, see packs_of(); threadIdx.y and its step own heads. `items` is pairs/N to turn in
/// place, or those and the ones that copy. Reads and writes each channel of an item once (a pack that is
/// alone twice), N channels an access: see channels_that_fit(). Reads the position and the item's row. At
/// most 64 registers a thread, so that 4 blocks of kThreads fit on a multiprocessor.
template <class From, class To, int N>
__global__ void __launch_bounds__(kThreads, 4) rope_window(Rotation<From, To> a, Table table, int items) {
  const long long token = blockIdx.x;
  const int first_item = static_cast<int>(threadIdx.x), item_step = static_cast<int>(blockDim.x);
  const int first_head = static_cast<int>(threadIdx.y), head_step = static_cast<int>(blockDim.y);
  for (long long sequence = blockIdx.y; sequence < a.batch; sequence += gridDim.y) {
    const int position = a.positions[sequence * a.tokens + token];
    for (int item = first_item; item < items; item += item_step) {
      const Packs at = packs_of<N>(a, item);
      const bool turns = item < a.pairs() / N;
      Angles<N> angles = {};
      if (turns) angles = angles_of<N>(a, table, position, item);
      for (int h = first_head; h < a.heads(); h += head_step) {
        const From* x = a.source(sequence, token, h);
        To* y = a.target(sequence, token, h);
        // Both are read before either is written: y may be x.
        const Pack<From, N> first = load_pack<N>(x + at.first), second = load_pack<N>(x + at.second);
        Pack<To, N> new_first = copied<To>(first), new_second = copied<To>(second);
        if (turns) {
          float u[N], v[N];
          to_floats(first, u);
          to_floats(second, v);
          rotate(u, v, angles, a.adjacent);
          new_first = rounded<To>(u);
          new_second = rounded<To>(v);
        }
        store_pack(y + at.first, new_first);
        store_pack(y + at.second, new_second);
      }
    }
  }
}
// [kernel]

// [launch]
constexpr long long kMostRows = 65535;  // of a grid, on its y axis

/// As in chapter 06: a row of threads for each head, then as few rows as take no more turns.
inline dim3 block_for(int threads_per_head, int heads) {
  const int x = threads_per_head < kThreads ? threads_per_head : kThreads;
  const int most_rows = kThreads / x;
  const int turns = (heads + most_rows - 1) / most_rows;
  return dim3(static_cast<unsigned>(x), static_cast<unsigned>((heads + turns - 1) / turns));
}

template <int N, class From, class To>
void launch_packs(cudaStream_t stream, const Rotation<From, To>& a, const Table& table) {
  if constexpr (N * sizeof(From) <= 16) {
    const int rest = is_in_place(a) ? 0 : a.rest();
    const int items = a.pairs() / N + (rest / N + 1) / 2;
    dim3 grid = grid_for(a.tokens, 1);
    grid.y = static_cast<unsigned>(a.batch < kMostRows ? a.batch : kMostRows);
    launch({.grid = grid, .block = block_for(items, a.heads()), .stream = stream}, rope_window<From, To, N>,
           a, table, items);
  }
}

/// Turns a window of each head with accesses of up to `bytes` (16, 8, 4, 2). Ends with InputError if
/// fault_of() finds one; nothing is written then.
template <class From, class To>
void launch_window(cudaStream_t stream, const Rotation<From, To>& a, const Table& table, int bytes = 16) {
  if (const std::string fault = fault_of(a); !fault.empty()) refuse(fault);
  if (a.batch == 0 || a.tokens == 0) return;
  switch (channels_that_fit(a, table, bytes)) {
    case 8:
      return launch_packs<8>(stream, a, table);
    case 4:
      return launch_packs<4>(stream, a, table);
    case 2:
      return launch_packs<2>(stream, a, table);
    default:
      return launch_packs<1>(stream, a, table);
  }
}
// [launch]

}  // namespace ropewalk::strided
