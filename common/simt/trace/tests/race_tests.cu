/// \file
/// Races put in on purpose, and how each is reported: kind, lines, number.
#include <vector>

#include "common/simt/trace/tests/tracing.hpp"

using namespace trace_tests;
using simt_tests::Buffer;

namespace {

constexpr unsigned kThreads = 64;

unsigned line(const char* text) {
  return line_with(__FILE__, text);
}

template <bool kBarrier>
__global__ void reverse(const int* in, int* out) {
  __shared__ int values[kThreads];
  values[threadIdx.x] = in[threadIdx.x];  // reverse: write
  if (kBarrier) __syncthreads();
  out[threadIdx.x] = values[kThreads - 1 - threadIdx.x];  // reverse: read
}

/// Two rounds with one barrier each: the second round writes what the first may still read.
__global__ void reuse_too_early(int* out) {
  __shared__ int values[kThreads];
  for (int round = 0; round < 2; ++round) {
    values[threadIdx.x] = round;  // reuse: write
    __syncthreads();
    out[threadIdx.x] = values[(threadIdx.x + 32) % kThreads];  // reuse: read
  }
}

__global__ void all_write_one(int* out) {
  out[0] = int(blockIdx.x);  // blocks: write
}

__global__ void read_neighbour_block(int* values) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const int value = values[(i + blockDim.x) % (gridDim.x * blockDim.x)];  // neighbour: read
  values[i] = value;                                                      // neighbour: write
}

/// The same with bytes.
template <bool kBarrier>
__global__ void reverse_bytes(char* out) {
  __shared__ char values[kThreads];
  values[threadIdx.x] = char(threadIdx.x);  // bytes: write
  if (kBarrier) __syncthreads();
  out[threadIdx.x] = values[kThreads - 1 - threadIdx.x];  // bytes: read
}

/// Lanes hand a number to their neighbour through shared memory.
template <bool kSync>
__global__ void exchange_in_warp(int* out) {
  __shared__ int values[32];
  values[threadIdx.x] = int(threadIdx.x);  // warp: write
  if (kSync) __syncwarp();
  const int other = values[threadIdx.x ^ 1];  // warp: read
  if (kSync) __syncwarp();
  values[threadIdx.x] = other;  // warp: write back
  out[threadIdx.x] = other;
}

/// The same in groups of 16 lanes, each with a mask of its own.
__global__ void exchange_in_half_warp(int* out) {
  __shared__ int values[32];
  const unsigned mask = threadIdx.x < 16 ? 0xffffu : 0xffff0000u;
  values[threadIdx.x] = int(threadIdx.x);
  __syncwarp(mask);
  const int other = values[threadIdx.x ^ 8];
  __syncwarp(mask);
  values[threadIdx.x] = other;
  __syncwarp(mask);
  out[threadIdx.x] = values[(threadIdx.x + 16) % 32];  // other half
}

__global__ void half_in_one_word(short* out) {
  out[threadIdx.x] = short(threadIdx.x);  // two lanes share a word and no byte
}

__global__ void device_memory_without_barrier(int* scratch, int* out) {
  scratch[threadIdx.x] = 1;                                // scratch: write
  out[threadIdx.x] = scratch[kThreads - 1 - threadIdx.x];  // scratch: read
}

__global__ void plain_and_atomic(int* sum) {
  if (blockIdx.x == 0) {
    sum[0] = 1;  // plain: write
  } else {
    atomicAdd(sum, 1);  // plain: atomic
  }
}

/// Lane 0 of every warp reads the number, and the last of them writes it.
__global__ void write_what_all_read(int* value, int* out) {
  const unsigned number = blockIdx.x * blockDim.x + threadIdx.x, last = gridDim.x * blockDim.x - 32;
  if (threadIdx.x % 32 != 0) return;
  out[number] = value[0];            // all: read
  if (number == last) value[0] = 2;  // all: write
}

}  // namespace

TEST_CASE("a missing barrier") {
  const Buffer<int> in(std::vector<int>(kThreads, 1)), out(kThreads);
  check_clean(traced_launch(1, kThreads, reverse<true>, in.data(), out.data()));

  const Report report = traced_launch(1, kThreads, reverse<false>, in.data(), out.data());
  // In order, the first 32 threads read too early, and the other 32 write what was read.
  const ReportedFault race =
      fault_of(report, FaultKind::kRaceInBlock, line("reverse: write"), line("reverse: read"));
  CHECK(race.count == 32);
  CHECK(race.shared);
  CHECK(race.writes);
  CHECK_FALSE(race.other_writes);
  CHECK(race.kernel == "reverse<false>");
  CHECK(race.example ==
        "thread (31,0,0), then thread (32,0,0) of block (0,0,0), with neither a barrier nor a warp operation "
        "between them");
  const ReportedFault read =
      fault_of(report, FaultKind::kRaceInBlock, line("reverse: read"), line("reverse: write"));
  CHECK(read.count == 32);
  CHECK(report.races == 64);
  CHECK(fault_of(report, FaultKind::kUninitialised, line("reverse: read"), 0).count == 32);
  CHECK(last_line(report) == "races 64, uninitialised reads 32, out of bounds 0");
  CHECK(faults_text(report).find("  writes  tests/race_tests.cu:" + std::to_string(line("reverse: write")) +
                                 "  values[threadIdx.x] = in[threadIdx.x];") != std::string::npos);
}

TEST_CASE("a missing barrier is found in any order of the threads") {
  const simt::Options saved = simt::options();
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    simt::options().seed = seed;
    const Buffer<int> in(std::vector<int>(kThreads, 1)), out(kThreads);
    CHECK(traced_launch(1, kThreads, reverse<false>, in.data(), out.data()).races == 64);
    check_clean(traced_launch(1, kThreads, reverse<true>, in.data(), out.data()));
  }
  simt::options() = saved;
}

TEST_CASE("shared memory that is used again without a second barrier") {
  const Buffer<int> out(kThreads);
  const Report report = traced_launch(1, kThreads, reuse_too_early, out.data());
  const ReportedFault race =
      fault_of(report, FaultKind::kRaceInBlock, line("reuse: write"), line("reuse: read"));
  CHECK(race.count == 32);  // in order, the second half of the threads comes too late
  CHECK(fault_of(report, FaultKind::kRaceInBlock, line("reuse: read"), line("reuse: write")).count == 32);
}

TEST_CASE("two blocks write the same number") {
  const Buffer<int> out(1);
  const Report report = traced_launch(4, 1, all_write_one, out.data());
  const ReportedFault race =
      fault_of(report, FaultKind::kRaceOfBlocks, line("blocks: write"), line("blocks: write"));
  CHECK(race.count == 3);
  CHECK(race.writes);
  CHECK(race.other_writes);
  CHECK_FALSE(race.shared);
  CHECK(report.faults.size() == 1);
}

TEST_CASE("a block reads what another one writes") {
  const Buffer<int> values(std::vector<int>(4 * 32, 1));
  const Report report = traced_launch(4, 32, read_neighbour_block, values.data());
  // Blocks 1 to 3 write what the block before them has read; block 3 reads what block 0 has written.
  CHECK(fault_of(report, FaultKind::kRaceOfBlocks, line("neighbour: write"), line("neighbour: read")).count ==
        96);
  CHECK(fault_of(report, FaultKind::kRaceOfBlocks, line("neighbour: read"), line("neighbour: write")).count ==
        32);
  CHECK(report.races == 128);
}

TEST_CASE("a thread's own read does not hide that others have read") {
  const Buffer<int> value(std::vector<int>(1)), out(128);
  // The writer is the last to read: in its block, then after another block.
  const Report one_block = traced_launch(1, 64, write_what_all_read, value.data(), out.data());
  CHECK(fault_of(one_block, FaultKind::kRaceInBlock, line("all: write"), line("all: read")).count == 1);
  CHECK(one_block.races == 1);
  const Report two_blocks = traced_launch(2, 32, write_what_all_read, value.data(), out.data());
  CHECK(fault_of(two_blocks, FaultKind::kRaceOfBlocks, line("all: write"), line("all: read")).count == 1);
  CHECK(two_blocks.races == 1);
  check_clean(traced_launch(1, 32, write_what_all_read, value.data(), out.data()));
}

TEST_CASE("launches after each other do not race") {
  const Buffer<int> values(std::vector<int>(32, 1));
  check_clean(traced([&] {
    for (int i = 0; i < 3; ++i) simt_tests::launch(1, 32, 0, nullptr, read_neighbour_block, values.data());
  }));
}

TEST_CASE("a warp operation orders its lanes") {
  const Buffer<int> out(32);
  check_clean(traced_launch(1, 32, exchange_in_warp<true>, out.data()));
  const Report report = traced_launch(1, 32, exchange_in_warp<false>, out.data());
  CHECK(fault_of(report, FaultKind::kRaceInBlock, line("warp: write"), line("warp: read")).count == 16);
  CHECK(report.races > 0);
}

TEST_CASE("a warp operation orders only the lanes that take part") {
  const Buffer<int> out(32);
  const Report report = traced_launch(1, 32, exchange_in_half_warp, out.data());
  REQUIRE(report.faults.size() > 0);
  for (const ReportedFault& fault : report.faults) {
    const unsigned either[2] = {fault.line.number, fault.other_line.number};
    INFO(faults_text(report));
    CHECK((either[0] == line("other half") || either[1] == line("other half")));
  }
}

TEST_CASE("neighbours in one word do not race") {
  const Buffer<short> out(kThreads);
  check_clean(traced_launch(1, kThreads, half_in_one_word, out.data()));
}

TEST_CASE("device memory within a block needs a barrier, too") {
  const Buffer<int> scratch(kThreads), out(kThreads);
  const Report report = traced_launch(1, kThreads, device_memory_without_barrier, scratch.data(), out.data());
  const ReportedFault race =
      fault_of(report, FaultKind::kRaceInBlock, line("scratch: write"), line("scratch: read"));
  CHECK(race.count == 32);
  CHECK_FALSE(race.shared);
}

TEST_CASE("a plain write races with another block's atomic") {
  const Buffer<int> sum(std::vector<int>(1));
  const Report report = traced_launch(3, 1, plain_and_atomic, sum.data());
  CHECK(fault_of(report, FaultKind::kRaceOfBlocks, line("plain: atomic"), line("plain: write")).count == 2);
}

TEST_CASE("single bytes of shared memory") {
  const Buffer<char> out(kThreads);
  check_clean(traced_launch(1, kThreads, reverse_bytes<true>, out.data()));
  const Report report = traced_launch(1, kThreads, reverse_bytes<false>, out.data());
  fault_of(report, FaultKind::kRaceInBlock, line("bytes: write"), line("bytes: read"));
  CHECK(fault_of(report, FaultKind::kUninitialised, line("bytes: read"), 0).count == 32);
}
