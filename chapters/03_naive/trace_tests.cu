/// \file
/// Chapter 03: what its kernels' memory accesses ask for. A kernel that gets worse is noticed here.
#include "chapters/03_naive/chapter.cuh"
#include "common/harness/tests/trace_counts.hpp"

namespace ropewalk::naive {
namespace {

using suite::check_counts;
using suite::traced_totals;

// 64 pairs are two warps: 64 tokens of 40 heads have 5,120.
constexpr Shape kShape = {
    .batch = 1, .tokens = 64, .q_heads = 32, .kv_heads = 8, .head_dim = 128, .rotary_dim = 128};
constexpr std::uint64_t kWarps = 5120;

}  // namespace

TEST_CASE("a warp asks once for the position, twice for the table, twice for the pair") {
  for (const char* variant : {"table", "row_per_block"}) {
    CAPTURE(variant);
    // 1 sector of positions and 4 of cosines, sines and each half of the pair: 32 floats are 128 bytes
    check_counts(traced_totals(chapter(), variant, kShape, Dtype::f32),
                 {5 * kWarps, 17 * kWarps, 2 * kWarps, 8 * kWarps});
    // half as many for each half of the pair
    for (const Dtype dtype : {Dtype::f16, Dtype::bf16})
      check_counts(traced_totals(chapter(), variant, kShape, dtype),
                   {5 * kWarps, 13 * kWarps, 2 * kWarps, 4 * kWarps});
  }
  CHECK(5 * kWarps == 25'600);
  CHECK(17 * kWarps == 87'040);
}

TEST_CASE("computed angles: one frequency for two numbers of the table, or none") {
  check_counts(traced_totals(chapter(), "angles", kShape, Dtype::f32),
               {4 * kWarps, 13 * kWarps, 2 * kWarps, 8 * kWarps});
  check_counts(traced_totals(chapter(), "powf", kShape, Dtype::f32),
               {3 * kWarps, 9 * kWarps, 2 * kWarps, 8 * kWarps});
}

TEST_CASE("12 of 20 channels turn: warps reach over heads and tokens") {
  // 15 rows of 6 pairs are 90 threads in 3 warps, the last of 26 lanes. The sectors were counted beside
  // the tracer, from a list of the addresses.
  const suite::Totals totals = traced_totals(
      chapter(), "table",
      {.batch = 1, .tokens = 5, .q_heads = 3, .kv_heads = 0, .head_dim = 20, .rotary_dim = 12}, Dtype::f32);
  check_counts(totals, {15, 64, 6, 49});
}

}  // namespace ropewalk::naive
