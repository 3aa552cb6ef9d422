/// \file
/// Accesses and crashes that end the program, one per argument: the trace must name their line first. "none":
/// a kernel without a fault.
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>

#include "common/simt/executor/shared_memory.hpp"
#include "common/simt/simt.hpp"
#include "common/simt/tests/launch.hpp"
#include "common/simt/trace/trace.hpp"

namespace {

__global__ void store(int* values, int index) {
  values[index] = 1;
}

__global__ void add(int* values, int index) {
  atomicAdd(values + index, 1);
}

__global__ void store_dynamic(int index) {
  static_cast<volatile int*>(simt::dynamic_shared_memory())[index] = 1;
}

/// A class with a constructor, for which the compiler keeps a byte among the __shared__ variables.
struct WithConstructor {
  WithConstructor() {}
  float value;
};

__global__ void store_in_shared(float* out) {
  __shared__ WithConstructor numbers[32];
  numbers[threadIdx.x].value = 1;
  __syncthreads();
  out[threadIdx.x] = numbers[31 - threadIdx.x].value;
}

__global__ void divide(int* values, int by) {
  values[0] = 7 / by;
}

void print(const simt::trace::Report& report) {
  std::printf("%s\n%s%s\n", report.problem.c_str(), faults_text(report).c_str(), last_line(report).c_str());
}

}  // namespace

int main(int count, char** arguments) {
  const std::string fault = count > 1 ? arguments[1] : "";
  int* older = nullptr;  // than the tracer, which cannot know who has written it
  cudaMalloc(&older, 40);
  simt::trace::start();
  int *values = nullptr, *freed = nullptr;
  cudaMalloc(&values, 40);
  cudaMalloc(&freed, 40);
  cudaFree(freed);
  if (fault == "behind") simt_tests::run(1, 1, store, values, 64);
  if (fault == "null") simt_tests::run(1, 1, store, static_cast<int*>(nullptr), 2);
  if (fault == "freed") simt_tests::run(1, 1, store, freed, 1);
  if (fault == "atomic") simt_tests::run(1, 1, add, values, 64);
  if (fault == "dynamic") simt_tests::launch(1, 1, 64, nullptr, store_dynamic, 1024);
  if (fault == "static") {
    const std::span<const char> shared = simt::static_shared_memory();
    int* end = reinterpret_cast<int*>(reinterpret_cast<std::uintptr_t>(shared.data() + shared.size()));
    simt_tests::launch(1, 1, 0, nullptr, store, end, 0);
  }
  if (fault == "crash") {
    simt_tests::launch(1, 1, 0, nullptr, store, values, 10);  // found before the crash
    simt_tests::launch(1, 1, 0, nullptr, divide, values, 0);
  }
  cudaDeviceSynchronize();
  if (fault == "none") {
    float* out = nullptr;
    cudaMalloc(&out, 32 * sizeof(float));
    simt::trace::set_label("none");
    simt_tests::run(1, 32, store_in_shared, out);
    simt_tests::run(1, 1, add, older, 3);
    print(simt::trace::take());
  }
  std::puts("went on");
}
