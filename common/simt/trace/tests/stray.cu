/// \file
/// Accesses that would end the program, one per argument: the trace must name their line first.
#include <cstdio>
#include <string>

#include "common/simt/tests/launch.hpp"
#include "common/simt/trace/trace.hpp"

namespace {

__global__ void store(int* values, int index) {
  values[index] = 1;
}

__global__ void add(int* values, int index) {
  atomicAdd(values + index, 1);
}

}  // namespace

int main(int count, char** arguments) {
  const std::string fault = count > 1 ? arguments[1] : "";
  simt::trace::start();
  int *values = nullptr, *freed = nullptr;
  cudaMalloc(&values, 40);
  cudaMalloc(&freed, 40);
  cudaFree(freed);
  if (fault == "behind") simt_tests::run(1, 1, store, values, 64);
  if (fault == "null") simt_tests::run(1, 1, store, static_cast<int*>(nullptr), 2);
  if (fault == "freed") simt_tests::run(1, 1, store, freed, 1);
  if (fault == "atomic") simt_tests::run(1, 1, add, values, 64);
  std::puts("went on");
}
