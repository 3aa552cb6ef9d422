/// \file
/// Chapter 07: what its kernels' memory accesses cost, as numbers.
#include "chapters/07_partial_and_strided/chapter.cuh"
#include "common/harness/tests/trace_counts.hpp"

namespace ropewalk::strided {
namespace {

using suite::check_counts;
using suite::traced_totals;

constexpr std::uint64_t kTokens = 64, kHeads = 40;
constexpr Shape kWhole = {
    .batch = 1, .tokens = 64, .q_heads = 32, .kv_heads = 8, .head_dim = 128, .rotary_dim = 128};

Shape window(std::int64_t head_dim, std::int64_t rotary_dim, std::int64_t rotary_offset) {
  Shape shape = kWhole;
  shape.head_dim = head_dim;
  shape.rotary_dim = rotary_dim;
  shape.rotary_offset = rotary_offset;
  return shape;
}

/// Per token; the kernels treat all alike.
struct Counts {
  std::uint64_t load_requests, load_sectors, store_requests, store_sectors;
};

void expect(const char* variant, const Shape& shape, Style style, const Counts& counts,
            Dtype dtype = Dtype::bf16) {
  CAPTURE(variant, shape.rotary_dim, shape.rotary_offset, static_cast<int>(style), static_cast<int>(dtype));
  check_counts(traced_totals(chapter(), variant, shape, dtype, style),
               {kTokens * counts.load_requests, kTokens * counts.load_sectors,
                kTokens * counts.store_requests, kTokens * counts.store_sectors});
}

}  // namespace

TEST_CASE("whole heads in both styles: the same packs, and the table's runs") {
  // 8 items of two packs, 20 rows of threads: 5 warps with 4 heads each, which take 2 rounds. A warp's
  // request moves half of 4 heads, 16 sectors. Each warp asks for the position and for 4 runs of the table.
  // Half style: runs of 4 numbers, 32 bytes apart, so that each of 4 requests touches 8 sectors.
  const Counts half = {5 * (1 + 4) + 20, 5 * (1 + 4 * 8) + 8 * kHeads, 20, 8 * kHeads};
  // Interleaved: the runs of a request adjoin, 4 sectors.
  const Counts interleaved = {5 * (1 + 4) + 20, 5 * (1 + 4 * 4) + 8 * kHeads, 20, 8 * kHeads};
  for (const char* variant : {"in_place", "out_of_place", "packed_qkv", "heads_first", "odd_strides"}) {
    expect(variant, kWhole, Style::half, half);
    expect(variant, kWhole, Style::interleaved, interleaved);
  }
}

TEST_CASE("narrower accesses") {
  // 64 threads a head, 8 warps, 10 rounds. Half style: a request moves 32 neighbours, 2 sectors.
  expect("by_channel", kWhole, Style::half,
         {8 * (1 + 2) + 4 * kHeads, 8 * (1 + 2 * 4) + 8 * kHeads, 4 * kHeads, 8 * kHeads});
  // Interleaved: one of two channels, 4 sectors.
  expect("by_channel", kWhole, Style::interleaved,
         {8 * (1 + 2) + 4 * kHeads, 8 * (1 + 2 * 4) + 16 * kHeads, 4 * kHeads, 16 * kHeads});
  // One element behind an aligned address: 64 bytes touch 3 sectors.
  expect("misaligned", kWhole, Style::half,
         {8 * (1 + 2) + 4 * kHeads, 8 * (1 + 2 * 4) + 12 * kHeads, 4 * kHeads, 12 * kHeads});
  // 16 threads a head, 14 rows, 7 warps with 2 heads each: 20 rounds of a warp, 2 requests of 8 sectors each.
  expect("by_8_bytes", kWhole, Style::half,
         {7 * (1 + 4) + kHeads, 7 * (1 + 4 * 8) + 8 * kHeads, kHeads, 8 * kHeads});
}

TEST_CASE("in place, only the window moves; out of place, the whole head") {
  for (const std::int64_t offset : {0, 32, 64}) {
    // 4 items, 40 rows, 5 warps with 8 heads each and a single round.
    expect("in_place", window(128, 64, offset), Style::half,
           {5 * (1 + 4) + 10, 5 * (1 + 4 * 4) + 4 * kHeads, 10, 4 * kHeads});
    // 4 items that turn and 4 that copy: packs as with whole heads, half of the runs.
    expect("out_of_place", window(128, 64, offset), Style::half,
           {5 * (1 + 4) + 20, 5 * (1 + 4 * 4) + 8 * kHeads, 20, 8 * kHeads});
  }
}

TEST_CASE("from float to 16 bits: 16 bytes in, 8 out") {
  expect("converted", kWhole, Style::half,
         {7 * (1 + 4) + kHeads, 7 * (1 + 4 * 8) + 16 * kHeads, kHeads, 8 * kHeads});
}

}  // namespace ropewalk::strided
