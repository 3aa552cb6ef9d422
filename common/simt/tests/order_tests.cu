/// \file
/// SIMT_SEED: which order threads and blocks run in, and that a seed repeats it.
#include <algorithm>
#include <numeric>
#include <optional>

#include "common/simt/executor/random.hpp"
#include "common/simt/tests/launch.hpp"
#include "common/testing/catch.hpp"

using simt_tests::Buffer;
using simt_tests::run;

namespace {

constexpr std::size_t kThreads = 4 * 64;

// Each thread draws a number before the barrier and one after it.
__global__ void draw_numbers(int* counters, int* before, int* after) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  before[i] = atomicAdd(&counters[0], 1);
  __syncthreads();
  after[i] = atomicAdd(&counters[1], 1);
}

struct Order {
  std::vector<int> before, after;
  bool operator==(const Order&) const = default;
};

Order order_with(std::optional<std::uint64_t> seed) {
  const simt::Options saved = simt::options();
  simt::options().seed = seed;
  Buffer<int> counters(std::vector<int>(2, 0)), before(kThreads), after(kThreads);
  CHECK(run(4, 64, draw_numbers, counters.data(), before.data(), after.data()) == cudaSuccess);
  simt::options() = saved;
  return {before.download(), after.download()};
}

bool is_permutation(std::vector<int> numbers) {
  std::sort(numbers.begin(), numbers.end());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] != int(i)) return false;
  }
  return true;
}

__global__ void trap_in_every_thread() {
  __trap();
}

}  // namespace

TEST_CASE("without a seed threads and blocks run by index") {
  const Order order = order_with(std::nullopt);
  std::vector<int> by_index(kThreads);
  std::iota(by_index.begin(), by_index.end(), 0);
  CHECK(order.before == by_index);
  CHECK(order.after == by_index);
}

TEST_CASE("a seed changes the order and repeats it") {
  const Order in_order = order_with(std::nullopt);
  std::vector<Order> seen;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    CAPTURE(seed);
    const Order order = order_with(seed);
    CHECK(order == order_with(seed));
    CHECK(is_permutation(order.before));
    CHECK(is_permutation(order.after));
    CHECK(order.before != in_order.before);
    CHECK(order.after != order.before);
    CHECK(std::find(seen.begin(), seen.end(), order) == seen.end());
    seen.push_back(order);
  }
}

TEST_CASE("blocks are shuffled too") {
  const Order order = order_with(3);
  std::vector<int> first_of_block;
  for (std::size_t block = 0; block < 4; ++block) {
    const auto begin = order.before.begin() + long(block * 64);
    const int first = *std::min_element(begin, begin + 64);
    CHECK(first % 64 == 0);  // a block runs to its end before the next one starts
    first_of_block.push_back(first / 64);
  }
  CHECK(is_permutation(first_of_block));
  CHECK_FALSE(std::is_sorted(first_of_block.begin(), first_of_block.end()));
}

// Another machine or compiler must find the same order: reports name seeds.
TEST_CASE("a seed means the same order everywhere") {
  const std::vector<int> order = order_with(1).before;
  CHECK(std::vector<int>(order.begin(), order.begin() + 6) == std::vector<int>{207, 198, 211, 230, 216, 241});
}

TEST_CASE("the order of a grid too large for a list is a permutation") {
  for (const std::uint64_t count : {1u, 2u, 3u, 4u, 5u, 16u, 17u, 255u, 1000u, 4096u, 70000u}) {
    CAPTURE(count);
    simt::Random random(7);
    const simt::Permutation permutation(count, random);
    std::vector<int> order;
    for (std::uint64_t i = 0; i < count; ++i) order.push_back(int(permutation(i)));
    if (count > 5) CHECK_FALSE(std::is_sorted(order.begin(), order.end()));
    CHECK(is_permutation(order));
  }
  // Up to the largest grid that CUDA allows.
  simt::Random random(7);
  const std::uint64_t largest = std::uint64_t{2147483647} * 65535 * 65535;
  const simt::Permutation permutation(largest, random);
  for (std::uint64_t i = 0; i < 1000; ++i) CHECK(permutation(i) < largest);
}

TEST_CASE("a seed orders the largest grid without a list of its blocks") {
  const simt::Options saved = simt::options();
  simt::options().seed = 3;
  CHECK(run(dim3(2147483647, 65535, 65535), 1, trap_in_every_thread) == cudaErrorLaunchFailure);
  simt::clear_error();
  simt::options() = saved;
}
