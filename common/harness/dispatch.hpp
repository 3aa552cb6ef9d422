/// \file
/// From what is known at run time to what a kernel takes: the element type, the table.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "common/gpu/device.cuh"
#include "common/gpu/tensors.cuh"
#include "common/harness/chapter.hpp"

namespace ropewalk {

/// Calls f with a null pointer of the element type of `dtype`: float*, __half* or __nv_bfloat16*.
template <class F>
decltype(auto) with_element_type(Dtype dtype, F&& f) {
  switch (dtype) {
    case Dtype::f16:
      return f(static_cast<__half*>(nullptr));
    case Dtype::bf16:
      return f(static_cast<__nv_bfloat16*>(nullptr));
    case Dtype::f32:
      break;
  }
  return f(static_cast<float*>(nullptr));
}

/// Calls launch_one(tensors) with q and k as the call's element type.
template <class LaunchOne>
void with_tensors(const RopeCall& call, LaunchOne launch_one) {
  with_element_type(call.dtype, [&]<class T>(T*) {
    const Shape& s = call.shape;
    launch_one(Tensors<T>{.q = static_cast<T*>(call.q),
                          .k = static_cast<T*>(call.k),
                          .positions = call.positions,
                          .tokens = s.token_count(),
                          .q_heads = static_cast<int>(s.q_heads),
                          .kv_heads = static_cast<int>(s.kv_heads),
                          .head_dim = static_cast<int>(s.head_dim),
                          .rotary_dim = static_cast<int>(s.rotary_dim)});
  });
}

inline Table table_of(const RopeCall& call) {
  return {call.cos_table, call.sin_table, call.first_position, static_cast<unsigned>(call.table_rows)};
}

}  // namespace ropewalk
