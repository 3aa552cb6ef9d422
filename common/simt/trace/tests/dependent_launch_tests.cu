/// \file
/// Kernels that may start before the one ahead has ended: what they access before they wait.
#include <vector>

#include "common/simt/trace/tests/tracing.hpp"

using namespace trace_tests;
using simt_tests::Buffer;

namespace {

constexpr unsigned kBlocks = 4, kThreads = 32;

unsigned line(const char* text) {
  return line_with(__FILE__, text);
}

__device__ unsigned number() {
  return blockIdx.x * blockDim.x + threadIdx.x;
}

__global__ void produce(int* values) {
  cudaTriggerProgrammaticLaunchCompletion();
  values[number()] = 1;  // produce
}

__global__ void consume(const int* values, int* out) {
  cudaGridDependencySynchronize();
  out[number()] = values[number()];  // consume
}

__global__ void read_too_early(const int* values, int* out) {
  const int value = values[number()];  // early read
  cudaGridDependencySynchronize();
  out[number()] = value;
}

__global__ void write_too_early(int* values) {
  values[number()] = 2;  // early write
  cudaGridDependencySynchronize();
}

/// Reads nothing of the chain and does not wait: what comes after it has nobody to wait for.
__global__ void never_waits(int* own) {
  own[number()] = 3;  // never waits
}

__global__ void waits_first(int* own) {
  cudaGridDependencySynchronize();
  cudaTriggerProgrammaticLaunchCompletion();
  own[number()] = 4;  // waits first
}

__global__ void triggers_first(int* own) {
  cudaTriggerProgrammaticLaunchCompletion();
  cudaGridDependencySynchronize();
  own[number()] = 5;
}

/// One thread waits for all of its block.
__global__ void one_waits(const int* values, int* out) {
  if (threadIdx.x == 0) cudaGridDependencySynchronize();
  __syncthreads();
  out[number()] = values[number()];
}

template <class... Parameters, class... Arguments>
void launch_early(void (*kernel)(Parameters...), Arguments... arguments) {
  cudaLaunchAttribute overlap{};
  overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  overlap.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = kBlocks;
  config.blockDim = kThreads;
  config.attrs = &overlap;
  config.numAttrs = 1;
  REQUIRE(cudaLaunchKernelEx(&config, kernel, arguments...) == cudaSuccess);
}

struct Arrays {
  Buffer<int> values{std::vector<int>(kBlocks * kThreads)}, own{std::vector<int>(kBlocks * kThreads)},
      out{std::vector<int>(kBlocks * kThreads)};
};

}  // namespace

TEST_CASE("kernels that wait before they touch anything") {
  const Arrays a;
  check_clean(traced([&] {
    launch_early(produce, a.values.data());
    launch_early(consume, a.values.data(), a.out.data());
    launch_early(consume, a.out.data(), a.own.data());
  }));
  check_clean(traced([&] {
    launch_early(produce, a.values.data());
    launch_early(one_waits, a.values.data(), a.out.data());
  }));
}

TEST_CASE("a read before the wait") {
  const Arrays a;
  const Report report = traced([&] {
    launch_early(produce, a.values.data());
    launch_early(read_too_early, a.values.data(), a.out.data());
  });
  const ReportedFault race =
      fault_of(report, FaultKind::kRaceOfLaunches, line("early read"), line("produce"));
  CHECK(race.count == kBlocks * kThreads);
  CHECK_FALSE(race.writes);
  CHECK(race.other_writes);
  CHECK(race.kernel == "read_too_early");
  CHECK(race.first == "thread (0,0,0) of block (0,0,0), while the kernel ahead may still run");
  CHECK(report.faults.size() == 1);
}

TEST_CASE("a write before the wait") {
  const Arrays a;
  const Report report = traced([&] {
    launch_early(consume, a.values.data(), a.out.data());
    launch_early(write_too_early, a.values.data());
  });
  const ReportedFault race =
      fault_of(report, FaultKind::kRaceOfLaunches, line("early write"), line("consume"));
  CHECK(race.count == kBlocks * kThreads);
  CHECK(race.writes);
  CHECK_FALSE(race.other_writes);
  CHECK(report.faults.size() == 1);
}

TEST_CASE("a kernel that never waits leaves those behind it without protection") {
  const Arrays a;
  const Report report = traced([&] {
    launch_early(produce, a.values.data());
    launch_early(never_waits, a.own.data());
    launch_early(consume, a.values.data(), a.out.data());  // waits, but only for the kernel in between
  });
  const ReportedFault race = fault_of(report, FaultKind::kRaceOfLaunches, line("consume"), line("produce"));
  CHECK(race.count == kBlocks * kThreads);
  CHECK(race.first == "thread (0,0,0) of block (0,0,0), while the kernel 2 ahead may still run");
  CHECK(report.faults.size() == 1);
}

TEST_CASE("a kernel that waits passes its wait on") {
  const Arrays a;
  for (const auto between : {waits_first, triggers_first}) {
    check_clean(traced([&] {
      launch_early(produce, a.values.data());
      launch_early(between, a.own.data());
      launch_early(consume, a.values.data(), a.out.data());
    }));
  }
}

TEST_CASE("before its wait a kernel knows only what the one ahead had waited for when it let it start") {
  const Arrays a;
  check_clean(traced([&] {
    launch_early(produce, a.values.data());
    launch_early(waits_first, a.own.data());
    launch_early(read_too_early, a.values.data(), a.out.data());
  }));
  const Report report = traced([&] {
    launch_early(produce, a.values.data());
    launch_early(triggers_first, a.own.data());
    launch_early(read_too_early, a.values.data(), a.out.data());
  });
  fault_of(report, FaultKind::kRaceOfLaunches, line("early read"), line("produce"));
}

TEST_CASE("a launch that may not start early ends the chain") {
  const Arrays a;
  check_clean(traced([&] {
    launch_early(produce, a.values.data());
    simt_tests::launch(kBlocks, kThreads, 0, nullptr, read_too_early, a.values.data(), a.out.data());
    launch_early(never_waits, a.own.data());
  }));
}
