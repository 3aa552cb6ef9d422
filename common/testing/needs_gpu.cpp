/// \file
/// Part of every kernel test of a CUDA build: without a GPU the whole program is skipped before main, not
/// failed.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

namespace {

const bool gpu_is_there = [] {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess || count == 0) {
    std::printf("skipped: no usable GPU (%s)\n", cudaGetErrorString(status));
    std::exit(77);
  }
  return true;
}();

}  // namespace
