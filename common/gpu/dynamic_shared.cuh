/// \file
/// Shared memory whose size is chosen at launch.
#pragma once

#include <cuda_runtime.h>

namespace ropewalk {

/// The block's dynamic shared memory (LaunchConfig::shared_bytes), aligned to 16 bytes. CUDA spells it as an
/// unsized extern array, which no C++ compiler can give a meaning; hence the one `#if`.
template <class T>
__device__ T* dynamic_shared() {
#ifdef __CUDACC__
  extern __shared__ __align__(16) unsigned char bytes[];
  return reinterpret_cast<T*>(bytes);
#else
  return static_cast<T*>(simt::dynamic_shared_memory());
#endif
}

}  // namespace ropewalk
