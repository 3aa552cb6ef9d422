/// \file
/// Programmatic dependent launch: a kernel that reads too early finds memory that has not been written yet.
#include <algorithm>
#include <optional>

#include "common/gpu/grid_dependency.cuh"
#include "common/simt/tests/launch.hpp"
#include "common/testing/catch.hpp"

using simt_tests::Buffer;

namespace {

constexpr unsigned kBlocks = 4, kThreads = 64;

__global__ void produce(int* values, int value) {
  __shared__ int staged[kThreads];
  staged[threadIdx.x] = value;
  __syncthreads();
  ropewalk::grid_dependency_trigger();
  values[blockIdx.x * blockDim.x + threadIdx.x] = staged[kThreads - 1 - threadIdx.x];
}

// Copies through shared memory, whose contents must survive the wait.
template <bool kWait>
__global__ void consume(const int* values, int* out) {
  __shared__ int staged[kThreads];
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  staged[threadIdx.x] = int(i);
  if (kWait) ropewalk::grid_dependency_wait();
  const int value = values[i];
  if (!kWait) ropewalk::grid_dependency_wait();
  __syncthreads();
  out[i] = value + staged[(threadIdx.x + 1) % kThreads];
  ropewalk::grid_dependency_trigger();
}

template <class... Parameters, class... Arguments>
void launch_early(cudaStream_t stream, void (*kernel)(Parameters...), Arguments... arguments) {
  cudaLaunchAttribute overlap{};
  overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  overlap.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = kBlocks;
  config.blockDim = kThreads;
  config.stream = stream;
  config.attrs = &overlap;
  config.numAttrs = 1;
  REQUIRE(cudaLaunchKernelEx(&config, kernel, arguments...) == cudaSuccess);
}

struct Chain {
  Buffer<int> values, once, twice;
  explicit Chain(int old) : values(std::vector<int>(256, old)), once(256), twice(256) {}

  // How many results are wrong after produce -> consume -> consume on the stream, directly or as a graph.
  template <bool kWait>
  std::ptrdiff_t wrong_results(bool as_graph) {
    cudaStream_t stream = nullptr;
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
    if (as_graph) CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
    launch_early(stream, produce, values.data(), 1000);
    launch_early(stream, consume<kWait>, values.data(), once.data());
    launch_early(stream, consume<kWait>, once.data(), twice.data());
    if (as_graph) {
      CHECK(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
      CHECK(cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess);
      CHECK(cudaGraphLaunch(executable, stream) == cudaSuccess);
    }
    CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
    if (as_graph) CHECK(cudaGraphExecDestroy(executable) == cudaSuccess);
    if (as_graph) CHECK(cudaGraphDestroy(graph) == cudaSuccess);
    CHECK(cudaStreamDestroy(stream) == cudaSuccess);
    const std::vector<int> got = twice.download();
    std::ptrdiff_t wrong = 0;
    for (unsigned i = 0; i < got.size(); ++i) {
      const int neighbour = int(i / kThreads * kThreads + (i % kThreads + 1) % kThreads);
      wrong += got[i] != 1000 + 2 * neighbour;
    }
    return wrong;
  }
};

}  // namespace

TEST_CASE("kernels that wait before they read are right, whatever overlaps") {
  for (const bool as_graph : {false, true}) {
    CAPTURE(as_graph);
    CHECK(Chain(7).wrong_results<true>(as_graph) == 0);
  }
}

#ifndef __CUDACC__
TEST_CASE("a kernel that reads before it waits is wrong in every order of threads") {
  const simt::Options saved = simt::options();
  for (std::uint64_t seed = 0; seed <= 8; ++seed) {
    simt::options().seed = seed == 0 ? std::nullopt : std::optional(seed);
    for (const bool as_graph : {false, true}) {
      CAPTURE(seed, as_graph);
      CHECK(Chain(7).wrong_results<true>(as_graph) == 0);
      CHECK(Chain(7).wrong_results<false>(as_graph) > 0);
    }
  }
  simt::options() = saved;
}
#endif
