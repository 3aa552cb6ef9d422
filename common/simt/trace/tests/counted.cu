/// \file
/// For Nsight Compute: makes the launches of counted.cuh in their order, and prints their names.
#include <cstdio>

#include "common/simt/trace/tests/counted.cuh"

int main() {
  for (const auto& launch : trace_tests::counted::launches()) {
    launch.run();
    std::puts(launch.name.c_str());
  }
  const cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) std::fprintf(stderr, "counted: %s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}
