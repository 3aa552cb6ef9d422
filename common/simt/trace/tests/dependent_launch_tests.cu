/// \file
/// Kernels that may start before the one ahead has ended: what they access before they wait.
#include <vector>

#include "common/simt/trace/tests/tracing.hpp"

using namespace trace_tests;
using simt_tests::Buffer;

namespace {

constexpr unsigned kBlocks = 4, kThreads = 64;

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

/// One lane of each warp waits, and tells the others or not.
template <bool kTells>
__global__ void one_lane_waits(const int* values, int* out) {
  if (threadIdx.x % 32 == 0) cudaGridDependencySynchronize();
  if (kTells) __syncwarp();
  out[number()] = values[number()];  // one lane waits: read
}

/// Of two warps the first waits, the second meets only itself.
__global__ void one_warp_waits(const int* values, int* out) {
  if (threadIdx.x < 32) cudaGridDependencySynchronize();
  __syncwarp();
  out[number()] = values[number()];  // one warp waits: read
}

__global__ void add_early(int* sum) {
  atomicAdd(sum, 1);  // early add
}

__global__ void read_sum_early(const int* sum, int* out) {
  out[number()] = sum[0];  // early read of the sum
}

__global__ void add_to_what_was_read(int* sum, int* out) {
  out[number()] = sum[0];  // read, then added to
}

template <class... Parameters, class... Arguments>
void launch_early_in(cudaStream_t stream, void (*kernel)(Parameters...), Arguments... arguments) {
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

template <class... Parameters, class... Arguments>
void launch_early(void (*kernel)(Parameters...), Arguments... arguments) {
  launch_early_in(nullptr, kernel, arguments...);
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
  CHECK(race.example == "the kernel ahead, which may still be running, and thread (0,0,0) of block (0,0,0)");
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
  CHECK(race.example ==
        "the kernel 2 ahead, which may still be running, and thread (0,0,0) of block (0,0,0)");
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

TEST_CASE("what had ended when the kernel ahead started has ended") {
  const Arrays a;
  const Buffer<int> other(kBlocks * kThreads);
  check_clean(traced([&] {
    launch_early(produce, a.values.data());
    launch_early(waits_first, a.own.data());
    launch_early(never_waits, other.data());
    launch_early(read_too_early, a.values.data(), a.out.data());
  }));
}

TEST_CASE("a launch that may not start early ends the chain") {
  const Arrays a;
  check_clean(traced([&] {
    launch_early(produce, a.values.data());
    simt_tests::launch(kBlocks, kThreads, 0, nullptr, read_too_early, a.values.data(), a.out.data());
    launch_early(never_waits, a.own.data());
  }));
}

TEST_CASE("a wait is passed on to the lanes that meet the one that waited") {
  const Arrays a;
  check_clean(traced([&] {
    launch_early(produce, a.values.data());
    launch_early(one_lane_waits<true>, a.values.data(), a.out.data());
  }));
  const Report report = traced([&] {
    launch_early(produce, a.values.data());
    launch_early(one_lane_waits<false>, a.values.data(), a.out.data());
  });
  CHECK(fault_of(report, FaultKind::kRaceOfLaunches, line("one lane waits: read"), line("produce")).count ==
        kBlocks * (kThreads - kThreads / 32));
}

TEST_CASE("a wait is not passed on to lanes that meet only each other") {
  const Arrays a;
  const Report report = traced([&] {
    launch_early(produce, a.values.data());
    launch_early(one_warp_waits, a.values.data(), a.out.data());
  });
  const ReportedFault race =
      fault_of(report, FaultKind::kRaceOfLaunches, line("one warp waits: read"), line("produce"));
  CHECK(race.count == kBlocks * 32);
}

TEST_CASE("atomic operations of kernels that overlap") {
  const Arrays a;
  check_clean(traced([&] {
    launch_early(add_early, a.values.data());
    launch_early(add_early, a.values.data());
  }));
  Report report = traced([&] {
    launch_early(add_early, a.values.data());
    launch_early(read_sum_early, a.values.data(), a.out.data());
  });
  const ReportedFault read =
      fault_of(report, FaultKind::kRaceOfLaunches, line("early read of the sum"), line("early add"));
  CHECK(read.count == kBlocks * kThreads);
  CHECK(read.other_writes);
  report = traced([&] {
    launch_early(add_to_what_was_read, a.values.data(), a.out.data());
    launch_early(add_early, a.values.data());
  });
  CHECK(fault_of(report, FaultKind::kRaceOfLaunches, line("early add"), line("read, then added to")).count ==
        kBlocks * kThreads);
}

TEST_CASE("a long chain in which nobody waits") {
  constexpr unsigned kLaunches = 600;
  const Arrays a;
  const Report report = traced([&] {
    for (unsigned i = 0; i < kLaunches; ++i) launch_early(produce, a.values.data());
  });
  CHECK(report.races == (kLaunches - 1) * kBlocks * kThreads);
}

TEST_CASE("a long chain in which all wait") {
  const Arrays a;
  check_clean(traced([&] {
    for (unsigned i = 0; i < 600; ++i) launch_early(waits_first, a.own.data());
  }));
}

TEST_CASE("what stands between two launches") {
  const Arrays a;
  const Buffer<int> other(4);
  const auto races_with = [&](cudaStream_t stream, auto between) {
    return traced([&] {
             launch_early_in(stream, produce, a.values.data());
             between();
             launch_early_in(stream, read_too_early, a.values.data(), a.out.data());
             CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
           })
        .races;
  };
  const auto fill_in = [&](cudaStream_t stream) {
    return [&, stream] { CHECK(cudaMemsetAsync(other.data(), 0, 4, stream) == cudaSuccess); };
  };
  cudaStream_t one = nullptr, two = nullptr, free = nullptr;
  REQUIRE(cudaStreamCreate(&one) == cudaSuccess);
  REQUIRE(cudaStreamCreate(&two) == cudaSuccess);
  REQUIRE(cudaStreamCreateWithFlags(&free, cudaStreamNonBlocking) == cudaSuccess);
  constexpr std::uint64_t kAll = kBlocks * kThreads;
  CHECK(races_with(one, [] {}) == kAll);
  CHECK(races_with(one, fill_in(free)) == kAll);  // nothing that the stream waits for
  CHECK(races_with(one, fill_in(two)) == kAll);
  CHECK(races_with(free, fill_in(one)) == kAll);
  CHECK(races_with(free, fill_in(nullptr)) == kAll);
  CHECK(races_with(nullptr, fill_in(free)) == kAll);
  CHECK(races_with(one, fill_in(one)) == 0);
  CHECK(races_with(one, fill_in(nullptr)) == 0);  // the legacy stream waits for the first launch
  CHECK(races_with(nullptr, fill_in(one)) == 0);
  CHECK(cudaStreamDestroy(one) == cudaSuccess);
  CHECK(cudaStreamDestroy(two) == cudaSuccess);
  CHECK(cudaStreamDestroy(free) == cudaSuccess);
}
