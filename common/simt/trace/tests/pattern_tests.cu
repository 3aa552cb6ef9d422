/// \file
/// What single access patterns cost, with counts that follow from the rules by hand.
#include <cuda_fp16.h>

#include <vector>

#include "common/simt/trace/tests/counted.cuh"
#include "common/simt/trace/tests/tracing.hpp"

using namespace trace_tests;
using simt_tests::Buffer;

namespace {

template <class T>
Counts loads(int threads, int stride, int offset) {
  const Buffer<T> from(std::vector<T>(4096)), to(1024);
  const Report report =
      traced_launch(1, unsigned(threads), counted::copy<T>, from.data(), to.data(), stride, offset);
  check_clean(report);
  const Row row = row_of(report, line_with(counted::kFile, "copy"), Space::kGlobal, Operation::kLoad);
  CHECK(row.counts == only_total(report).loads);
  return row.counts;
}

template <class T>
Counts shared_loads(int stride) {
  const Buffer<T> out(std::vector<T>(32));
  const Report report = traced_launch(1, 32, counted::shared_words<T>, stride, 1, out.data());
  check_clean(report);
  const Row load = row_of(report, line_with(counted::kFile, "shared load"), Space::kShared, Operation::kLoad);
  const Row store =
      row_of(report, line_with(counted::kFile, "shared store"), Space::kShared, Operation::kStore);
  CHECK(load.counts == store.counts);
  return load.counts;
}

__global__ void diverge(const int* in, int* out) {
  const unsigned i = threadIdx.x;
  if (i % 2 == 0) {
    out[i] = in[i];  // even lanes
  } else {
    out[i] = -in[i];  // odd lanes
  }
}

__global__ void loop(const int* in, int* out) {
  int sum = 0;
  for (unsigned i = threadIdx.x; i < 40; i += 32) sum += in[i];  // twice by 8 lanes, once by 24
  out[threadIdx.x] = sum;
}

__global__ void add(int* sum, const int* values) {
  __shared__ int of_block;
  if (threadIdx.x == 0) of_block = 0;
  __syncthreads();
  atomicAdd(&of_block, values[blockIdx.x * blockDim.x + threadIdx.x]);  // on shared memory
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(sum, of_block);  // on device memory
}

__global__ void fill_dynamic(float* out) {
  float* values = static_cast<float*>(simt::dynamic_shared_memory());
  values[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = values[blockDim.x - 1 - threadIdx.x];
}

}  // namespace

TEST_CASE("sectors of one warp") {
  CHECK(loads<float>(32, 1, 0) == Counts{1, 4, 4, 0, 0});
  CHECK(loads<float>(32, 2, 0) == Counts{1, 8, 4, 0, 0});    // stride 2: half of each sector is wasted
  CHECK(loads<float>(32, 8, 0) == Counts{1, 32, 4, 0, 0});   // a sector for each lane
  CHECK(loads<float>(32, 1, 1) == Counts{1, 5, 4, 0, 0});    // not aligned to 32 bytes
  CHECK(loads<float>(16, 1, 4) == Counts{1, 3, 2, 0, 0});    // half a warp across three sectors
  CHECK(loads<float>(32, 0, 7) == Counts{1, 1, 1, 0, 0});    // all lanes read one number
  CHECK(loads<float>(32, -1, 31) == Counts{1, 4, 4, 0, 0});  // backwards
  CHECK(loads<__half>(32, 1, 0) == Counts{1, 2, 2, 0, 0});
  CHECK(loads<char>(32, 1, 31) == Counts{1, 2, 1, 0, 0});
  CHECK(loads<double>(32, 1, 0) == Counts{1, 8, 8, 0, 0});
  CHECK(loads<float4>(32, 1, 0) == Counts{1, 16, 16, 0, 0});
  CHECK(loads<counted::Pack<__half>>(32, 1, 0) == Counts{1, 16, 16, 0, 0});  // eight halves at once
  CHECK(loads<counted::Triple<float>>(32, 1, 0) ==
        Counts{3, 36, 12, 0, 0});  // 12 bytes are three accesses of 4
}

TEST_CASE("a last warp with fewer lanes, and several warps") {
  CHECK(loads<float>(40, 1, 0) == Counts{2, 5, 5, 0, 0});
  CHECK(loads<float>(1, 1, 0) == Counts{1, 1, 1, 0, 0});
  CHECK(loads<float>(1000, 1, 0) == Counts{32, 125, 125, 0, 0});
}

TEST_CASE("wavefronts of one warp") {
  CHECK(shared_loads<float>(1) == Counts{1, 0, 0, 1, 1});
  CHECK(shared_loads<float>(2) == Counts{1, 0, 0, 2, 1});
  CHECK(shared_loads<float>(32) == Counts{1, 0, 0, 32, 1});
  CHECK(shared_loads<float>(33) == Counts{1, 0, 0, 1, 1});  // the usual padding
  CHECK(shared_loads<__half>(1) == Counts{1, 0, 0, 1, 1});
  CHECK(shared_loads<double>(1) == Counts{1, 0, 0, 2, 2});  // by half warps
  CHECK(shared_loads<double>(2) == Counts{1, 0, 0, 4, 2});
  CHECK(shared_loads<float4>(1) == Counts{1, 0, 0, 4, 4});  // by quarter warps
}

TEST_CASE("lanes that part ways do not share a request") {
  const Buffer<int> in(std::vector<int>(32, 1)), out(32);
  const Report report = traced_launch(1, 32, diverge, in.data(), out.data());
  const auto counts = [&](const char* text, Operation operation) {
    return row_of(report, line_with(__FILE__, text), Space::kGlobal, operation).counts;
  };
  CHECK(counts("even lanes", Operation::kLoad) == Counts{1, 4, 2, 0, 0});
  CHECK(counts("odd lanes", Operation::kLoad) == Counts{1, 4, 2, 0, 0});
  CHECK(only_total(report).loads.requests == 2);
}

TEST_CASE("a loop is a request for each round") {
  const Buffer<int> in(std::vector<int>(40, 1)), out(32);
  const Report report = traced_launch(1, 32, loop, in.data(), out.data());
  CHECK(only_total(report).loads == Counts{2, 5, 5, 0, 0});
  check_clean(report);
}

TEST_CASE("atomics count for themselves and race with nobody") {
  const Buffer<int> sum(std::vector<int>(1)), values(std::vector<int>(128, 1));
  const Report report = traced_launch(2, 64, add, sum.data(), values.data());
  const auto row = [&](const char* text, Space space) {
    return row_of(report, line_with(__FILE__, text), space, Operation::kAtomic);
  };
  CHECK(row("on shared memory", Space::kShared).counts.requests == 4);
  CHECK(row("on device memory", Space::kGlobal).counts == Counts{2, 2, 2, 0, 0});
  CHECK(only_total(report).loads == Counts{4, 16, 16, 0, 0});
  CHECK(only_total(report).stores == Counts{});
  CHECK(sum.download()[0] == 128);
  check_clean(report);
}

TEST_CASE("dynamic shared memory") {
  const Buffer<float> out(64);
  const Report report =
      traced([&] { simt_tests::launch(1, 64, 64 * sizeof(float), nullptr, fill_dynamic, out.data()); });
  CHECK(only_total(report).shared_stores == Counts{2, 0, 0, 2, 2});
  CHECK(only_total(report).shared_loads == Counts{2, 0, 0, 2, 2});
  check_clean(report);
}

TEST_CASE("launches of one kernel share a table, and each has its totals") {
  const Buffer<float> from(std::vector<float>(256)), to(128);
  const Report report = traced([&] {
    for (const unsigned threads : {32u, 64u, 64u})
      simt_tests::launch(1, threads, 0, nullptr, counted::copy<float>, from.data(), to.data(), 1, 0);
  });
  REQUIRE(report.kernels.size() == 1);
  const KernelTrace& trace = report.kernels[0];
  REQUIRE(trace.launches.size() == 3);
  CHECK(trace.launches[0].loads.requests == 1);
  CHECK(trace.launches[1].loads.requests == 2);
  CHECK(total(trace).loads.requests == 5);
  const std::string text = tables_text(report);
  INFO(text);
  CHECK(text.find("test: copy<float> in tests/counted.cuh\n") == 0);
  CHECK(
      text.find(
          "  launch 1: 1 block of 32 threads. loads 1 requests, 4 sectors; stores 1 requests, 4 sectors\n") !=
      std::string::npos);
  CHECK(text.find("  launches 2 to 3, each: 1 block of 64 threads.") != std::string::npos);
  CHECK(csv_text(report, "NN").find("\nNN,test,copy<float>,tests/counted.cuh:") != std::string::npos);
}

TEST_CASE("without a label nothing is counted") {
  const Buffer<float> from(std::vector<float>(32)), to(32);
  start();
  take();
  set_label("");
  CHECK(simt_tests::run(1, 32, counted::copy<float>, static_cast<const float*>(from.data()), to.data(), 1,
                        0) == cudaSuccess);
  CHECK(take().kernels.empty());
}
