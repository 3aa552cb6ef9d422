/// \file
/// Memory that nobody has written, that does not exist, and that is copied by calls.
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

__global__ void read_unwritten(int* out) {
  __shared__ int values[kThreads];
  if (threadIdx.x % 2 == 0) values[threadIdx.x] = 1;
  __syncthreads();
  out[blockIdx.x * kThreads + threadIdx.x] = values[threadIdx.x];  // unwritten: read
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

__global__ void touch(int* values, int index) {
  values[index] = 1;  // touch
}

__global__ void touch_wide(double* values, int index) {
  values[index] = 1;  // wide
}

__global__ void copy_every(const short* values, unsigned stride, short* out) {
  out[threadIdx.x] = values[stride * threadIdx.x];
}

__global__ void write_shorts(short* values) {
  values[threadIdx.x] = 1;
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

TEST_CASE("copies of what is written in part") {
  const Buffer<short> source(2 * kThreads), target(2 * kThreads), out(2 * kThreads);
  const auto uninitialised = [&](const short* values, unsigned stride) {
    return traced_launch(1, kThreads, copy_every, values, stride, out.data()).uninitialised;
  };
  const auto copy_all = [&](const short* from) {
    REQUIRE(cudaMemcpy(target.data(), from, 2 * kThreads * sizeof(short), cudaMemcpyDeviceToDevice) ==
            cudaSuccess);
  };
  // The first element by a kernel, the others by nobody.
  REQUIRE(simt_tests::run(1, 1, write_shorts, source.data()) == cudaSuccess);
  copy_all(source.data());
  CHECK(uninitialised(target.data(), 1) == kThreads - 1);
  // The second half of each word by the host, nothing by a kernel.
  const Buffer<short> halves(2 * kThreads);
  for (unsigned i = 0; i < kThreads; ++i) {
    const short one = 1;
    REQUIRE(cudaMemcpy(halves.data() + 2 * i + 1, &one, sizeof one, cudaMemcpyHostToDevice) == cudaSuccess);
  }
  copy_all(halves.data());
  CHECK(uninitialised(target.data(), 2) == kThreads);
  CHECK(uninitialised(target.data() + 1, 2) == 0);
}

TEST_CASE("halves of words that were written whole") {
  const Buffer<int> words(kThreads), out(kThreads);
  const Buffer<int> in(std::vector<int>(kThreads, 7));
  REQUIRE(simt_tests::run(1, kThreads, copy, in.data(), words.data()) == cudaSuccess);
  const auto* halves = reinterpret_cast<const short*>(words.data());
  check_clean(traced_launch(1, kThreads, copy_every, halves + 1, 2u, reinterpret_cast<short*>(out.data())));
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
