/// \file
/// What to do when a CUDA call fails.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

namespace ropewalk {

inline constexpr int kExitCudaError = 3;

/// Ends the program when a CUDA call failed: a tutorial has no way to go on, and an error that is only
/// printed gets lost.
inline void check_cuda(cudaError_t status, const char* call, const char* file, int line) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s:%d: %s failed: %s (%s)\n", file, line, call, cudaGetErrorName(status),
               cudaGetErrorString(status));
  std::exit(kExitCudaError);
}

}  // namespace ropewalk

/// A macro, because only a macro can show the text of the call that failed.
#define CUDA_CHECK(call) ::ropewalk::check_cuda((call), #call, __FILE__, __LINE__)
