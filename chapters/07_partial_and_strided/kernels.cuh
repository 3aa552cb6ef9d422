/// \file
/// Chapter 07: turns a window of each head, whatever the style, the strides and the types.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <type_traits>

#include "chapters/07_partial_and_strided/overlap.hpp"
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
/// both styles. Only single channels (N = 1) in the interleaved style do not: there an item is one pair.
/// Copying: the same with what is left when the window is cut out. The last item may find no second pack;
/// then it copies its first one twice.
template <int N, class From, class To>
__device__ Packs packs_of(const Rotation<From, To>& a, int item) {
  const int turning = a.pairs() / N;
  if (item < turning) {
    if (N == 1 && a.interleaved) return {a.rotary_offset + 2 * item, a.rotary_offset + 2 * item + 1};
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
struct PackAngles {
  float cosines[N], sines[N];
};

/// The table's entries for the N pairs of an item. Half style: entries p … p + N − 1, read as two runs of
/// N/2. Interleaved: N/2 entries for the pairs of the first pack, and those of the second, pairs/2 further
/// on. Two runs in both, so that both styles share the loads. (A single pair, N = 1, is one run.)
template <int N, class From, class To>
__device__ PackAngles<N> angles_of(const Rotation<From, To>& a, const Table& table, int position, int item) {
  constexpr int kRun = N > 1 ? N / 2 : 1;
  const bool pairs_in_packs = N > 1 && a.interleaved;  // both channels of a pair lie in one pack
  const int p = pairs_in_packs ? kRun * item : N * item;
  const int next = pairs_in_packs ? p + a.pairs() / 2 : p + kRun;
  PackAngles<N> angles;
  const auto read_run = [&](int pair, int to) {
    const long long entry = table.entry(position, pair, a.pairs());
    const Pack<float, kRun> cosines = read_row<kRun>(table.cosines, entry);
    const Pack<float, kRun> sines = read_row<kRun>(table.sines, entry);
    for (int i = 0; i < kRun; ++i) {
      angles.cosines[to + i] = cosines.values[i];
      angles.sines[to + i] = sines.values[i];
    }
  };
  read_run(p, 0);
  if constexpr (N > 1) read_run(next, kRun);
  return angles;
}
// [angles]

// [rotate]
/// Turns N pairs. The two channels of a pair lie in different packs, or side by side in one. Which pack an
/// element comes from is the only thing in which the styles differ.
template <int N>
__device__ void rotate(float (&first)[N], float (&second)[N], const PackAngles<N>& angles, bool interleaved) {
  if constexpr (N > 1) {
    if (interleaved) {
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
      PackAngles<N> angles = {};
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
          rotate(u, v, angles, a.interleaved);
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

// [fits]
/// The channels that one access may move: 8, 4, 2 or 1. The most that `bytes` and 16 bytes hold (but at least
/// one), and that divide all that a pack may meet: addresses, strides, where the window begins, and the half
/// of its length.
template <class From, class To>
int channels_that_fit(const Rotation<From, To>& a, const Table& table, int bytes) {
  const auto fits = [&](const auto& view, int heads, int n) {
    const Region region = region_of(view, a, heads);
    const long long steps = region.strides[0] | region.strides[1] | region.strides[2];
    return heads == 0 || is_aligned(view.data, static_cast<unsigned long long>(steps),
                                    static_cast<unsigned long long>(n) * sizeof(*view.data));
  };
  const auto holds_runs = [](const float* row, int n) {  // of n/2 numbers
    return is_aligned(row, 0, static_cast<unsigned long long>(n) / 2 * sizeof(float));
  };
  const int rest = is_in_place(a) ? 0 : a.rest();
  constexpr int kElementBytes = static_cast<int>(std::max(sizeof(From), sizeof(To)));
  for (int n = 16 / kElementBytes; n > 1; n /= 2)
    if (n * kElementBytes <= bytes && (a.pairs() | a.rotary_offset | rest) % n == 0 &&
        fits(a.q_from, a.q_heads, n) && fits(a.q_to, a.q_heads, n) && fits(a.k_from, a.kv_heads, n) &&
        fits(a.k_to, a.kv_heads, n) && holds_runs(table.cosines, n) && holds_runs(table.sines, n))
      return n;
  return 1;
}
// [fits]

// [launch]
constexpr long long kMostRows = 65535;  // of a grid, on its y axis

template <int N, class From, class To>
void launch_packs(cudaStream_t stream, const Rotation<From, To>& a, const Table& table) {
  constexpr std::size_t kBytes = N * std::max(sizeof(From), sizeof(To));
  if constexpr (kBytes <= 16) {
    const int rest = is_in_place(a) ? 0 : a.rest();
    const int items = a.pairs() / N + (rest / N + 1) / 2;
    dim3 grid = grid_for(a.tokens, 1);
    grid.y = static_cast<unsigned>(a.batch < kMostRows ? a.batch : kMostRows);
    launch({.grid = grid, .block = block_for(items, a.heads()), .stream = stream}, rope_window<From, To, N>,
           a, table, items);
  } else {
    refuse("pack: " + std::to_string(kBytes) + " bytes; allowed: up to 16");
  }
}

/// Turns a window of each head with accesses of up to `bytes`, see channels_that_fit(). Ends with InputError
/// if fault_of() finds one; nothing is written then.
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
