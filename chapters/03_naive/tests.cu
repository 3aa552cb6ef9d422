/// \file
/// Chapter 03: right values, shapes, positions and limits of the naive kernels.
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "chapters/03_naive/variants.cuh"
#include "common/gpu/device_array.hpp"
#include "common/gpu/stream.hpp"
#include "common/gpu/timing.hpp"
#include "common/harness/check.hpp"
#include "common/rope/positions.hpp"
#include "common/testing/catch.hpp"

namespace ropewalk::naive {
namespace {

constexpr Dtype kDtypes[] = {Dtype::f32, Dtype::f16, Dtype::bf16};

Case make_case(Shape shape, std::vector<std::int32_t> positions, Dtype dtype = Dtype::f32,
               double base = 10000.0) {
  RunRequest request;
  request.dtype = dtype;
  request.schedule.base = base;
  Case c = random_case(request, shape, Style::half, "test");
  c.positions = std::move(positions);
  return c;
}

void check_all_variants(const Case& c) {
  for (const Variant& variant : variants()) {
    const CheckResult result = check_variant(variant, c, Runs::on_device);
    INFO(variant.name << ", " << to_string(c.dtype) << ", " << c.shape.q_heads << " heads of "
                      << c.shape.head_dim << ":\n"
                      << result.fault_text);
    CHECK(result.passed());
    CHECK((result.values > 0) == (c.shape.rows() > 0));
  }
}

// Runs one variant on a single float head and returns the result.
std::vector<float> rotate(const Variant& variant, std::vector<float> x, std::int32_t position,
                          std::int64_t rotary_dim) {
  const auto head_dim = static_cast<std::int64_t>(x.size());
  Case c = make_case(
      {.batch = 1, .tokens = 1, .q_heads = 1, .kv_heads = 0, .head_dim = head_dim, .rotary_dim = rotary_dim},
      {position});
  c.q = std::move(x);
  LoadedCase loaded(c, Runs::on_device, variant.reads_table);
  const Stream stream;
  variant.run(loaded.call(stream));
  stream.synchronize();
  return loaded.q_values();
}

void check_values(const std::vector<float>& got, const std::vector<double>& expected) {
  REQUIRE(got.size() == expected.size());
  for (std::size_t i = 0; i < got.size(); ++i)
    CHECK(static_cast<double>(got[i]) == Approx(expected[i]).margin(2e-6));
}

}  // namespace

TEST_CASE("right values, worked out elsewhere") {
  for (const Variant& variant : variants()) {
    INFO(variant.name);
    // Channels 0 and 2 form a pair, not 0 and 1; the sine is positive in the second.
    check_values(rotate(variant, {1, 0, 0, 0}, 1, 4), {0.540302, 0, 0.841471, 0});
    // 4 of 8 channels: partners are 2 apart, not 4, and the rest stays.
    check_values(rotate(variant, {1, 2, 3, 4, 5, 6, 7, 8}, 1, 4),
                 {-1.984111, 1.959901, 2.462378, 4.019800, 5, 6, 7, 8});
    check_values(rotate(variant, {1, 2, 3, 4, 5, 6}, 2, 6),
                 {-4.053337, 1.527896, 2.974119, -0.755290, 5.163868, 6.012871});
    // In place: the second value must come from the old first one (0.119106 would be the overwritten one).
    check_values(rotate(variant, {1, 2}, 1, 2), {-1.142640, 1.922076});
    // Position 0 is the identity, bit for bit.
    CHECK(rotate(variant, {1, 2, 3, 4}, 0, 4) == std::vector<float>{1, 2, 3, 4});
    // A negative position turns the other way.
    check_values(rotate(variant, {1, 0}, -1, 2), {0.540302, -0.841471});
  }
}

TEST_CASE("shapes: one token, primes, tails, grouped and single key heads, partial heads, every width") {
  for (Dtype dtype : kDtypes) {
    for (std::int64_t head_dim : {2, 6, 64, 80, 96, 128, 192, 256})
      check_all_variants(make_case({.batch = 1,
                                    .tokens = 3,
                                    .q_heads = 4,
                                    .kv_heads = 2,
                                    .head_dim = head_dim,
                                    .rotary_dim = head_dim},
                                   {5, 131071, 900}, dtype));
    check_all_variants(make_case(
        {.batch = 1, .tokens = 1, .q_heads = 1, .kv_heads = 1, .head_dim = 2, .rotary_dim = 2}, {1}, dtype));
    check_all_variants(
        make_case({.batch = 1, .tokens = 17, .q_heads = 7, .kv_heads = 1, .head_dim = 96, .rotary_dim = 24},
                  contiguous_positions(1, 17, 4000), dtype));
    check_all_variants(
        make_case({.batch = 3, .tokens = 5, .q_heads = 8, .kv_heads = 2, .head_dim = 80, .rotary_dim = 20},
                  {0, 1, 2, 3, 4, 7, 3, 3, 900, 1, 9, 8, 7, 6, 5}, dtype));
    check_all_variants(
        make_case({.batch = 2, .tokens = 2, .q_heads = 64, .kv_heads = 1, .head_dim = 64, .rotary_dim = 64},
                  {3, 4, 1003, 1004}, dtype));
  }
}

TEST_CASE("no keys, no tokens") {
  check_all_variants(make_case(
      {.batch = 1, .tokens = 3, .q_heads = 2, .kv_heads = 0, .head_dim = 8, .rotary_dim = 8}, {1, 2, 3}));
  check_all_variants(
      make_case({.batch = 1, .tokens = 0, .q_heads = 2, .kv_heads = 2, .head_dim = 8, .rotary_dim = 8}, {}));
}

TEST_CASE("more tokens than the y and z axes of a grid may have blocks") {
  for (std::int64_t tokens : {65536, 70000})
    check_all_variants(
        make_case({.batch = 1, .tokens = tokens, .q_heads = 1, .kv_heads = 1, .head_dim = 2, .rotary_dim = 2},
                  contiguous_positions(1, tokens, 1), Dtype::bf16));
}

TEST_CASE("positions of packed and padded batches") {
  const std::vector<std::int32_t> packed_ends = {0, 1, 4, 5}, mask = {0, 0, 1, 1, 1};
  const Shape shape{.batch = 1, .tokens = 5, .q_heads = 2, .kv_heads = 1, .head_dim = 16, .rotary_dim = 16};
  check_all_variants(make_case(shape, packed_positions(packed_ends)));
  check_all_variants(make_case(shape, positions_from_mask(mask, 5)));
}

TEST_CASE("element numbers do not wrap at 2^31") {
  // Token 524,288 of 32 heads × 128 begins at element 2³¹; no memory is needed to see where its pairs lie.
  const Heads<float> h{nullptr, nullptr, 524'289, 32, 128, 128};
  const long long i = 524'288LL * 32 * 64 + 5;
  const Pair p = owned_pair(h, i);
  CHECK(p.first == 2'147'483'648LL + 5);
  CHECK(p.second == 2'147'483'648LL + 69);
  CHECK(p.token == 524'288);
  CHECK(p.pair == 5);
}

TEST_CASE("a position outside the table gives NaN and no stray read") {
  for (std::int32_t position : {4096, -1}) {
    std::vector<float> x = {1, 2}, ones(4096, 1.0f);
    const std::vector<int> positions = {position};
    DeviceArray<float> dx{std::span<const float>(x)}, table{std::span<const float>(ones)};
    DeviceArray<int> dp{std::span<const int>(positions)};
    const Stream stream;
    launch_per_pair(stream, rope_table<float>, Heads<float>{dx.data(), dp.data(), 1, 1, 2, 2},
                    Table{table.data(), table.data(), 0, 4096});
    stream.synchronize();
    for (float y : dx.download()) CHECK(std::isnan(y));
  }
}

TEST_CASE("a captured graph reads the positions of the replay, not of the capture") {
  const std::vector<float> x = {1, 0}, inv_freq = {1};
  const std::vector<int> at_capture = {3}, at_replay = {9};
  DeviceArray<float> dx{std::span<const float>(x)}, frequencies{std::span<const float>(inv_freq)};
  DeviceArray<int> positions{std::span<const int>(at_capture)};
  const Stream stream;
  const RecordedGraph graph(stream, [&] {
    launch_per_pair(stream, rope_angles<float>, Heads<float>{dx.data(), positions.data(), 1, 1, 2, 2},
                    static_cast<const float*>(frequencies.data()));
  });
  positions.upload(std::span<const int>(at_replay));
  graph.launch(stream);
  stream.synchronize();
  check_values(dx.download(), {std::cos(9.0), std::sin(9.0)});
}

TEST_CASE("the same bits in 100 runs, with partners in different warps") {
  const Case c =
      make_case({.batch = 1, .tokens = 3, .q_heads = 2, .kv_heads = 0, .head_dim = 256, .rotary_dim = 256},
                {7, 1, 400});
  const Variant variant = variants().front();
  LoadedCase loaded(c, Runs::on_device, true);
  const Stream stream;
  std::vector<float> first;
  for (int run = 0; run < 100; ++run) {
    loaded.restore();
    variant.run(loaded.call(stream));
    stream.synchronize();
    const std::vector<float> now = loaded.q_values();
    if (run == 0) first = now;
    REQUIRE(now == first);
  }
}

TEST_CASE("test vectors made with the models' own code") {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(ROPEWALK_SOURCE_DIR "/common/vectors")) {
    if (entry.path().extension() != ".json") continue;
    const TestVector vector = read_test_vector(entry.path().string());
    if (!vector.op.empty() || vector.layout != "1d" || vector.schedule.rope_type != "default" ||
        vector.style != Style::half)
      continue;
    ++files;
    INFO(vector.name);
    CHECK(compare_frequencies(vector.name, make_schedule(vector.schedule), vector.inv_freq).passed());
    for (Dtype dtype : kDtypes) check_all_variants(vector_case(vector, dtype));
  }
  CHECK(files >= 8);
}

}  // namespace ropewalk::naive
