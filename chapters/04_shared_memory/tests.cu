/// \file
/// Chapter 04: what every chapter's kernels must do, what goes wrong without the barrier, and the tails of
/// blocks.
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "chapters/04_shared_memory/chapter.cuh"
#include "common/gpu/device_array.hpp"
#include "common/gpu/stream.hpp"
#include "common/harness/tests/kernel_suite.hpp"
#include "common/testing/catch.hpp"

namespace ropewalk::shared_memory {

TEST_CASE("what every kernel must do") {
  suite::check_kernels(chapter(), 8);
}

TEST_CASE("a block has a thread per pair and no more than 256 in all") {
  for (const int pairs : {1, 3, 20, 64, 85, 128, 255, 256, 257, 6144}) {
    const dim3 block = block_for(pairs);
    INFO(pairs << " pairs: " << block.x << " x " << block.y);
    CHECK(block.x * block.y <= static_cast<unsigned>(kThreads));
    CHECK(block.x * (block.y + 1) > static_cast<unsigned>(kThreads));  // another row would not fit
    CHECK(block.x == static_cast<unsigned>(pairs < kThreads ? pairs : kThreads));
  }
}

TEST_CASE("heads of k follow those of q, and element numbers do not wrap at 2^31") {
  // Only addresses are computed. The compiler may not know that there is no memory behind them.
  volatile std::uintptr_t q_at = 1ULL << 32, k_at = 1ULL << 40;
  const std::uintptr_t q = q_at, k = k_at;
  const Tensors<float> a{
      reinterpret_cast<float*>(q), reinterpret_cast<float*>(k), nullptr, 600'000, 32, 8, 128, 128};
  const auto address = [&](long long token, int h) {
    return reinterpret_cast<std::uintptr_t>(a.head(token, h));
  };
  CHECK(address(524'288, 1) == q + 4 * (2'147'483'648ULL + 128));
  CHECK(address(0, 32) == k);
  CHECK(address(3, 39) == k + 4 * ((3 * 8 + 7) * 128));
}

// A block takes 4 tokens, or fewer where their rows would not fit, and the last block what is left. More
// heads than rows of threads, and fewer; more pairs than threads; rows that fill the shared memory to the
// last byte.
TEST_CASE("tails of tokens, heads and pairs") {
  const Chapter c = chapter();
  for (const std::int64_t tokens : {1, 3, 4, 5, 9})
    for (const std::int64_t q_heads : {1, 2, 9})
      for (const std::int64_t rotary_dim : {2, 34, 128, 514, 3072, 6144, 12288}) {
        if (rotary_dim > 514 && q_heads > 1) continue;
        RunRequest request;
        request.position_offset = 5;
        suite::check_every_variant(c, random_case(request,
                                                  {.batch = 1,
                                                   .tokens = tokens,
                                                   .q_heads = q_heads,
                                                   .kv_heads = 1,
                                                   .head_dim = rotary_dim + 2,
                                                   .rotary_dim = rotary_dim},
                                                  Style::half, "tails"));
      }
}

TEST_CASE("what does not fit into shared memory is refused") {
  Shape shape = chapter().default_shape;
  shape.rotary_dim = shape.head_dim = kMostSharedFloats;
  CHECK(refusal(shape).empty());
  shape.rotary_dim = shape.head_dim = kMostSharedFloats + 2;
  CHECK(refusal(shape) ==
        "rotary_dim: 12290 cosines and sines do not fit into the shared memory of a block; allowed: "
        "up to 12288");
}

TEST_CASE("a position outside the table gives NaN for its own token only") {
  for (const int outside : {4096, -1}) {
    const std::vector<float> x = {1, 2, 3, 4}, ones(4096, 1.0f);
    const std::vector<int> positions = {outside, 4095};
    DeviceArray<float> dx{std::span<const float>(x)}, table{std::span<const float>(ones)};
    DeviceArray<int> dp{std::span<const int>(positions)};
    const Stream stream;
    launch_token_staged(stream, Tensors<float>{dx.data(), nullptr, dp.data(), 2, 1, 0, 2, 2},
                        FromTable{{table.data(), table.data(), 0, 4096}}, 2);
    stream.synchronize();
    const std::vector<float> y = dx.download();
    CHECK(std::isnan(y[0]));
    CHECK(std::isnan(y[1]));
    CHECK(y[2] == -1);  // cos = sin = 1 in this table
    CHECK(y[3] == 7);
  }
}

}  // namespace ropewalk::shared_memory
