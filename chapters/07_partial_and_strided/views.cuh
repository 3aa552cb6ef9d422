/// \file
/// Tensors that lie anywhere, as the kernel sees them.
#pragma once

#include <cuda_runtime.h>

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
  bool interleaved;  // the style: pairs of neighbouring channels, or of channels rotary_dim/2 apart

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

}  // namespace ropewalk::strided
