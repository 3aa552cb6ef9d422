/// \file
/// The tensors that a kernel rotates.
#pragma once

#include <cuda_runtime.h>

namespace ropewalk {

// [tensors]
/// q and k, rotated in place by one launch: q is [tokens, q_heads, head_dim], k [tokens, kv_heads, head_dim],
/// both contiguous.
template <class T>
struct Tensors {
  T* q;
  T* k;
  const int* positions;  // [tokens]
  long long tokens;
  int q_heads;
  int kv_heads;
  int head_dim;
  int rotary_dim;

  __host__ __device__ int heads() const { return q_heads + kv_heads; }
  __host__ __device__ int pairs() const { return rotary_dim / 2; }

  /// First channel of head h of a token. The heads of k follow those of q: h = q_heads is the first of k.
  __host__ __device__ T* head(long long token, int h) const {
    return h < q_heads ? q + (token * q_heads + h) * head_dim
                       : k + (token * kv_heads + (h - q_heads)) * head_dim;
  }
};
// [tensors]

}  // namespace ropewalk
