/// \file
/// Faults put in on purpose, and how each is reported: kind, lines, number.
#include <cstring>
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

__global__ void read_unwritten(int* out) {
  __shared__ int values[kThreads];
  if (threadIdx.x % 2 == 0) values[threadIdx.x] = 1;
  __syncthreads();
  out[blockIdx.x * kThreads + threadIdx.x] = values[threadIdx.x];  // unwritten: read
}

/// The same with bytes.
template <bool kBarrier>
__global__ void reverse_bytes(char* out) {
  __shared__ char values[kThreads];
  values[threadIdx.x] = char(threadIdx.x);  // bytes: write
  if (kBarrier) __syncthreads();
  out[threadIdx.x] = values[kThreads - 1 - threadIdx.x];  // bytes: read
}

/// One thread for the __shared__ variables, one for all of the dynamic part.
__global__ void both_parts(int words) {
  __shared__ int values[kThreads];
  volatile int* const dynamic = static_cast<int*>(simt::dynamic_shared_memory());
  if (threadIdx.x == 0) {
    for (volatile int& value : values) value = 1;
  } else {
    for (int i = 0; i < words; ++i) dynamic[i] = 2;
  }
}

__global__ void touch_dynamic_wide(int index) {
  static_cast<volatile double*>(simt::dynamic_shared_memory())[index] = 1;  // dynamic: wide
}

__global__ void copy(const int* in, int* out) {
  out[threadIdx.x] = in[threadIdx.x];  // copy
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

__global__ void touch(int* values, int index) {
  values[index] = 1;  // touch
}

__global__ void touch_wide(double* values, int index) {
  values[index] = 1;  // wide
}

/// Threads write the second half of each pair.
__global__ void write_seconds(float2* pairs) {
  pairs[threadIdx.x].y = 2;
}

__global__ void read_pairs(const float2* pairs, float2* out) {
  out[threadIdx.x] = pairs[threadIdx.x];  // pair: read
}

/// Copies a part of each row by a call: the compiler does not know how long it is.
__global__ void copy_rows(const float* in, float* out, std::size_t bytes) {
  std::memcpy(out + 16 * threadIdx.x, in + 16 * threadIdx.x, bytes);  // row: copied
}

__global__ void move_row(float* row) {
  std::memmove(row + 1, row, threadIdx.x == 0 ? sizeof(float) : 3 * sizeof(float));  // row: moved
}

__global__ void fill_row(float* row, std::size_t bytes) {
  std::memset(row, 0, bytes);  // row: filled
}

struct Numbers {
  float values[40];
};

__global__ void copy_struct(const Numbers* in, Numbers* out) {
  out[threadIdx.x] = in[threadIdx.x];  // struct: copied
}

__global__ void touch_dynamic(int index) {
  static_cast<volatile int*>(simt::dynamic_shared_memory())[index] = 1;  // dynamic: write
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
  CHECK(faults_text(report).find("  writes  tests/fault_tests.cu:" + std::to_string(line("reverse: write")) +
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

TEST_CASE("shared memory that nobody has written") {
  const Buffer<int> out(2 * kThreads);
  const Report report = traced_launch(2, kThreads, read_unwritten, out.data());
  const ReportedFault fault = fault_of(report, FaultKind::kUninitialised, line("unwritten: read"), 0);
  CHECK(fault.count == 64);  // every second thread, of both blocks: the second must not find the first one's
  CHECK(fault.shared);
  CHECK(report.races == 0);
}

TEST_CASE("device memory that nobody has written") {
  const Buffer<int> unwritten(32), target(32), out(32);
  const Report report = traced_launch(1, 32, copy, unwritten.data(), out.data());
  CHECK(fault_of(report, FaultKind::kUninitialised, line("copy"), 0).count == 32);
  check_clean(traced_launch(1, 32, copy, out.data(), target.data()));  // a kernel has written `out`

  SECTION("a fill of its first half writes half of it") {
    REQUIRE(cudaMemset(unwritten.data(), 0, 64) == cudaSuccess);
    CHECK(traced_launch(1, 32, copy, unwritten.data(), out.data()).uninitialised == 16);
  }
  SECTION("a copy of nothing is still nothing") {
    REQUIRE(cudaMemcpy(target.data(), unwritten.data(), 64, cudaMemcpyDeviceToDevice) == cudaSuccess);
    CHECK(traced_launch(1, 32, copy, target.data(), out.data()).uninitialised == 16);
  }
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

TEST_CASE("out of bounds") {
  const Buffer<int> values(std::vector<int>(10));
  for (const auto& [index, where] : {std::pair{10, "directly behind the end of an allocation of 40 bytes"},
                                     {12, "8 bytes behind the end of an allocation of 40 bytes"}}) {
    const Report report = traced_launch(1, 1, touch, values.data(), index);
    const ReportedFault fault = fault_of(report, FaultKind::kOutOfBounds, line("touch"), 0);
    CHECK(fault.example == std::string("thread (0,0,0) of block (0,0,0), 4 bytes ") + where);
    CHECK(last_line(report) == "races 0, uninitialised reads 0, out of bounds 1");
  }
  int host = 0;  // a pointer of the host
  const Report report = traced_launch(1, 1, touch, &host, 0);
  CHECK(fault_of(report, FaultKind::kOutOfBounds, line("touch"), 0).example ==
        "thread (0,0,0) of block (0,0,0), 4 bytes in memory that is no kernel's");
}

TEST_CASE("across the end of an allocation") {
  const Buffer<int> values(std::vector<int>(11));
  const Report report = traced_launch(1, 1, touch_wide, reinterpret_cast<double*>(values.data()), 5);
  CHECK(fault_of(report, FaultKind::kOutOfBounds, line("wide"), 0).example ==
        "thread (0,0,0) of block (0,0,0), 8 bytes 3 bytes behind the end of an allocation of 44 bytes");
  CHECK(report.kernels[0].rows.empty());
}

TEST_CASE("single bytes of shared memory") {
  const Buffer<char> out(kThreads);
  check_clean(traced_launch(1, kThreads, reverse_bytes<true>, out.data()));
  const Report report = traced_launch(1, kThreads, reverse_bytes<false>, out.data());
  fault_of(report, FaultKind::kRaceInBlock, line("bytes: write"), line("bytes: read"));
  CHECK(fault_of(report, FaultKind::kUninitialised, line("bytes: read"), 0).count == 32);
}

TEST_CASE("the two parts of shared memory lie side by side") {
  constexpr int kWords = 8 * 1024;
  check_clean(traced([&] { simt_tests::launch(1, 2, kWords * sizeof(int), nullptr, both_parts, kWords); }));
}

TEST_CASE("across the end of dynamic shared memory, and before its beginning") {
  const Report across = traced([&] { simt_tests::launch(1, 1, 12, nullptr, touch_dynamic_wide, 1); });
  CHECK(fault_of(across, FaultKind::kOutOfBounds, line("dynamic: wide"), 0).example ==
        "thread (0,0,0) of block (0,0,0), 8 bytes across the end of the block's shared memory");
  const Report before = traced([&] { simt_tests::launch(1, 1, 64, nullptr, touch_dynamic, -1); });
  CHECK(fault_of(before, FaultKind::kOutOfBounds, line("dynamic: write"), 0).example ==
        "thread (0,0,0) of block (0,0,0), 4 bytes outside the block's 64 bytes of dynamic shared memory");
}

TEST_CASE("out of the bounds of dynamic shared memory") {
  const Report report = traced([&] { simt_tests::launch(1, 1, 64, nullptr, touch_dynamic, 16); });
  const ReportedFault fault = fault_of(report, FaultKind::kOutOfBounds, line("dynamic: write"), 0);
  CHECK(fault.shared);
  CHECK(fault.example ==
        "thread (0,0,0) of block (0,0,0), 4 bytes outside the block's 64 bytes of dynamic shared memory");
}

TEST_CASE("pairs of which a kernel and the host have written one half each") {
  constexpr unsigned kPairs = 8;
  const Buffer<float2> pairs(kPairs), out(kPairs);
  for (unsigned i = 0; i < kPairs; ++i) {
    const float one = 1;
    REQUIRE(cudaMemcpy(&pairs.data()[i].x, &one, sizeof one, cudaMemcpyHostToDevice) == cudaSuccess);
  }
  const Report report = traced_launch(1, kPairs, read_pairs, pairs.data(), out.data());
  CHECK(fault_of(report, FaultKind::kUninitialised, line("pair: read"), 0).count == kPairs);
  REQUIRE(simt_tests::run(1, kPairs - 1, write_seconds, pairs.data()) == cudaSuccess);
  CHECK(traced_launch(1, kPairs, read_pairs, pairs.data(), out.data()).uninitialised == 1);
  CHECK(traced_launch(1, kPairs - 1, read_pairs, pairs.data(), out.data()).uninitialised == 0);

  SECTION("a copy has the same halves") {
    const Buffer<float2> copied(kPairs);
    for (const std::size_t pieces : {1u, 3u}) {  // by any cut
      const std::size_t bytes = kPairs * sizeof(float2);
      for (std::size_t i = 0; i < pieces; ++i) {
        const std::size_t first = bytes * i / pieces, last = bytes * (i + 1) / pieces;
        REQUIRE(cudaMemcpy(reinterpret_cast<char*>(copied.data()) + first,
                           reinterpret_cast<const char*>(pairs.data()) + first, last - first,
                           cudaMemcpyDeviceToDevice) == cudaSuccess);
      }
      CHECK(traced_launch(1, kPairs, read_pairs, copied.data(), out.data()).uninitialised == 1);
      CHECK(traced_launch(1, kPairs - 1, read_pairs, copied.data(), out.data()).uninitialised == 0);
    }
    const Buffer<float2> unwritten(kPairs);  // over what was good
    REQUIRE(cudaMemcpy(copied.data(), unwritten.data(), 2 * sizeof(float2), cudaMemcpyDeviceToDevice) ==
            cudaSuccess);
    CHECK(traced_launch(1, kPairs, read_pairs, copied.data(), out.data()).uninitialised == 3);
  }
}

TEST_CASE("what memcpy() and its like access is seen") {
  const Buffer<float> in(std::vector<float>(64, 1)), out(64), unwritten(64);
  check_clean(traced_launch(1, 4, copy_rows, in.data(), out.data(), 64));
  CHECK(fault_of(traced_launch(1, 4, copy_rows, unwritten.data(), out.data(), 48), FaultKind::kUninitialised,
                 line("row: copied"), 0)
            .count == 4 * 3);
  // 20 floats: the last four of each row are the next thread's first four
  const Report overlap = traced_launch(1, 3, copy_rows, in.data(), out.data(), 80);
  CHECK(fault_of(overlap, FaultKind::kRaceInBlock, line("row: copied"), line("row: copied")).count == 2);
  CHECK(overlap.races == 2);
  CHECK(traced_launch(1, 2, move_row, out.data()).races > 0);
  check_clean(traced_launch(1, 1, move_row, out.data()));
  CHECK(fault_of(traced_launch(1, 2, fill_row, out.data(), 16), FaultKind::kRaceInBlock, line("row: filled"),
                 line("row: filled"))
            .writes);
}

TEST_CASE("a large struct is copied in pieces") {
  const Buffer<Numbers> in(std::vector<Numbers>(32)), out(32);
  const Report report = traced_launch(1, 32, copy_struct, in.data(), out.data());
  check_clean(report);
  constexpr unsigned kPieces = sizeof(Numbers) / 16;
  CHECK(only_total(report).loads.requests == kPieces);
  CHECK(only_total(report).stores.requests == kPieces);
}
