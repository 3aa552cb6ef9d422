/// \file
/// Launching a kernel from code that g++, clang and nvcc all compile.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <utility>

#include "common/gpu/check.hpp"

namespace ropewalk {

/// What stands between <<< and >>> in classic CUDA, by name. `pdl` lets the kernel start before the one ahead
/// of it in the stream has finished (programmatic dependent launch); it is ignored on devices older than
/// sm_90.
struct LaunchConfig {
  dim3 grid;
  dim3 block;
  std::size_t shared_bytes = 0;
  cudaStream_t stream = {};
  bool pdl = false;
  const char* file = __builtin_FILE();  ///< the caller's, for the error message
  int line = __builtin_LINE();
};

/// True when the current device overlaps dependent launches (sm_90 or newer).
inline bool device_has_pdl() {
  int device = 0, major = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  return major >= 9;
}

/// Puts kernel(args...) on the stream, as kernel<<<grid, block, shared_bytes, stream>>>(args...) would, and
/// ends the program if the launch is refused. It does not wait for the kernel.
template <class... Parameters, class... Arguments>
void launch(const LaunchConfig& config, void (*kernel)(Parameters...), Arguments&&... arguments) {
  cudaLaunchAttribute overlap{};
  overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  overlap.val.programmaticStreamSerializationAllowed = 1;

  cudaLaunchConfig_t launch_config{};
  launch_config.gridDim = config.grid;
  launch_config.blockDim = config.block;
  launch_config.dynamicSmemBytes = config.shared_bytes;
  launch_config.stream = config.stream;
  launch_config.attrs = &overlap;
  launch_config.numAttrs = config.pdl && device_has_pdl() ? 1 : 0;
  check_cuda(cudaLaunchKernelEx(&launch_config, kernel, std::forward<Arguments>(arguments)...),
             "kernel launch", config.file, config.line);
}

/// A 1-D grid with at least `threads` threads in blocks of `block`. Ends the program beyond 2³¹ − 1 blocks,
/// the most a grid's x axis can have: a number cut to 32 bits would start too few without a word.
inline dim3 grid_for(long long threads, int block) {
  const long long blocks = (threads + block - 1) / block;
  if (blocks > 0x7FFFFFFF) {
    std::fprintf(stderr, "%lld blocks of %d threads: a grid has at most 2147483647\n", blocks, block);
    std::exit(kExitCudaError);
  }
  return dim3(static_cast<unsigned>(blocks));
}

// [block]
constexpr int kThreads = 256;  // of a block, at most

/// A row of threads for each head, up to 256 threads; then as few rows as take no more rounds. 40 heads with
/// 16 threads each: 16 rows would need 3 rounds, and so do 14.
inline dim3 block_for(int threads_per_head, int heads) {
  const int x = threads_per_head < kThreads ? threads_per_head : kThreads;
  const int most_rows = kThreads / x;
  const int rounds = (heads + most_rows - 1) / most_rows;
  return dim3(static_cast<unsigned>(x), static_cast<unsigned>((heads + rounds - 1) / rounds));
}
// [block]

}  // namespace ropewalk
