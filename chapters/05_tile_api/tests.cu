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

/// Two tokens of ones, turned by a table of 4,096 rows that holds 0.5 everywhere: the first channels of pairs
/// become 0, the second 1. Each tensor may begin a few elements behind an aligned address.
struct Ones {
  int q_heads, kv_heads, head_dim;
  std::size_t q_from = 0, k_from = 0, cosines_from = 0, sines_from = 0;
  long long rows = 4096;

  /// q and behind it k, as the variant leaves them.
  std::vector<float> turned(const Variant& variant, std::vector<int> positions) const {
    const auto size = [&](int heads) { return std::size_t(2) * std::size_t(heads * head_dim); };
    const std::size_t entries = std::size_t(4096) * std::size_t(head_dim / 2);
    const auto filled = [](std::size_t count, float value) {
      return DeviceArray<float>{std::span<const float>(std::vector<float>(count, value))};
    };
    const DeviceArray<float> q = filled(size(q_heads) + q_from, 1), k = filled(size(kv_heads) + k_from, 1),
                             cosines = filled(entries + cosines_from, 0.5f),
                             sines = filled(entries + sines_from, 0.5f);
    const DeviceArray<int> p{std::span<const int>(positions)};
    const Stream stream;
    RopeCall call;
    call.shape = {.batch = 1,
                  .tokens = 2,
                  .q_heads = q_heads,
                  .kv_heads = kv_heads,
                  .head_dim = head_dim,
                  .rotary_dim = head_dim};
    call.q = q.data() + q_from;
    call.k = k.data() + k_from;
    call.positions = p.data();
    call.cos_table = cosines.data() + cosines_from;
    call.sin_table = sines.data() + sines_from;
    call.table_rows = rows;
    call.stream = stream;
    variant.run(call);
    stream.synchronize();
    std::vector<float> result = q.download(), behind = k.download();
    result.erase(result.begin(), result.begin() + std::ptrdiff_t(q_from));
    result.insert(result.end(), behind.begin() + std::ptrdiff_t(k_from), behind.end());
    return result;
  }
  /// Are all values right? Those of the first token may have to be NaN.
  bool is_nan_or_turned(const std::vector<float>& values, bool first_is_nan) const {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto in_q = std::size_t(2 * q_heads * head_dim);
      const std::size_t half =  // where the second token begins
          i < in_q ? in_q / 2 : in_q + (values.size() - in_q) / 2;
      const float expected = i % std::size_t(head_dim) < std::size_t(head_dim / 2) ? 0.0f : 1.0f;
      if (first_is_nan && i < half ? !std::isnan(values[i]) : values[i] != expected) return false;
    }
    return true;
  }
};

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
  suite::check_every_variant(c, case_of(2, 16, 16, 64, 64, Dtype::f16));   // two tiles of k
  suite::check_every_variant(c, case_of(1, 1, 1, 600, 600, Dtype::bf16));  // five tiles of pairs
}

TEST_CASE("which tensors need no masks") {
  RopeCall call;
  const auto at = [](std::uintptr_t address) { return reinterpret_cast<float*>(address); };
  const auto whole = [&](int q_heads, int kv_heads, int head_dim, int rotary_dim, std::uintptr_t q = 64,
                         std::uintptr_t k = 64) {
    return is_whole(call, Tensors<float>{at(q), at(k), nullptr, 1, q_heads, kv_heads, head_dim, rotary_dim},
                    8, 8);
  };
  CHECK(whole(8, 8, 128, 128));
  CHECK(whole(32, 0, 64, 64));
  CHECK_FALSE(whole(12, 8, 128, 128));
  CHECK_FALSE(whole(8, 4, 128, 128));
  CHECK_FALSE(whole(8, 8, 128, 64));
  CHECK_FALSE(whole(8, 8, 256, 256));
  CHECK_FALSE(whole(8, 8, 128, 128, 68));
  CHECK_FALSE(whole(8, 8, 128, 128, 64, 68));
  call.cos_table = at(68);
  CHECK_FALSE(whole(8, 8, 128, 128));
  call.cos_table = at(64);
  call.sin_table = at(68);
  CHECK_FALSE(whole(8, 8, 128, 128));
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
  for (const int outside : {4096, -1})
    // Masks for all kernels, and for none.
    for (const Ones& ones : {Ones{1, 0, 64}, Ones{1, 1, 128}, Ones{32, 8, 128}, Ones{32, 16, 64}})
      for (const Variant& variant : c.variants) {
        INFO(variant.name << " at " << outside << ", " << ones.q_heads << " heads");
        CHECK(ones.is_nan_or_turned(ones.turned(variant, {outside, 4095}), true));
        CHECK(ones.is_nan_or_turned(ones.turned(variant, {0, 4095}), false));
      }
}

TEST_CASE("tensors that begin anywhere") {
  const Chapter c = chapter();
  for (const Variant& variant : c.variants)
    for (int which = 0; which < 4; ++which) {
      INFO(variant.name << ", " << which);
      const Ones ones{32, 8, 128, which == 0, which == 1, which == 2, which == 3};
      CHECK(ones.is_nan_or_turned(ones.turned(variant, {1, 2}), false));
    }
}

TEST_CASE("a table without rows is refused") {
  const Chapter c = chapter();
  for (const Variant& variant : c.variants)
    for (const Ones& ones : {Ones{1, 0, 64, 0, 0, 0, 0, 0}, Ones{32, 8, 128, 0, 0, 0, 0, 0}}) {
      INFO(variant.name);
      CHECK_THROWS_AS(ones.turned(variant, {0, 0}), InputError);
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
