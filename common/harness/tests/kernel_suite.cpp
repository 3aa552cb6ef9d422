/// \file
/// The checks that all chapters share.
#include "common/harness/tests/kernel_suite.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <utility>

#include "common/gpu/stream.hpp"
#include "common/harness/check.hpp"
#include "common/rope/positions.hpp"
#include "common/testing/catch.hpp"

namespace ropewalk::suite {
namespace {

using Positions = std::vector<std::int32_t>;

void run_once(const Variant& variant, Runs where, LoadedCase& loaded) {
  if (where == Runs::on_host) {
    variant.run(loaded.call(nullptr));
    return;
  }
  const Stream stream;
  variant.run(loaded.call(stream));
  stream.synchronize();
}

Case random_values(const Shape& shape, const Positions& positions, Dtype dtype, Style style) {
  RunRequest request;
  request.dtype = dtype;
  Case c = random_case(request, shape, style, "suite");
  REQUIRE(c.positions.size() == positions.size());
  c.positions = positions;
  return c;
}

// The shape in every dtype and style.
void check_on(const Chapter& chapter, const Shape& shape, const Positions& positions) {
  for (const Dtype dtype : chapter.dtypes)
    for (const Style style : chapter.styles)
      check_every_variant(chapter, random_values(shape, positions, dtype, style));
}

void check_literal_values(const Chapter& chapter, const Variant& variant) {
  const auto turn = [&](Style style, std::vector<float> x, std::int64_t rotary_dim, std::int32_t position) {
    return rotate_one(variant, chapter.runs,
                      {.x = std::move(x), .rotary_dim = rotary_dim, .position = position, .style = style});
  };
  for (const Style style : chapter.styles) {
    INFO(variant.name << ", " << to_string(style));
    const bool half = style == Style::half;
    const std::vector<float> eight = {1, 2, 3, 4, 5, 6, 7, 8};
    if (half) {
      // Channels 0 and 2 form a pair, not 0 and 1; the sine is positive in the second.
      check_close(turn(style, {1, 0, 0, 0}, 4, 1), {0.540302, 0, 0.841471, 0});
      check_close(turn(style, {1, 3, 2, 4}, 4, 1), {-1.142640, 2.959851, 1.922076, 4.029800});
      // Four of eight channels turn: partners are 2 apart, not 4, and the rest stays.
      check_close(turn(style, eight, 4, 1), {-1.984111, 1.959901, 2.462378, 4.019800, 5, 6, 7, 8});
      // Three pairs: no power of two.
      check_close(turn(style, {1, 2, 3, 4, 5, 6}, 6, 2),
                  {-4.053337, 1.527896, 2.974119, -0.755290, 5.163868, 6.012871});
    } else {
      check_close(turn(style, {1, 0, 0, 0}, 4, 1), {0.540302, 0.841471, 0, 0});
      check_close(turn(style, {1, 2, 3, 4}, 4, 1), {-1.142640, 1.922076, 2.959851, 4.029800});
      check_close(turn(style, eight, 4, 1), {-1.142640, 1.922076, 2.959851, 4.029800, 5, 6, 7, 8});
    }
    // In place: the second value must come from the old first one (0.119106 would be the overwritten one).
    check_close(turn(style, {1, 2}, 2, 1), {-1.142640, 1.922076});
    // A negative position turns the other way.
    check_close(turn(style, {1, 0}, 2, -1), {0.540302, -0.841471});
    // Position 0 is the identity, bit for bit.
    const std::vector<float> x = {1, -2, 3, 0.5f, -0.25f, 7};
    CHECK(turn(style, x, 4, 0) == x);

    // GPT-NeoX turns 24 of 96 channels, and the exponent counts over the 24.
    std::vector<float> wide(96, 0.0f);
    const std::size_t first = half ? 1 : 2, second = half ? 13 : 3;
    wide[first] = 1;
    CHECK(turn(style, wide, 24, 1)[second] == Approx(std::sin(0.464158883)).epsilon(1e-6));
  }
}

void check_shapes(const Chapter& chapter) {
  const Positions three = {5, 131071, 131000};
  for (const std::int64_t d : {2, 6, 64, 80, 96, 128, 192, 256}) {
    // Far apart only while a table of all rows in between is small.
    const Positions positions = d == 2 ? three : Positions{131071, 131000, 130900};
    check_on(chapter, {.batch = 1, .tokens = 3, .q_heads = 4, .kv_heads = 2, .head_dim = d, .rotary_dim = d},
             positions);
    if (d > 2)
      check_on(chapter,
               {.batch = 1, .tokens = 3, .q_heads = 2, .kv_heads = 2, .head_dim = d, .rotary_dim = 2},
               positions);
  }
  // Parts that are no power of two: a quarter of 96, of 80, and all but two channels.
  for (const auto& [d, r] : {std::pair{96, 24}, {80, 20}, {64, 62}})
    check_on(chapter, {.batch = 1, .tokens = 3, .q_heads = 3, .kv_heads = 1, .head_dim = d, .rotary_dim = r},
             {7, 3, 19});
}

void check_heads(const Chapter& chapter) {
  for (const auto& [q, k] : {std::pair{1, 1}, {3, 3}, {7, 7}, {8, 2}, {7, 1}, {64, 1}, {3, 0}})
    check_on(chapter,
             {.batch = 1, .tokens = 3, .q_heads = q, .kv_heads = k, .head_dim = 16, .rotary_dim = 16},
             {7, 3, 400});
}

void check_numbers_of_tokens(const Chapter& chapter) {
  for (const std::int64_t tokens : {0, 1, 17, 1023})
    check_on(chapter,
             {.batch = 1, .tokens = tokens, .q_heads = 3, .kv_heads = 1, .head_dim = 10, .rotary_dim = 6},
             contiguous_positions(1, tokens, 4000));
  // The y and z axes of a grid end at 65,535 blocks. One element type says it, and on the executor it takes
  // long.
  Chapter one = chapter;
  one.dtypes.resize(1);
  for (const std::int64_t tokens : {65536, 70000})
    check_on(one, {.batch = 1, .tokens = tokens, .q_heads = 1, .kv_heads = 0, .head_dim = 2, .rotary_dim = 2},
             contiguous_positions(1, tokens, 1));
}

void check_positions(const Chapter& chapter) {
  // Every sequence of a batch has its own.
  check_on(chapter, {.batch = 3, .tokens = 5, .q_heads = 4, .kv_heads = 2, .head_dim = 80, .rotary_dim = 20},
           {0, 1, 2, 3, 4, 7, 3, 3, 900, 1, 9, 8, 7, 6, 5});
  const Positions mask = {0, 0, 1, 1, 1}, ends = {0, 1, 4, 5};
  for (const Positions& positions :
       {packed_positions(ends), positions_from_mask(mask, 5), Positions{7, 3, 3, 900, -40},
        Positions{-1, -131071, -131000, -131071, -130990}, Positions{131071, 131072, 140000, 131071, 139999},
        Positions{16777217, 16777216, 16777300, 16777219, 16777217},
        Positions{2147483647, 2147483640, 2147483600, 2147483647, 2147483601},
        Positions{-2147483647 - 1, -2147483647, -2147483600, -2147483648 + 9, -2147483640}})
    check_on(chapter,
             {.batch = 1, .tokens = 5, .q_heads = 2, .kv_heads = 1, .head_dim = 20, .rotary_dim = 12},
             positions);
}

// Partners lie in different warps when 256 channels turn.
void check_same_bits(const Chapter& chapter) {
  const Shape shape{.batch = 1, .tokens = 3, .q_heads = 2, .kv_heads = 0, .head_dim = 256, .rotary_dim = 256};
  for (const Dtype dtype : chapter.dtypes)
    for (const Style style : chapter.styles)
      for (const Variant& variant : chapter.variants) {
        INFO(variant.name << ", " << to_string(dtype) << ", " << to_string(style));
        const Case c = random_values(shape, {7, 1, 400}, dtype, style);
        LoadedCase loaded(c, chapter.runs, variant.reads_table, variant.placement);
        std::vector<float> first;
        int different = 0;
        for (int i = 0; i < 100; ++i) {
          loaded.restore();
          run_once(variant, chapter.runs, loaded);
          const std::vector<float> now = loaded.q_values();
          if (i == 0) first = now;
          different += now != first;
        }
        CHECK(first != c.q);
        CHECK(different == 0);
      }
}

void check_vectors(const Chapter& chapter, int fewest) {
  const std::vector<TestVector> vectors = vectors_of(chapter);
  CHECK(static_cast<int>(vectors.size()) >= fewest);
  for (const Style style : chapter.styles)
    CHECK(std::any_of(vectors.begin(), vectors.end(),
                      [&](const TestVector& vector) { return vector.style == style; }));
  for (const TestVector& vector : vectors) {
    INFO(vector.name);
    const CheckResult frequencies =
        compare_frequencies(vector.name, make_schedule(vector.schedule), vector.inv_freq);
    CHECK(frequencies.passed());
    CHECK(frequencies.values == vector.schedule.rotary_dim / 2);
    for (const Dtype dtype : chapter.dtypes) check_every_variant(chapter, vector_case(vector, dtype));
  }
}

template <class Value>
bool contains(const std::vector<Value>& values, const Value& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

}  // namespace

void check_every_variant(const Chapter& chapter, const Case& c) {
  const Shape& s = c.shape;
  for (const Variant& variant : chapter.variants) {
    const CheckResult result = check_variant(variant, c, chapter.runs);
    INFO(variant.name << " on " << c.name << ", " << to_string(c.dtype) << ", " << to_string(c.style)
                      << " style, batch " << s.batch << ", " << s.tokens << " tokens, " << s.q_heads << " + "
                      << s.kv_heads << " heads, " << s.rotary_dim << " of " << s.head_dim << ":\n"
                      << result.fault_text);
    CHECK(result.passed());
    // Where a vector gives results with float angles as well, each value is compared with both.
    const int times = variant.angles == Angles::f32_list && !c.given_f32_angle.empty() ? 2 : 1;
    CHECK(result.values == times * s.token_count() * (s.q_heads + s.kv_heads) * s.rotary_dim);
  }
}

std::vector<TestVector> vectors_of(const Chapter& chapter) {
  std::vector<TestVector> vectors;
  for (const auto& entry : std::filesystem::directory_iterator(ROPEWALK_SOURCE_DIR "/common/vectors")) {
    if (entry.path().extension() != ".json") continue;
    TestVector vector = read_test_vector(entry.path().string());
    if (vector.op.empty() && contains(chapter.layouts, vector.layout) &&
        contains(chapter.rope_types, vector.schedule.rope_type) && contains(chapter.styles, vector.style))
      vectors.push_back(std::move(vector));
  }
  return vectors;
}

std::vector<float> rotate_one(const Variant& variant, Runs where, const OneHead& head) {
  RunRequest request;
  request.schedule.base = head.base;
  const Shape shape{.batch = 1,
                    .tokens = 1,
                    .q_heads = 1,
                    .kv_heads = 0,
                    .head_dim = static_cast<std::int64_t>(head.x.size()),
                    .rotary_dim = head.rotary_dim};
  Case c = random_case(request, shape, head.style, "one head");
  c.positions = {head.position};
  c.q = head.x;
  LoadedCase loaded(c, where, variant.reads_table, variant.placement);
  run_once(variant, where, loaded);
  return loaded.q_values();
}

void check_close(const std::vector<float>& got, const std::vector<double>& expected) {
  REQUIRE(got.size() == expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    INFO("channel " << i << ": expected " << expected[i] << ", got " << got[i]);
    CHECK(std::abs(static_cast<double>(got[i]) - expected[i]) <= 2e-6);
  }
}

void check_kernels(const Chapter& chapter, int fewest_vectors) {
  REQUIRE_FALSE(chapter.variants.empty());
  REQUIRE_FALSE(chapter.dtypes.empty());
  SECTION("literal values") {
    for (const Variant& variant : chapter.variants) check_literal_values(chapter, variant);
  }
  SECTION("widths and partial rotation") {
    check_shapes(chapter);
  }
  SECTION("numbers of heads") {
    check_heads(chapter);
  }
  SECTION("numbers of tokens") {
    check_numbers_of_tokens(chapter);
  }
  SECTION("positions") {
    check_positions(chapter);
  }
  SECTION("the same bits in 100 runs") {
    check_same_bits(chapter);
  }
  SECTION("test vectors made with the models' own code") {
    check_vectors(chapter, fewest_vectors);
  }
}

}  // namespace ropewalk::suite
