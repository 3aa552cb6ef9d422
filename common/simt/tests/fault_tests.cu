/// \file
/// Faulty kernels: each is caught, and the report names the fault, the thread, the line and the seed.
#include <cmath>
#include <cstdio>
#include <string>

#include "common/simt/tests/launch.hpp"
#include "common/testing/catch.hpp"

using simt_tests::Buffer;
using simt_tests::launch;
using simt_tests::run;

namespace {

constexpr unsigned kAll = 0xffffffffu;

std::string at(unsigned line) {
  return "tests/fault_tests.cu:" + std::to_string(line);
}

// Runs a kernel that must fail, and returns the report. Everything works again afterwards.
template <class... Parameters, class... Arguments>
std::string report_of(dim3 grid, dim3 block, void (*kernel)(Parameters...), Arguments... arguments) {
  const cudaError_t status = run(grid, block, kernel, arguments...);
  const std::string report = simt::last_report();
  CHECK(status == cudaErrorLaunchFailure);
  simt::clear_error();
  CHECK(std::string(simt::last_report()).empty());
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  return report;
}

bool contains(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return true;
  WARN("'" << part << "' is not in: " << text);
  return false;
}

// Puts the order of threads back when a test ends.
struct OrderGuard {
  simt::Options saved = simt::options();
  ~OrderGuard() { simt::options() = saved; }
};

constexpr unsigned kFirstBranch = __LINE__ + 4;  // the line of the first barrier below
constexpr unsigned kSecondBranch = kFirstBranch + 2;
__global__ void two_barriers(unsigned first_part) {
  if (threadIdx.x < first_part) {
    __syncthreads();
  } else {
    __syncthreads();
  }
}

constexpr unsigned kAfterExit = __LINE__ + 3;
__global__ void exit_before_barrier(unsigned leaver) {
  if (threadIdx.x == leaver) return;
  __syncthreads();
}

constexpr unsigned kBadMask = __LINE__ + 2;
__global__ void call_with_mask(unsigned mask, unsigned callers, int* out) {
  if (threadIdx.x < callers) out[threadIdx.x] = __shfl_sync(mask, int(threadIdx.x), 0);
}

constexpr unsigned kMaskLow = __LINE__ + 2;
__global__ void masks_disagree(int* out) {
  out[threadIdx.x] = __any_sync(threadIdx.x < 8 ? 0xffffu : 0xff0fu, 1);
}

constexpr unsigned kDeadBarrier = __LINE__ + 4;
constexpr unsigned kDeadShuffle = kDeadBarrier + 2;
__global__ void deadlock(int* out) {
  if (threadIdx.x == 0) {
    __syncthreads();
  } else {
    out[threadIdx.x] = __shfl_sync(kAll, 1, 0);
  }
}

constexpr unsigned kOutsideMask = __LINE__ + 2;
__global__ void read_lane_outside_mask(int* out) {
  if (threadIdx.x < 16) out[threadIdx.x] = __shfl_sync(0xffffu, int(threadIdx.x), 20);
}

constexpr unsigned kUpOrDown = __LINE__ + 4;
__global__ void different_shuffles(int* out) {
  const int lane = int(threadIdx.x);
  if (lane < 16) {
    out[lane] = __shfl_up_sync(kAll, lane, 1);
  } else {
    out[lane] = __shfl_down_sync(kAll, lane, 1);
  }
}

enum class Shuffle { kIndex, kUp, kDown, kXor };

constexpr unsigned kWidth = __LINE__ + 2;  // the line of the first shuffle; the others follow
__global__ void shuffle_with_width(Shuffle kind, int width) {
  if (kind == Shuffle::kIndex) __shfl_sync(kAll, 1, 20, width);
  if (kind == Shuffle::kUp) __shfl_up_sync(kAll, 1, 1u, width);
  if (kind == Shuffle::kDown) __shfl_down_sync(kAll, 1, 1u, width);
  if (kind == Shuffle::kXor) __shfl_xor_sync(kAll, 1, 1, width);
}

__global__ void allocate(int** out) {
  if (threadIdx.x == 1) cudaMalloc(out, 4);
}
__global__ void launch_another() {
  launch(1, 1, 0, nullptr, allocate, static_cast<int**>(nullptr));
}
__global__ void wait_for_the_device() {
  cudaDeviceSynchronize();
}

constexpr unsigned kTrap = __LINE__ + 2;
__global__ void trap_at(unsigned x, unsigned block) {
  if (threadIdx.x == x && blockIdx.x == block) __trap();
}

__global__ void do_nothing() {}

// Reverses `size` values; without the barrier most threads read what has not been written yet.
template <bool kBarrier>
__global__ void reverse(const float* in, float* out) {
  __shared__ float copy[64];
  copy[threadIdx.x] = in[threadIdx.x];
  if (kBarrier) __syncthreads();
  out[threadIdx.x] = copy[63 - threadIdx.x];
}

// Reads a neighbour, then overwrites its own place without a barrier in between.
template <bool kBarrier>
__global__ void shift_twice(float* values) {
  __shared__ float copy[64];
  copy[threadIdx.x] = values[threadIdx.x];
  for (int step = 0; step < 2; ++step) {
    __syncthreads();
    const float next = copy[(threadIdx.x + 1) % 64];
    if (kBarrier) __syncthreads();
    copy[threadIdx.x] = next;
  }
  values[threadIdx.x] = copy[threadIdx.x];
}

}  // namespace

TEST_CASE("threads of a block that wait at different barriers") {
  const std::string report = report_of(1, 64, two_barriers, 32u);
  CHECK(contains(report, "simt: barrier divergence: "));
  CHECK(contains(report, "thread (0,0,0) of block (0,0,0) waits at " + at(kFirstBranch)));
  CHECK(contains(report, "thread (32,0,0) of block (0,0,0) waits at " + at(kSecondBranch)));
  CHECK(run(1, 64, two_barriers, 64u) == cudaSuccess);
}

TEST_CASE("a thread that leaves before a barrier") {
  OrderGuard guard;
  for (const unsigned leaver : {0u, 5u, 63u}) {
    const std::string report = report_of(2, 64, exit_before_barrier, leaver);
    CHECK(contains(report, "barrier divergence: 1 of 64 threads left the kernel before the barrier at " +
                               at(kAfterExit)));
  }
  simt::options().allow_early_exit = true;
  CHECK(run(2, 64, exit_before_barrier, 5u) == cudaSuccess);
}

TEST_CASE("bad masks") {
  OrderGuard guard;
  Buffer<int> out(64);
  CHECK(contains(report_of(1, 32, call_with_mask, 0xfffffffeu, 32u, out.data()),
                 "bad mask: thread (0,0,0) of block (0,0,0) is lane 0 and calls a warp operation at " +
                     at(kBadMask) + " with the mask 0xfffffffe, which leaves it out"));
  CHECK(contains(report_of(1, 32, call_with_mask, kAll, 16u, out.data()),
                 "of its mask 0xffffffff, which has left the kernel"));
  CHECK(contains(report_of(1, 20, call_with_mask, kAll, 20u, out.data()),
                 at(kBadMask) + " for lane 20 of its mask 0xffffffff, but its warp has no such lane"));
  CHECK(contains(report_of(1, 16, masks_disagree, out.data()), "warp divergence: "));
  CHECK(contains(report_of(1, 16, masks_disagree, out.data()), at(kMaskLow)));
  CHECK(contains(report_of(1, 32, read_lane_outside_mask, out.data()),
                 "reads lane 20 at " + at(kOutsideMask) + ", but that lane is not in the mask"));

  simt::options().allow_early_exit = true;
  CHECK(run(1, 32, call_with_mask, kAll, 16u, out.data()) == cudaSuccess);
  CHECK(run(1, 20, call_with_mask, kAll, 20u, out.data()) == cudaSuccess);
}

TEST_CASE("two different shuffles do not meet") {
  Buffer<int> out(32);
  const std::string report = report_of(1, 32, different_shuffles, out.data());
  CHECK(contains(report, "warp divergence: "));
  CHECK(contains(report, at(kUpOrDown)));
  CHECK(contains(report, at(kUpOrDown + 2)));
}

TEST_CASE("a shuffle's width must be a power of two up to 32") {
  for (const Shuffle kind : {Shuffle::kIndex, Shuffle::kUp, Shuffle::kDown, Shuffle::kXor}) {
    for (const int width : {0, -1, 3, 33, 64}) {
      CAPTURE(kind, width);
      const std::string report = report_of(1, 32, shuffle_with_width, kind, width);
      CHECK(contains(report, "bad shuffle: width " + std::to_string(width) + " at " +
                                 at(kWidth + unsigned(kind)) + " by thread ("));
      CHECK(contains(report, "a power of two from 1 to 32"));
    }
    CHECK(run(1, 32, shuffle_with_width, kind, 1) == cudaSuccess);
  }
}

TEST_CASE("a kernel that calls the runtime") {
  OrderGuard guard;
  Buffer<int*> out(1);
  CHECK(contains(report_of(1, 4, allocate, out.data()),
                 "runtime call in a kernel: cudaMalloc() by thread (1,0,0) of block (0,0,0)"));
  CHECK(contains(report_of(1, 4, launch_another), "runtime call in a kernel: cudaLaunchKernel()"));
  CHECK(contains(report_of(1, 4, wait_for_the_device), "runtime call in a kernel: cudaDeviceSynchronize()"));
}

TEST_CASE("a deadlock between a barrier and a warp operation") {
  Buffer<int> out(32);
  const std::string report = report_of(1, 32, deadlock, out.data());
  CHECK(contains(report,
                 "deadlock: thread (0,0,0) of block (0,0,0) waits at the block barrier " + at(kDeadBarrier)));
  CHECK(contains(report, "at the warp operation " + at(kDeadShuffle)));
}

TEST_CASE("a trap names its thread") {
  CHECK(contains(report_of(3, 8, trap_at, 6u, 2u),
                 "__trap() at " + at(kTrap) + " by thread (6,0,0) of block (2,0,0)"));
}

TEST_CASE("a report names the seed that repeats it") {
  OrderGuard guard;
  simt::options().seed = std::nullopt;
  CHECK(contains(report_of(1, 8, trap_at, 0u, 0u), "[SIMT_SEED not set: threads in order]"));
  simt::options().seed = 42;
  CHECK(contains(report_of(1, 8, trap_at, 0u, 0u), "[SIMT_SEED=42]"));
}

TEST_CASE("a fault sticks until it is cleared") {
  int* memory = nullptr;
  REQUIRE(cudaMalloc(&memory, 64) == cudaSuccess);
  CHECK(launch(1, 8, 0, nullptr, trap_at, 0u, 0u) == cudaSuccess);  // nothing has run yet
  CHECK(cudaGetLastError() == cudaSuccess);
  CHECK(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
  CHECK(cudaPeekAtLastError() == cudaErrorLaunchFailure);
  CHECK(cudaGetLastError() == cudaErrorLaunchFailure);
  CHECK(cudaGetLastError() == cudaSuccess);  // read, but not healed:
  CHECK(run(1, 8, do_nothing) == cudaErrorLaunchFailure);
  int* more = nullptr;
  CHECK(cudaMalloc(&more, 64) == cudaErrorLaunchFailure);
  CHECK(cudaMemset(memory, 0, 64) == cudaErrorLaunchFailure);
  cudaStream_t stream = nullptr;
  CHECK(cudaStreamCreate(&stream) == cudaErrorLaunchFailure);
  int device = -1;
  CHECK(cudaGetDevice(&device) == cudaSuccess);
  CHECK(contains(simt::last_report(), "__trap()"));

  CHECK(cudaDeviceReset() == cudaSuccess);
  CHECK(std::string(simt::last_report()).empty());
  CHECK(cudaFree(memory) == cudaErrorInvalidValue);  // the reset has taken it
  CHECK(run(1, 8, do_nothing) == cudaSuccess);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
}

TEST_CASE("a missing barrier shows, in order and for seeds 1 to 8") {
  OrderGuard guard;
  std::vector<float> values(64), reversed(64), shifted(64);
  for (std::size_t i = 0; i < 64; ++i) {
    values[i] = reversed[63 - i] = float(i);
    shifted[(i + 62) % 64] = float(i);
  }
  Buffer<float> in(values), out(64);
  for (std::uint64_t seed = 0; seed <= 8; ++seed) {
    CAPTURE(seed);
    simt::options().seed = seed == 0 ? std::nullopt : std::optional(seed);
    CHECK(run(1, 64, reverse<true>, in.data(), out.data()) == cudaSuccess);
    CHECK(out.download() == reversed);
    CHECK(run(1, 64, reverse<false>, in.data(), out.data()) == cudaSuccess);
    unsigned nans = 0;
    for (const float value : out.download()) nans += std::isnan(value);
    CHECK(nans > 0);  // poisoned shared memory, not a stale right answer

    Buffer<float> again(values);
    CHECK(run(1, 64, shift_twice<true>, again.data()) == cudaSuccess);
    CHECK(again.download() == shifted);
    again.upload(values);
    CHECK(run(1, 64, shift_twice<false>, again.data()) == cudaSuccess);
    CHECK(again.download() != shifted);
  }
}
