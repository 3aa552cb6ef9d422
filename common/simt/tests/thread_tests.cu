/// \file
/// Threads, blocks, shared memory and block barriers. Valid CUDA: on a GPU the same tests pass.
#include <numeric>

#include "common/gpu/dynamic_shared.cuh"
#include "common/simt/tests/launch.hpp"
#include "common/testing/catch.hpp"

using simt_tests::Buffer;
using simt_tests::launch;
using simt_tests::run;

namespace {

struct Place {
  uint3 thread, block;
  dim3 block_shape, grid_shape;
};

__global__ void write_place(Place* out) {
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  out[block * (blockDim.x * blockDim.y * blockDim.z) + thread] = {threadIdx, blockIdx, blockDim, gridDim};
}

bool equal(uint3 a, uint3 b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

// Checks that each thread of the grid saw its own indices and the launch's shape.
void check_places(dim3 grid, dim3 block) {
  const unsigned per_block = block.x * block.y * block.z, blocks = grid.x * grid.y * grid.z;
  Buffer<Place> out(std::size_t(blocks) * per_block);
  REQUIRE(run(grid, block, write_place, out.data()) == cudaSuccess);
  unsigned wrong = 0, i = 0;
  for (const Place& place : out.download()) {
    const unsigned t = i % per_block, b = i / per_block;
    const uint3 thread{t % block.x, t / block.x % block.y, t / block.x / block.y};
    const uint3 where{b % grid.x, b / grid.x % grid.y, b / grid.x / grid.y};
    wrong += !equal(place.thread, thread) || !equal(place.block, where) || !equal(place.block_shape, block) ||
             !equal(place.grid_shape, grid);
    ++i;
  }
  CHECK(wrong == 0);
}

// `unwritten` shows that a compiler does not take what nobody writes for zero.
template <class T>
__global__ void read_poison(T* out) {
  __shared__ T fixed[4], unwritten;
  T* dynamic = ropewalk::dynamic_shared<T>();
  if (threadIdx.x == 0) {
    out[3 * blockIdx.x] = fixed[3];
    out[3 * blockIdx.x + 1] = dynamic[5];
    out[3 * blockIdx.x + 2] = unwritten;
    fixed[3] = dynamic[5] = 0;  // must not be seen by the next block
  }
}

template <int kSize>
__global__ void reverse_fixed(int* values) {
  __shared__ int copy[kSize];
  copy[threadIdx.x] = values[threadIdx.x];
  __syncthreads();
  values[threadIdx.x] = copy[kSize - 1 - threadIdx.x];
}

template <class T>
__global__ void reverse_dynamic(T* values) {
  T* copy = ropewalk::dynamic_shared<T>();
  copy[threadIdx.x] = values[threadIdx.x];
  __syncthreads();
  values[threadIdx.x] = copy[blockDim.x - 1 - threadIdx.x];
}

// Each round is right only if every thread waits at both barriers of it.
__global__ void prefix_sums(int* values) {
  __shared__ int partial[1024];
  const unsigned i = threadIdx.x;
  partial[i] = values[i];
  for (unsigned step = 1; step < blockDim.x; step *= 2) {
    __syncthreads();
    const int before = i >= step ? partial[i - step] : 0;
    __syncthreads();
    partial[i] += before;
  }
  values[i] = partial[i];
}

__global__ void voting_barriers(int* out) {
  const int i = int(threadIdx.x);
  int* mine = out + 5 * i;
  mine[0] = __syncthreads_count(i % 3 == 0);
  mine[1] = __syncthreads_and(i < 100);
  mine[2] = __syncthreads_and(i < 99);
  mine[3] = __syncthreads_or(i == 57);
  mine[4] = __syncthreads_or(i == 100);
}

// Thread `waiter` of a block waits for a flag that another thread sets, and polls it with an atomic.
__global__ void poll_flag(int* flag, unsigned waiter) {
  if (threadIdx.x == waiter) {
    while (atomicAdd(flag, 0) == 0) {
    }
  } else if (threadIdx.x == 40) {
    atomicExch(flag, 1);
  }
}

__global__ void sleep_until_flag(int* flag, unsigned waiter) {
  if (threadIdx.x == waiter) {
    while (atomicAdd(flag, 0) == 0) __nanosleep(100);
  } else if (threadIdx.x == 40) {
    atomicExch(flag, 1);
  }
}

// Every thread adds to the count, one at a time.
__global__ void count_under_lock(int* lock, int* count) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  const int value = *count;
  __syncwarp(1u << threadIdx.x % 32);  // lets others run while this thread holds the lock
  *count = value + 1;
  __threadfence();
  atomicExch(lock, 0);
}

}  // namespace

TEST_CASE("every thread sees its indices, in one to three dimensions") {
  check_places(1, 1);
  check_places(7, 33);
  check_places(dim3(3, 5), dim3(4, 8));
  check_places(dim3(2, 3, 4), dim3(5, 6, 7));
  check_places(dim3(1, 1, 9), dim3(2, 1, 64));
  check_places(2, 1024);
}

TEST_CASE("arrays in shared memory, fixed and dynamic, of several types") {
  std::vector<int> values(256), reversed(256);
  std::iota(values.begin(), values.end(), 1);
  std::copy(values.rbegin(), values.rend(), reversed.begin());
  Buffer<int> ints(values);
  CHECK(run(1, 256, reverse_fixed<256>, ints.data()) == cudaSuccess);
  CHECK(ints.download() == reversed);
  CHECK(launch(1, 256, 256 * sizeof(int), nullptr, reverse_dynamic<int>, ints.data()) == cudaSuccess);
  CHECK(ints.download() == values);

  Buffer<double> doubles(std::vector<double>{1, 2, 3});
  CHECK(launch(1, 3, 3 * sizeof(double), nullptr, reverse_dynamic<double>, doubles.data()) == cudaSuccess);
  CHECK(doubles.download() == std::vector<double>{3, 2, 1});
}

TEST_CASE("barriers in a loop") {
  std::vector<int> values(1000, 1), sums(1000);
  std::iota(sums.begin(), sums.end(), 1);
  Buffer<int> buffer(values);
  CHECK(run(1, 1000, prefix_sums, buffer.data()) == cudaSuccess);
  CHECK(buffer.download() == sums);
}

TEST_CASE("barriers that vote") {
  Buffer<int> out(5 * 100);
  REQUIRE(run(1, 100, voting_barriers, out.data()) == cudaSuccess);
  const std::vector<int> votes = out.download();
  for (std::size_t i = 0; i < 100; ++i) {
    CAPTURE(i);
    CHECK(votes[5 * i] == 34);
    CHECK(votes[5 * i + 1] != 0);
    CHECK(votes[5 * i + 2] == 0);
    CHECK(votes[5 * i + 3] != 0);
    CHECK(votes[5 * i + 4] == 0);
  }
}

#ifndef __CUDACC__
TEST_CASE("shared memory is poisoned before each block") {
  Buffer<unsigned> out(3 * 3);
  cudaMemset(out.data(), 0, 3 * 3 * sizeof(unsigned));
  CHECK(launch(3, 32, 64, nullptr, read_poison<unsigned>, out.data()) == cudaSuccess);
  CHECK(out.download() == std::vector<unsigned>(9, 0xffffffffu));
}

namespace {
thread_local int host_value = 7;
}
TEST_CASE("the host's own thread_local variables survive a launch") {
  host_value = 11;
  Buffer<int> buffer(std::vector<int>(8, 1));
  CHECK(run(1, 8, prefix_sums, buffer.data()) == cudaSuccess);
  CHECK(host_value == 11);
}
#endif

TEST_CASE("a thread that polls with an atomic lets others run") {
  for (const unsigned waiter : {0u, 39u, 41u}) {
    CAPTURE(waiter);
    Buffer<int> flag(std::vector<int>{0});
    CHECK(run(1, 64, poll_flag, flag.data(), waiter) == cudaSuccess);
    flag.upload({0});
    CHECK(run(1, 64, sleep_until_flag, flag.data(), waiter) == cudaSuccess);
  }
  Buffer<int> lock(std::vector<int>{0}), count(std::vector<int>{0});
  CHECK(run(1, 64, count_under_lock, lock.data(), count.data()) == cudaSuccess);
  CHECK(count.download() == std::vector<int>{64});
}
