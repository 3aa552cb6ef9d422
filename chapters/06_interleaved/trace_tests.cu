/// \file
/// Chapter 06: what its kernels' memory accesses ask for, as numbers.
#include "chapters/06_interleaved/chapter.cuh"
#include "common/harness/tests/trace_counts.hpp"

namespace ropewalk::interleaved {
namespace {

using suite::check_counts;
using suite::traced_totals;

constexpr std::uint64_t kTokens = 64, kHeads = 40;
constexpr Shape kShape = {
    .batch = 1, .tokens = 64, .q_heads = 32, .kv_heads = 8, .head_dim = 128, .rotary_dim = 128};
constexpr std::uint64_t kHeadsOfAll = kTokens * kHeads;  // 2,560 heads of 256 bytes: 8 sectors each

void expect(const char* variant, Dtype dtype, const suite::ExpectedCounts& counts) {
  CAPTURE(variant, static_cast<int>(dtype));
  check_counts(traced_totals(chapter(), variant, kShape, dtype, Style::interleaved), counts);
}

}  // namespace

TEST_CASE("the wider the access, the fewer requests, and the sectors of q and k stay the same") {
  // A block has 8 warps, each with a request for the position. Its two numbers: 4 rows of 64 threads read the
  // row, 2 requests of 4 sectors each for cosines and as many for sines.
  const std::uint64_t row_requests = kTokens * (8 + 4 * 2 * 2), row_sectors = kTokens * (8 + 4 * 2 * 2 * 4);
  // One channel at a time: a head's first channels take 2 requests of 4 sectors, and so do its second ones.
  expect("stride_2", Dtype::bf16,
         {row_requests + 4 * kHeadsOfAll, row_sectors + 16 * kHeadsOfAll, 4 * kHeadsOfAll, 16 * kHeadsOfAll});
  expect("one_pair", Dtype::bf16,
         {row_requests + 2 * kHeadsOfAll, row_sectors + 8 * kHeadsOfAll, 2 * kHeadsOfAll, 8 * kHeadsOfAll});
  // 8 rows of 32 threads: a warp reads a head with one request, and 64 cosines with one of 8 sectors.
  expect("two_pairs", Dtype::bf16,
         {kTokens * (8 + 8 * 2) + kHeadsOfAll, kTokens * (8 + 8 * 2 * 8) + 8 * kHeadsOfAll, kHeadsOfAll,
          8 * kHeadsOfAll});
  // 14 rows of 16 threads, 7 warps: two heads share a request, and both read the same 64 cosines.
  expect("four_pairs", Dtype::bf16,
         {kTokens * (7 + 7 * 2) + kHeadsOfAll / 2, kTokens * (7 + 7 * 2 * 8) + 8 * kHeadsOfAll,
          kHeadsOfAll / 2, 8 * kHeadsOfAll});
}

TEST_CASE("four pairs of floats are two accesses of 16 bytes, each with gaps") {
  // Lanes lie 32 bytes apart: every access touches all 16 sectors of a head's 512 bytes.
  expect("four_pairs", Dtype::f32,
         {kTokens * (7 + 7 * 2) + 2 * kHeadsOfAll / 2, kTokens * (7 + 7 * 2 * 8) + 2 * 16 * kHeadsOfAll,
          2 * kHeadsOfAll / 2, 2 * 16 * kHeadsOfAll});
  expect("two_pairs", Dtype::f32,
         {kTokens * (8 + 8 * 2) + kHeadsOfAll, kTokens * (8 + 8 * 2 * 8) + 16 * kHeadsOfAll, kHeadsOfAll,
          16 * kHeadsOfAll});
}

}  // namespace ropewalk::interleaved
