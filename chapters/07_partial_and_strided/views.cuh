/// \file
/// Tensors that lie anywhere: strides, what may be accessed how widely, and which overlaps are refused.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <type_traits>

#include "common/gpu/device.cuh"
#include "common/gpu/pack.cuh"
#include "common/rope/types.hpp"

namespace ropewalk::strided {

// [view]
/// A tensor [batch, tokens, heads, head_dim] anywhere in memory. Strides count elements; the channels of a
/// head lie side by side.
template <class T>
struct View {
  T* data;
  long long batch_stride, token_stride, head_stride;

  __host__ __device__ T* head(long long sequence, long long token, int h) const {
    return data + sequence * batch_stride + token * token_stride + h * head_stride;
  }
};

/// One call: channels rotary_offset … rotary_offset + rotary_dim − 1 of each head are turned on the way from
/// one view to the other, all others are copied. Both views of a tensor may be the same.
template <class From, class To>
struct Rotation {
  View<const From> q_from, k_from;
  View<To> q_to, k_to;
  const int* positions;  // [batch, tokens], contiguous
  long long batch, tokens;
  int q_heads, kv_heads, head_dim, rotary_dim, rotary_offset;
  bool adjacent;  // the style: pairs of neighbours, or of channels rotary_dim/2 apart

  __host__ __device__ int heads() const { return q_heads + kv_heads; }
  __host__ __device__ int pairs() const { return rotary_dim / 2; }
  __host__ __device__ int rest() const { return head_dim - rotary_dim; }

  /// First channel of head h, to be read and to be written. The heads of k follow those of q.
  __host__ __device__ const From* source(long long sequence, long long token, int h) const {
    return h < q_heads ? q_from.head(sequence, token, h) : k_from.head(sequence, token, h - q_heads);
  }
  __host__ __device__ To* target(long long sequence, long long token, int h) const {
    return h < q_heads ? q_to.head(sequence, token, h) : k_to.head(sequence, token, h - q_heads);
  }
};
// [view]

// [region]
/// The bytes of a view, for the question whether two of them meet. Dimensions: batch, token, head.
struct Region {
  std::uintptr_t address;
  std::array<long long, 3> counts, strides;  // strides in bytes; 0 where the count is 1, so nobody uses them
  long long head_bytes;

  bool is_empty() const { return counts[0] == 0 || counts[1] == 0 || counts[2] == 0; }
  /// Behind the last byte.
  std::uintptr_t end() const {
    std::uintptr_t last = address + static_cast<std::uintptr_t>(head_bytes);
    for (std::size_t i = 0; i < 3; ++i) last += static_cast<std::uintptr_t>((counts[i] - 1) * strides[i]);
    return last;
  }
  friend bool operator==(const Region&, const Region&) = default;
};

template <class T, class From, class To>
Region region_of(const View<T>& view, const Rotation<From, To>& a, int heads) {
  Region region{reinterpret_cast<std::uintptr_t>(view.data),
                {a.batch, a.tokens, heads},
                {view.batch_stride, view.token_stride, view.head_stride},
                a.head_dim * static_cast<long long>(sizeof(T))};
  for (std::size_t i = 0; i < 3; ++i)
    region.strides[i] = region.counts[i] == 1 ? 0 : region.strides[i] * static_cast<long long>(sizeof(T));
  return region;
}
// [region]

// [meet]
/// Steps d[i], between −(counts of b − 1) and counts of a − 1, that lead from a head of a to one of b which
/// shares a byte with it. `distance` is what the steps from dimension i on must still bridge. `moved`: some
/// step so far was not 0.
inline bool steps_exist(const Region& a, const Region& b, const std::array<std::size_t, 3>& order,
                        std::size_t i, long long distance, bool moved) {
  if (i == 3) return moved && distance < a.head_bytes && -distance < b.head_bytes;
  const std::size_t axis = order[i];
  const long long stride = std::max(a.strides[axis], b.strides[axis]);
  const long long least = 1 - b.counts[axis], most = a.counts[axis] - 1;
  if (stride == 0) return steps_exist(a, b, order, i + 1, distance, moved || least < most);
  long long up = a.head_bytes, down = b.head_bytes;  // the reach of what is left, and of the heads
  for (std::size_t j = i + 1; j < 3; ++j) {
    const long long inner = std::max(a.strides[order[j]], b.strides[order[j]]);
    up += (a.counts[order[j]] - 1) * inner;
    down += (b.counts[order[j]] - 1) * inner;
  }
  const long long first = std::max(least, (distance - up) / stride - 1);
  const long long last = std::min(most, (distance + down) / stride + 1);
  for (long long d = first; d <= last; ++d)
    if (steps_exist(a, b, order, i + 1, distance - d * stride, moved || d != 0)) return true;
  return false;
}

inline bool meet_exactly(const Region& a, const Region& b, bool moved) {
  std::array<std::size_t, 3> order = {0, 1, 2};  // the longest strides first
  std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
    return std::max(a.strides[i], b.strides[i]) > std::max(a.strides[j], b.strides[j]);
  });
  return steps_exist(a, b, order, 0, static_cast<long long>(b.address - a.address), moved);
}

/// Do two regions share a byte? Exact where both have the same strides, as two slices of one row have. Else
/// it is taken for an overlap if one begins before the other ends.
inline bool meet(const Region& a, const Region& b) {
  if (a.is_empty() || b.is_empty() || a.end() <= b.address || b.end() <= a.address) return false;
  for (std::size_t i = 0; i < 3; ++i)
    if (a.counts[i] > 1 && b.counts[i] > 1 && a.strides[i] != b.strides[i]) return true;
  return meet_exactly(a, b, true);
}

/// Do two different heads of a region share a byte?
inline bool meets_itself(const Region& a) {
  return !a.is_empty() && meet_exactly(a, a, false);
}
// [meet]

// [fault]
/// May a tensor's destination be its source? Same place, same strides, same type.
template <class From, class To>
bool is_in_place(const Rotation<From, To>& a) {
  return std::is_same_v<From, To> && region_of(a.q_from, a, a.q_heads) == region_of(a.q_to, a, a.q_heads) &&
         (a.kv_heads == 0 || region_of(a.k_from, a, a.kv_heads) == region_of(a.k_to, a, a.kv_heads));
}

/// What is wrong with a call, as "field: what is wrong; allowed: …", or empty.
template <class From, class To>
std::string fault_of(const Rotation<From, To>& a) {
  if (const std::string fault = ropewalk::fault_of(Shape{.batch = a.batch,
                                                         .tokens = a.tokens,
                                                         .q_heads = a.q_heads,
                                                         .kv_heads = a.kv_heads,
                                                         .head_dim = a.head_dim,
                                                         .rotary_dim = a.rotary_dim,
                                                         .rotary_offset = a.rotary_offset});
      !fault.empty())
    return fault;
  const struct {
    const char* name;
    Region from, to;
  } tensors[] = {{"q", region_of(a.q_from, a, a.q_heads), region_of(a.q_to, a, a.q_heads)},
                 {"k", region_of(a.k_from, a, a.kv_heads), region_of(a.k_to, a, a.kv_heads)}};
  for (const auto& tensor : tensors) {
    const std::string name = tensor.name;
    for (std::size_t i = 0; i < 3; ++i)
      if (tensor.from.strides[i] < 0 || tensor.to.strides[i] < 0)
        return name + ": a stride is negative; allowed: 0 and up";
    if (meets_itself(tensor.to)) return name + ": heads of the destination overlap; allowed: heads apart";
    if (!(std::is_same_v<From, To> && tensor.from == tensor.to) && meet(tensor.from, tensor.to))
      return name + ": source and destination overlap; allowed: the same memory, or none in common";
  }
  if (meet(tensors[0].to, tensors[1].to) || meet(tensors[0].to, tensors[1].from) ||
      meet(tensors[0].from, tensors[1].to))
    return "q and k: what one writes overlaps the other; allowed: no memory in common";
  return {};
}
// [fault]

// [fits]
/// The channels that one access may move: as many as `bytes` hold, or fewer, down to 1. All that a pack may
/// meet must be a multiple of it: addresses, strides, where the window begins, and the half of its length.
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
  for (int n = bytes / static_cast<int>(std::max(sizeof(From), sizeof(To))); n > 1; n /= 2)
    if ((a.pairs() | a.rotary_offset | rest) % n == 0 && fits(a.q_from, a.q_heads, n) &&
        fits(a.q_to, a.q_heads, n) && fits(a.k_from, a.kv_heads, n) && fits(a.k_to, a.kv_heads, n) &&
        holds_runs(table.cosines, n) && holds_runs(table.sines, n))
      return n;
  return 1;
}
// [fits]

}  // namespace ropewalk::strided
