/// \file
/// From what is known at run time to what a kernel takes: the element type, the table.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "common/gpu/device.cuh"
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

inline Table table_of(const RopeCall& call) {
  return {call.cos_table, call.sin_table, call.first_position, static_cast<unsigned>(call.table_rows)};
}

}  // namespace ropewalk
