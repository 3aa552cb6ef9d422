/// \file
/// On the host, before a launch: which memory a call reads and writes, and which overlaps are refused.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <type_traits>

#include "chapters/07_partial_and_strided/views.cuh"
#include "common/rope/types.hpp"

namespace ropewalk::strided {

// [region]
/// The bytes of a view, for the question whether two of them meet. Dimensions: batch, token, head. Strides
/// count bytes here, not elements as those of a View: two views may have elements of different sizes.
struct Region {
  std::uintptr_t address;
  std::array<long long, 3> counts, strides;  // a stride nobody uses is 0, as where the count is 1
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
    region.strides[i] = region.counts[i] == 1 || region.is_empty()
                            ? 0
                            : region.strides[i] * static_cast<long long>(sizeof(T));
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

/// What is wrong with the strides of a view, or empty. Asked before region_of(): after it no product and no
/// sum of a region wraps.
template <class T, class From, class To>
std::string fault_of_strides(const View<T>& view, const Rotation<From, To>& a, int heads) {
  if (a.batch == 0 || a.tokens == 0 || heads == 0) return {};
  const long long counts[] = {a.batch, a.tokens, heads};
  const long long strides[] = {view.batch_stride, view.token_stride, view.head_stride};
  const auto address = reinterpret_cast<std::uintptr_t>(view.data);
  long long end = 0;
  bool wraps = __builtin_add_overflow(address, a.head_dim * static_cast<long long>(sizeof(T)), &end);
  for (std::size_t i = 0; i < 3; ++i) {
    if (counts[i] == 1) continue;
    if (strides[i] < 0) return "a stride is negative; allowed: 0 and up";
    long long steps = 0;
    wraps = wraps || __builtin_mul_overflow(strides[i], sizeof(T), &steps) ||
            __builtin_mul_overflow(steps, counts[i] - 1, &steps) || __builtin_add_overflow(end, steps, &end);
  }
  return wraps ? "a stride leads too far; allowed: tensors that end at 2^63 - 1 or before" : std::string();
}

/// What is wrong with a call, as "field: what is wrong; allowed: …", or empty. That positions and the table
/// lie apart from what is written is the caller's duty: they are not compared with it.
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
  constexpr int kMostHeads = 1 << 30;  // so that a thread's step behind the last one is an int, too
  if (a.q_heads > kMostHeads - a.kv_heads)
    return "kv_heads: " + std::to_string(a.kv_heads) + " and " + std::to_string(a.q_heads) +
           " q heads are too many; allowed: 2^30 together";
  if (a.batch == 0 || a.tokens == 0) return {};
  for (const std::string& fault :
       {fault_of_strides(a.q_from, a, a.q_heads), fault_of_strides(a.q_to, a, a.q_heads)})
    if (!fault.empty()) return "q: " + fault;
  for (const std::string& fault :
       {fault_of_strides(a.k_from, a, a.kv_heads), fault_of_strides(a.k_to, a, a.kv_heads)})
    if (!fault.empty()) return "k: " + fault;
  const struct {
    const char* name;
    Region from, to;
  } tensors[] = {{"q", region_of(a.q_from, a, a.q_heads), region_of(a.q_to, a, a.q_heads)},
                 {"k", region_of(a.k_from, a, a.kv_heads), region_of(a.k_to, a, a.kv_heads)}};
  for (const auto& tensor : tensors) {
    const std::string name = tensor.name;
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

}  // namespace ropewalk::strided
