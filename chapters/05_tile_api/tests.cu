/// \file
/// Chapter 05: what every chapter's kernels must do, tiles that stick out in every direction, and what half
/// arithmetic costs.
#include <cmath>
#include <span>
#include <vector>

#include "chapters/05_tile_api/chapter.cuh"
#include "common/gpu/device_array.hpp"
#include "common/gpu/stream.hpp"
#include "common/harness/check.hpp"
#include "common/harness/tests/kernel_suite.hpp"
#include "common/testing/catch.hpp"

namespace ropewalk::tiles {
namespace {

Case case_of(std::int64_t tokens, std::int64_t q_heads, std::int64_t kv_heads, std::int64_t head_dim,
             std::int64_t rotary_dim, Dtype dtype) {
  RunRequest request;
  request.dtype = dtype;
  request.position_offset = 5;
  return random_case(request,
                     {.batch = 1,
                      .tokens = tokens,
                      .q_heads = q_heads,
                      .kv_heads = kv_heads,
                      .head_dim = head_dim,
                      .rotary_dim = rotary_dim},
                     Style::half, "tiles");
}

const Variant& variant_named(const Chapter& chapter, const std::string& name) {
  for (const Variant& variant : chapter.variants)
    if (variant.name == name) return variant;
  FAIL("no variant " << name);
  return chapter.variants[0];
}

}  // namespace

TEST_CASE("what every kernel must do") {
  suite::check_kernels(chapter(), 8);
}

// Tiles are 2 tokens, 8 or 32 heads and 16 or 64 pairs: just fitting, one less, one more.
TEST_CASE("tiles that stick out") {
  const Chapter c = chapter();
  for (const std::int64_t tokens : {1, 2, 3})
    for (const auto& [q_heads, kv_heads] : {std::pair{8, 8}, {7, 1}, {9, 9}, {32, 8}, {33, 11}, {1, 0}})
      for (const auto& [head_dim, rotary_dim] :
           {std::pair{128, 128}, {64, 64}, {80, 80}, {96, 96}, {128, 48}, {130, 130}, {34, 32}, {300, 258}}) {
        // All tokens with 64 channels, and with 128 where nothing else sticks out.
        if (tokens > 1 && head_dim > 64 && (head_dim != rotary_dim || head_dim != 128 || q_heads != 8))
          continue;
        suite::check_every_variant(c, case_of(tokens, q_heads, kv_heads, head_dim, rotary_dim, Dtype::bf16));
      }
}

TEST_CASE("which tensors need no masks") {
  const RopeCall call;
  const auto whole = [&](int q_heads, int kv_heads, int head_dim, int rotary_dim, std::uintptr_t q = 64) {
    return is_whole(call,
                    Tensors<float>{reinterpret_cast<float*>(q), nullptr, nullptr, 1, q_heads, kv_heads,
                                   head_dim, rotary_dim},
                    8, 8);
  };
  CHECK(whole(8, 8, 128, 128));
  CHECK(whole(32, 0, 64, 64));
  CHECK_FALSE(whole(12, 8, 128, 128));
  CHECK_FALSE(whole(8, 4, 128, 128));
  CHECK_FALSE(whole(8, 8, 128, 64));
  CHECK_FALSE(whole(8, 8, 256, 256));
  CHECK_FALSE(whole(8, 8, 128, 128, 68));
}

TEST_CASE("arithmetic in half is allowed more than arithmetic in float, and needs it") {
  const Chapter c = chapter();
  for (const Dtype dtype : {Dtype::f16, Dtype::bf16}) {
    const Case values = case_of(40, 8, 8, 128, 128, dtype);
    Variant half = variant_named(c, "half");
    const CheckResult with_its_own = check_variant(half, values, c.runs);
    CHECK(with_its_own.passed());
    CHECK(with_its_own.worst > 0.3);  // it is no tolerance that lets everything pass
    half.arithmetic = Arithmetic::in_float;
    CHECK_FALSE(check_variant(half, values, c.runs).passed());
  }
}

TEST_CASE("a position outside the table gives NaN for its own token only") {
  const Chapter c = chapter();
  for (const int outside : {4096, -1}) {
    const std::vector<float> x(2 * 64, 1.0f), half(4096 * 32, 0.5f);
    const std::vector<int> positions = {outside, 4095};
    for (const Variant& variant : c.variants) {
      INFO(variant.name << " at " << outside);
      const DeviceArray<float> dx{std::span<const float>(x)}, table{std::span<const float>(half)};
      const DeviceArray<int> dp{std::span<const int>(positions)};
      const Stream stream;
      RopeCall call;
      call.shape = {.batch = 1, .tokens = 2, .q_heads = 1, .kv_heads = 0, .head_dim = 64, .rotary_dim = 64};
      call.q = dx.data();
      call.positions = dp.data();
      call.cos_table = call.sin_table = table.data();
      call.table_rows = 4096;
      call.stream = stream;
      variant.run(call);
      stream.synchronize();
      const std::vector<float> y = dx.download();
      for (std::size_t i = 0; i < 64; ++i) CHECK(std::isnan(y[i]));
      for (std::size_t i = 64; i < 128; ++i) CHECK(y[i] == (i < 96 ? 0.0f : 1.0f));
    }
  }
}

TEST_CASE("numbers beyond int are refused") {
  Shape shape = chapter().default_shape;
  CHECK(refusal(shape).empty());
  shape.head_dim = 65536;
  CHECK(refusal(shape).empty());
  shape.head_dim = 65538;
  CHECK(refusal(shape) == "head_dim: 65538 channels; allowed: up to 65536");
  shape.head_dim = 128;
  shape.tokens = 0x80000000LL;
  shape.batch = 1;
  CHECK(refusal(shape) == "tokens: 2147483648 in all sequences; allowed: up to 2147483647");
}

}  // namespace ropewalk::tiles
