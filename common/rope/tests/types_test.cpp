/// \file
/// Words, shapes and positions.
#include "common/rope/types.hpp"

#include <climits>
#include <limits>

#include "common/rope/pairing.hpp"
#include "common/rope/positions.hpp"
#include "common/testing/catch.hpp"
#include "support.hpp"

using namespace ropewalk;
using ropewalk::testing::message_of;
using Ids = std::vector<std::int32_t>;

TEST_CASE("words are read back as written, and no others") {
  for (const Style style : {Style::half, Style::interleaved})
    CHECK(parse_style(to_string(style), "x") == style);
  for (const Dtype dtype : {Dtype::f32, Dtype::f16, Dtype::bf16})
    CHECK(parse_dtype(to_string(dtype), "x") == dtype);
  CHECK(message_of<InputError>([] { parse_style("Half", "--style"); }) ==
        "--style: unknown style 'Half'; allowed: half, interleaved");
  CHECK(message_of<InputError>([] { parse_dtype("fp8", "--dtype"); }) ==
        "--dtype: unknown dtype 'fp8'; allowed: f32, f16, bf16");
  CHECK(size_in_bytes(Dtype::f32) == 4);
  CHECK(size_in_bytes(Dtype::f16) == 2);
  CHECK(size_in_bytes(Dtype::bf16) == 2);
}

TEST_CASE("the pairs cover every rotary channel once") {
  for (const Style style : {Style::half, Style::interleaved}) {
    for (const std::int64_t d : {2, 6, 12, 128}) {
      std::vector<int> seen(static_cast<std::size_t>(d));
      for (std::int64_t p = 0; p < d / 2; ++p) {
        const auto [first, second] = pair_channels(style, p, d);
        ++seen.at(static_cast<std::size_t>(first));
        ++seen.at(static_cast<std::size_t>(second));
      }
      CHECK(seen == std::vector<int>(static_cast<std::size_t>(d), 1));
    }
  }
}

TEST_CASE("sizes are 64 bits: the first element past 2^31") {
  // The first token whose offset leaves int32: 65,536 at 64 heads of 512, 524,288 at 32 heads of 128.
  const Shape wide{
      .batch = 1, .tokens = 65536, .q_heads = 64, .kv_heads = 8, .head_dim = 512, .rotary_dim = 512};
  const Shape narrow{
      .batch = 1, .tokens = 524288, .q_heads = 32, .kv_heads = 8, .head_dim = 128, .rotary_dim = 128};
  CHECK(wide.q_size() == std::int64_t{INT_MAX} + 1);
  CHECK(narrow.q_size() == std::int64_t{INT_MAX} + 1);
  CHECK(fault_of(wide).empty());
}

TEST_CASE("a shape's faults are named") {
  const Shape good{.batch = 2, .tokens = 3, .q_heads = 8, .kv_heads = 2, .head_dim = 20, .rotary_dim = 12};
  CHECK(fault_of(good).empty());
  CHECK(good.pairs() == 6);
  CHECK(good.token_count() == 6);
  CHECK(good.k_size() == 2 * 3 * 2 * 20);

  const auto fault = [&](auto change) {
    Shape shape = good;
    change(shape);
    return fault_of(shape);
  };
  CHECK(fault([](Shape& s) { s.tokens = 0; }).empty());
  CHECK(fault([](Shape& s) { s.batch = 0; }).empty());
  CHECK(fault([](Shape& s) { s.kv_heads = 0; }).empty());
  CHECK(fault([](Shape& s) { s.batch = -1; }) == "batch: -1 is too small; allowed: 0 and up");
  CHECK(fault([](Shape& s) { s.tokens = -1; }) == "tokens: -1 is too small; allowed: 0 and up");
  CHECK(fault([](Shape& s) { s.q_heads = 0; }) == "q_heads: 0 is too small; allowed: 1 and up");
  CHECK(fault([](Shape& s) { s.kv_heads = 3; }) ==
        "kv_heads: 3 does not divide the 8 q heads; allowed: 0 (no k) or a divisor of q_heads");
  CHECK(fault([](Shape& s) { s.rotary_dim = 22; }) ==
        "rotary_dim: 22 is larger than head_dim 20; allowed: an even number from 2 to head_dim");
  CHECK(fault([](Shape& s) { s.rotary_dim = 11; }) ==
        "rotary_dim: 11 is odd, and channels turn in pairs; allowed: an even number from 2 to head_dim");
  CHECK(fault([](Shape& s) { s.rotary_offset = 8; }).empty());
  const std::string allowed = "; allowed: an even number from 0 to head_dim - rotary_dim = 8";
  CHECK(fault([](Shape& s) { s.rotary_offset = 3; }) == "rotary_offset: 3 is odd" + allowed);
  for (const std::int64_t out :
       {std::int64_t{10}, std::int64_t{-2}, std::numeric_limits<std::int64_t>::max() - 1})
    CHECK(fault([&](Shape& s) { s.rotary_offset = out; }) ==
          "rotary_offset: " + std::to_string(out) + " moves rotary channels out of the head" + allowed);
}

TEST_CASE("sizes whose product wraps are a fault, also with zero kv heads") {
  const std::string message =
      "tokens: batch * tokens * heads * head_dim does not fit; allowed: tensors of less than 2^60 values";
  const std::int64_t big = std::int64_t{1} << 40;
  Shape shape{.batch = big, .tokens = big, .q_heads = 1, .kv_heads = 0, .head_dim = 128, .rotary_dim = 128};
  CHECK(fault_of(shape) == message);
  shape = {.batch = 1, .tokens = big, .q_heads = 1 << 20, .kv_heads = 0, .head_dim = 128, .rotary_dim = 128};
  CHECK(fault_of(shape) == message);
  shape = {.batch = 1, .tokens = big, .q_heads = 1, .kv_heads = 1, .head_dim = 128, .rotary_dim = 128};
  CHECK(fault_of(shape).empty());
}

TEST_CASE("positions as serving and training code makes them") {
  CHECK(contiguous_positions(2, 3, -1) == Ids{-1, 0, 1, -1, 0, 1});
  CHECK(contiguous_positions(3, 0, 5).empty());
  CHECK(positions_from_mask(Ids{0, 0, 1, 1, 1, /*second row*/ 1, 1, 1, 1, 1}, 5) ==
        Ids{0, 0, 0, 1, 2, /*second row*/ 0, 1, 2, 3, 4});
  CHECK(packed_positions(Ids{0, 1, 4, 5}) == Ids{0, 0, 1, 2, 0});
  CHECK(packed_positions(Ids{}).empty());
  CHECK(context_parallel_positions(8, 2, 0) == Ids{0, 1, 6, 7});
  CHECK(context_parallel_positions(8, 2, 1) == Ids{2, 3, 4, 5});
}

TEST_CASE("context parallel ranks share the tokens out exactly") {
  std::vector<int> seen(48);
  for (std::int64_t rank = 0; rank < 4; ++rank) {
    for (const std::int32_t position : context_parallel_positions(48, 4, rank)) {
      ++seen.at(static_cast<std::size_t>(position));
    }
  }
  CHECK(seen == std::vector<int>(48, 1));
  CHECK(message_of<InputError>([] { context_parallel_positions(9, 2, 0); }) ==
        "tokens: 9 cannot be dealt to rank 0 of 2; allowed: a multiple of 2 * ranks, 0 <= rank < ranks");
  CHECK(message_of<InputError>([] {
          context_parallel_positions(8, 2, 2);
        }).starts_with("tokens: 8 cannot be dealt"));
}
