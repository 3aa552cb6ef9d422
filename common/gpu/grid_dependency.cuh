/// \file
/// The two calls of programmatic dependent launch, for every architecture.
#pragma once

#include <cuda_runtime.h>

namespace ropewalk {

/// Waits until the kernels this one depends on have finished and their writes are visible. Nothing on devices
/// older than sm_90, where a kernel never starts early (nvcc refuses the raw call there).
__device__ inline void grid_dependency_wait() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}

/// Lets the next kernel of the stream be scheduled once every block has called this or exited. It makes no
/// write visible.
__device__ inline void grid_dependency_trigger() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}

}  // namespace ropewalk
