/// \file
/// Chapter 04: what its kernels' memory accesses ask for. A kernel that gets worse is noticed here.
#include "chapters/04_shared_memory/chapter.cuh"
#include "common/harness/tests/trace_counts.hpp"

namespace ropewalk::shared_memory {
namespace {

using suite::check_counts;
using suite::traced_totals;

constexpr std::uint64_t kTokens = 64, kHeads = 40, kWarpsPerHead = 2;
constexpr std::uint64_t kWarps = kTokens * kHeads * kWarpsPerHead;  // one thread per pair: 5,120
constexpr Shape kShape = {
    .batch = 1, .tokens = 64, .q_heads = 32, .kv_heads = 8, .head_dim = 128, .rotary_dim = 128};

}  // namespace

TEST_CASE("without sharing, every warp asks for its row of the table") {
  // 1 sector of positions, 4 of cosines, 4 of sines, and 2 for each half of the pair
  for (const char* variant : {"naive", "head_direct", "token_direct"}) {
    CAPTURE(variant);
    check_counts(traced_totals(chapter(), variant, kShape, Dtype::bf16),
                 {5 * kWarps, 13 * kWarps, 2 * kWarps, 4 * kWarps});
  }
  // A row for each head in shared memory: the same, and 2 wavefronts each way on top.
  check_counts(traced_totals(chapter(), "head_staged", kShape, Dtype::bf16),
               {5 * kWarps, 13 * kWarps, 2 * kWarps, 4 * kWarps, 2 * kWarps, 2 * kWarps});
  CHECK(5 * kWarps == 25'600);
  CHECK(13 * kWarps == 66'560);
}

TEST_CASE("a row that all heads share is read once per token") {
  // Staging takes 4 warps of the block: each asks for the position and for 128 bytes of the table. 8 warps
  // read the two numbers of their pair, once.
  const std::uint64_t requests = 2 * kWarps + kTokens * (4 + 4), sectors = 4 * kWarps + kTokens * (4 + 16);
  for (const char* variant : {"token_staged", "four_tokens"}) {
    CAPTURE(variant);
    check_counts(traced_totals(chapter(), variant, kShape, Dtype::bf16),
                 {requests, sectors, 2 * kWarps, 4 * kWarps, 16 * kTokens, 4 * kTokens});
  }
  CHECK(requests == 10'752);
  CHECK(sectors == 21'760);
  // No table: only the position is left.
  check_counts(traced_totals(chapter(), "powf_staged", kShape, Dtype::bf16),
               {2 * kWarps + 4 * kTokens, 4 * kWarps + 4 * kTokens, 2 * kWarps, 4 * kWarps, 16 * kTokens,
                4 * kTokens});
  // Registers: each of the 8 warps asks for the position and its own part of the row.
  check_counts(traced_totals(chapter(), "token_registers", kShape, Dtype::bf16),
               {2 * kWarps + 24 * kTokens, 4 * kWarps + 72 * kTokens, 2 * kWarps, 4 * kWarps});
}

TEST_CASE("float takes twice the sectors and as many requests") {
  check_counts(traced_totals(chapter(), "token_staged", kShape, Dtype::f32),
               {10'752, 8 * kWarps + 20 * kTokens, 2 * kWarps, 8 * kWarps, 16 * kTokens, 4 * kTokens});
}

}  // namespace ropewalk::shared_memory
