/// \file
/// Several neighbouring elements with one memory access.
#pragma once

#include <cuda_runtime.h>

#include <cmath>

namespace ropewalk {

// [pack]
/// N neighbouring elements that move together: 2, 4, 8 or 16 bytes, at an address that is a multiple of
/// their size. On a GPU a misaligned one ends the program.
template <class T, int N>
struct alignas(N * sizeof(T)) Pack {
  static_assert(N * sizeof(T) <= 16, "a pack of this book has at most 16 bytes: every GPU moves them");
  static_assert((N & (N - 1)) == 0, "the number of elements is a power of two");
  T values[N];
};

template <int N, class T>
__device__ Pack<T, N> load_pack(const T* from) {
  return *reinterpret_cast<const Pack<T, N>*>(from);
}
template <class T, int N>
__device__ void store_pack(T* to, const Pack<T, N>& pack) {
  *reinterpret_cast<Pack<T, N>*>(to) = pack;
}

/// May an address, and all that lie a multiple of `step` bytes away, be accessed `bytes` at a time? `bytes`
/// is a power of two.
inline bool is_aligned(const void* address, unsigned long long step, unsigned long long bytes) {
  return ((reinterpret_cast<unsigned long long>(address) | step) & (bytes - 1)) == 0;
}
// [pack]

// [read_row]
/// Entries entry … entry + N − 1 of the table's cosines or sines, or NaN outside the table.
template <int N>
__device__ Pack<float, N> read_row(const float* row, long long entry) {
  if (entry >= 0) return load_pack<N>(row + entry);
  Pack<float, N> nothing;
  for (float& value : nothing.values) value = NAN;
  return nothing;
}
// [read_row]

}  // namespace ropewalk
