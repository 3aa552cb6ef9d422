/// \file
/// Programs that AddressSanitizer or -fsanitize=alignment must stop, one per argument. Each test looks for
/// the sanitizer's words.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "common/gpu/dynamic_shared.cuh"
#include "common/simt/tests/launch.hpp"

using simt_tests::launch;

namespace {

__global__ void store(float* values, int index) {
  values[index] = 1.0f;
}

__global__ void store_shared(float* out, int index) {
  float* shared = ropewalk::dynamic_shared<float>();
  shared[index] = 1.0f;
  *out = shared[index];
}

__global__ void copy_vector(const float* from, float4* to) {
  to[threadIdx.x] =
      *reinterpret_cast<const float4*>(from + 4 * threadIdx.x + 1);  // not at a multiple of 16 bytes
}

}  // namespace

int main(int count, char** arguments) {
  const std::string fault = count > 1 ? arguments[1] : "";
  constexpr int kSize = 13;  // an odd size, so that the end is not at a multiple of 8 bytes
  float *values = nullptr, host[kSize] = {};
  cudaMalloc(&values, kSize * sizeof(float));
  cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice);
  if (fault == "none") launch(1, 1, 0, nullptr, store, values, kSize - 1);
  if (fault == "after") launch(1, 1, 0, nullptr, store, values, kSize);
  if (fault == "before") launch(1, 1, 0, nullptr, store, values, -1);
  if (fault == "shared") launch(1, 1, 64, nullptr, store_shared, values, 16);
  if (fault == "freed") {
    float* freed = nullptr;
    cudaMalloc(&freed, 64);
    cudaFree(freed);
    launch(1, 1, 0, nullptr, store, freed, 0);
  }
  if (fault == "host") values[3] = 2.0f;
  if (fault == "misaligned") {
    float4* vectors = nullptr;
    cudaMalloc(&vectors, 2 * sizeof(float4));
    launch(1, 2, 0, nullptr, copy_vector, values, vectors);
  }
  const cudaError_t status = cudaDeviceSynchronize();
  std::printf("%s\n%s\n", cudaGetErrorName(status), simt::last_report());
  cudaDeviceReset();
  return status == cudaSuccess ? 0 : 3;
}
