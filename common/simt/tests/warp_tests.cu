/// \file
/// Warp operations. Valid CUDA: on a GPU the same tests pass.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <functional>

#include "common/simt/tests/launch.hpp"
#include "common/testing/catch.hpp"

using simt_tests::Buffer;
using simt_tests::run;

namespace {

constexpr unsigned kAll = 0xffffffffu;

enum class Shuffle { kIndex, kUp, kDown, kXor };

__global__ void shuffle(int* out, Shuffle kind, int argument, int width) {
  const int value = 100 + int(threadIdx.x);
  int result = 0;
  if (kind == Shuffle::kIndex) result = __shfl_sync(kAll, value, argument, width);
  if (kind == Shuffle::kUp) result = __shfl_up_sync(kAll, value, unsigned(argument), width);
  if (kind == Shuffle::kDown) result = __shfl_down_sync(kAll, value, unsigned(argument), width);
  if (kind == Shuffle::kXor) result = __shfl_xor_sync(kAll, value, argument, width);
  out[threadIdx.x] = result - 100;
}

// The source lane of each of the 32 lanes of the second warp.
std::vector<int> sources(Shuffle kind, int argument, int width) {
  Buffer<int> out(64);
  REQUIRE(run(1, 64, shuffle, out.data(), kind, argument, width) == cudaSuccess);
  std::vector<int> lanes = out.download();
  lanes.erase(lanes.begin(), lanes.begin() + 32);
  for (int& lane : lanes) lane -= 32;
  return lanes;
}

std::vector<int> expected(const std::function<int(int)>& source) {
  std::vector<int> lanes;
  for (int lane = 0; lane < 32; ++lane) lanes.push_back(source(lane));
  return lanes;
}

template <class T>
__global__ void shuffle_type(T* values) {
  values[threadIdx.x] = __shfl_xor_sync(kAll, values[threadIdx.x], 1);
}

template <class T>
void check_type() {
  std::vector<T> values(32);
  for (int i = 0; i < 32; ++i) values[std::size_t(i)] = static_cast<T>(float(i));
  Buffer<T> buffer(values);
  REQUIRE(run(1, 32, shuffle_type<T>, buffer.data()) == cudaSuccess);
  const std::vector<T> swapped = buffer.download();
  for (std::size_t i = 0; i < 32; ++i) CHECK(float(swapped[i]) == float(i ^ 1));
}

__global__ void votes(unsigned* out) {
  const unsigned lane = threadIdx.x;
  unsigned* mine = out + 8 * lane;
  mine[0] = __ballot_sync(kAll, lane % 3 == 0);
  mine[1] = unsigned(__any_sync(kAll, lane == 31));
  mine[2] = unsigned(__any_sync(kAll, lane == 32));
  mine[3] = unsigned(__all_sync(kAll, lane < 32));
  mine[4] = unsigned(__all_sync(kAll, lane < 31));
  mine[5] = __match_any_sync(kAll, lane % 4);
  int all = 0;
  mine[6] = __match_all_sync(kAll, 5, &all) + unsigned(all) - 1u;
  mine[7] = __match_all_sync(kAll, lane / 31, &all) + unsigned(all);
}

__global__ void reductions(int* out) {
  const int lane = int(threadIdx.x);
  int* mine = out + 8 * lane;
  mine[0] = __reduce_add_sync(kAll, lane - 10);
  mine[1] = __reduce_min_sync(kAll, lane - 10);
  mine[2] = __reduce_max_sync(kAll, lane - 10);
  mine[3] = int(__reduce_and_sync(kAll, unsigned(lane) | 96u));
  mine[4] = int(__reduce_or_sync(kAll, unsigned(lane)));
  mine[5] = int(__reduce_xor_sync(kAll, unsigned(lane) | (lane == 0 ? 64u : 0u)));
  mine[6] = int(__reduce_min_sync(kAll, unsigned(lane) - 10u));
  mine[7] = int(__reduce_max_sync(kAll, unsigned(lane) - 10u) + 1u);
}

// Two halves of a warp work on their own, then together; the last warp has eight lanes.
__global__ void partial_masks(int* out) {
  const int i = int(threadIdx.x), lane = i % 32;
  if (i >= 32) {
    out[i] = __shfl_down_sync(0xffu, lane, 4, 8);
    return;
  }
  int sum = lane;
  if (lane < 16) {
    for (int step = 8; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffu, sum, step);
  } else {
    sum = -int(__popc(__ballot_sync(0xffff0000u, lane % 2)));
  }
  __syncwarp();
  out[i] = sum + __shfl_sync(kAll, sum, 31);
}

// The same call at two lines. NVIDIA's programming guide shows it as valid since Volta.
__global__ void shuffle_in_both_branches(int* out) {
  const int lane = int(threadIdx.x % 32);
  if (lane < 16) {
    out[threadIdx.x] = __shfl_xor_sync(kAll, 2 * lane, 16);
  } else {
    out[threadIdx.x] = __shfl_xor_sync(kAll, 3 * lane, 16);
  }
}

__global__ void active_masks(unsigned* out) {
  const unsigned i = threadIdx.x;
  if (i % 2 == 0) {
    out[i] = __activemask();
  } else {
    out[i] = __activemask();
  }
}

}  // namespace

TEST_CASE("shuffles read the lane that CUDA says") {
  for (const int width : {32, 16, 8, 2}) {
    CAPTURE(width);
    const auto base = [width](int lane) { return lane / width * width; };
    for (const int argument : {0, 1, 5, 31, 33}) {
      const int n = argument % 32;
      CAPTURE(argument);
      CHECK(sources(Shuffle::kIndex, argument, width) ==
            expected([&](int lane) { return base(lane) + n % width; }));
      CHECK(sources(Shuffle::kUp, argument, width) ==
            expected([&](int lane) { return lane - n < base(lane) ? lane : lane - n; }));
      CHECK(sources(Shuffle::kDown, argument, width) ==
            expected([&](int lane) { return lane + n >= base(lane) + width ? lane : lane + n; }));
      if (argument < 32) {
        CHECK(sources(Shuffle::kXor, argument, width) ==
              expected([&](int lane) { return (lane ^ n) >= base(lane) + width ? lane : lane ^ n; }));
      }
    }
  }
}

TEST_CASE("shuffles move every type") {
  check_type<int>();
  check_type<unsigned>();
  check_type<long long>();
  check_type<float>();
  check_type<double>();
  check_type<__half>();
  check_type<__nv_bfloat16>();
}

TEST_CASE("votes and matches") {
  Buffer<unsigned> out(8 * 32);
  REQUIRE(run(1, 32, votes, out.data()) == cudaSuccess);
  const std::vector<unsigned> got = out.download();
  for (std::size_t lane = 0; lane < 32; ++lane) {
    CAPTURE(lane);
    CHECK(got[8 * lane] == 0x49249249u);
    CHECK(got[8 * lane + 1] != 0);
    CHECK(got[8 * lane + 2] == 0);
    CHECK(got[8 * lane + 3] != 0);
    CHECK(got[8 * lane + 4] == 0);
    CHECK(got[8 * lane + 5] == 0x11111111u << lane % 4);
    CHECK(got[8 * lane + 6] == kAll);
    CHECK(got[8 * lane + 7] == 0);
  }
}

TEST_CASE("reductions over a warp") {
  Buffer<int> out(8 * 32);
  REQUIRE(run(1, 32, reductions, out.data()) == cudaSuccess);
  const std::vector<int> got = out.download();
  const std::vector<int> want{176, -10, 21, 96, 31, 64, 0, 0};
  for (std::size_t i = 0; i < got.size(); ++i) CHECK(got[i] == want[i % 8]);
}

TEST_CASE("parts of a warp and a short last warp") {
  Buffer<int> out(40);
  REQUIRE(run(1, 40, partial_masks, out.data()) == cudaSuccess);
  const std::vector<int> got = out.download();
  for (std::size_t i = 0; i < 16; ++i) CHECK(got[i] == 120 - 8);
  for (std::size_t i = 16; i < 32; ++i) CHECK(got[i] == -16);
  for (std::size_t i = 32; i < 40; ++i) CHECK(got[i] == int(i - 32 < 4 ? i - 32 + 4 : i - 32));
}

TEST_CASE("two branches meet in one shuffle") {
  Buffer<int> out(64);
  REQUIRE(run(1, 64, shuffle_in_both_branches, out.data()) == cudaSuccess);
  const std::vector<int> got = out.download();
  for (std::size_t i = 0; i < 64; ++i) {
    const int lane = int(i % 32);
    CHECK(got[i] == (lane < 16 ? 3 * (lane + 16) : 2 * (lane - 16)));
  }
}

TEST_CASE("the active mask holds the caller and no lane of the other branch") {
  Buffer<unsigned> out(64);
  REQUIRE(run(1, 64, active_masks, out.data()) == cudaSuccess);
  const std::vector<unsigned> got = out.download();
  for (std::size_t i = 0; i < 64; ++i) {
    CHECK((got[i] >> i % 32 & 1u) == 1u);
    CHECK((got[i] & (i % 2 == 0 ? 0xaaaaaaaau : 0x55555555u)) == 0u);
  }
}
