/// \file
/// The inputs of the checks, and what a test vector's results are compared with.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "common/harness/check.hpp"
#include "common/rope/pairing.hpp"
#include "common/testing/catch.hpp"

namespace ropewalk {
namespace {

RunRequest request_for(const Shape& shape) {
  RunRequest request;
  request.shape = shape;
  request.styles = {Style::half, Style::interleaved};
  request.position_offset = 5;
  return request;
}

const Shape kShape{.batch = 2, .tokens = 3, .q_heads = 2, .kv_heads = 1, .head_dim = 8, .rotary_dim = 4};

// Rotates on the host with angles in float, as Angles::f32_list allows.
void rotate_with_float_angles(const RopeCall& call) {
  const Shape& s = call.shape;
  const auto rotate = [&](void* tensor, std::int64_t heads) {
    for (std::int64_t row = 0; row < s.token_count() * heads; ++row)
      for (std::int64_t p = 0; p < s.pairs(); ++p) {
        float* head = static_cast<float*>(tensor) + row * s.head_dim;
        const float angle = static_cast<float>(call.positions[row / heads]) * call.inv_freq[p];
        const auto [first, second] = pair_channels(call.style, p, s.rotary_dim);
        const float u = head[first], v = head[second];
        head[first] = u * std::cos(angle) - v * std::sin(angle);
        head[second] = u * std::sin(angle) + v * std::cos(angle);
      }
  };
  rotate(call.q, s.q_heads);
  rotate(call.k, s.kv_heads);
}

CheckResult check_float_angles(const Case& c) {
  Variant variant;
  variant.name = "angles";
  variant.angles = Angles::f32_list;
  variant.run = rotate_with_float_angles;
  return check_variant(variant, c, Runs::on_host);
}

}  // namespace

TEST_CASE("a seed decides the random values") {
  RunRequest one = request_for(kShape), two = one;
  two.seed = 2;
  const Case a = random_case(one, kShape, Style::half, "a"), b = random_case(two, kShape, Style::half, "b");
  CHECK(a.q == random_case(one, kShape, Style::half, "again").q);
  CHECK(a.q != b.q);
  CHECK(a.k != b.k);
  CHECK(far_case(one, Style::half).q != far_case(two, Style::half).q);
  CHECK(far_case(one, Style::half).q != a.q);
}

TEST_CASE("every sequence of a batch starts at its own position") {
  const Case c = random_case(request_for(kShape), kShape, Style::half, "random");
  CHECK(c.positions == std::vector<std::int32_t>{5, 6, 7, 18, 19, 20});
}

TEST_CASE("a chapter is checked on small, random and far cases in each style") {
  const std::vector<Case> cases = make_cases(Chapter{}, request_for(kShape));
  const char* names[] = {"small", "random", "far"};
  REQUIRE(cases.size() == 6);
  for (std::size_t i = 0; i < 6; ++i) {
    CHECK(cases[i].name == names[i % 3]);
    CHECK(cases[i].style == (i < 3 ? Style::half : Style::interleaved));
  }
  CHECK(cases[0].positions == std::vector<std::int32_t>{7, 3, 19, 400, 2});
  CHECK(*std::max_element(cases[2].positions.begin(), cases[2].positions.end()) >= 131071);
  std::vector<float> values = cases[0].q;  // of the small case: no two are the same
  values.insert(values.end(), cases[0].k.begin(), cases[0].k.end());
  CHECK(values.size() == 5 * (3 + 1) * 20);
  std::sort(values.begin(), values.end());
  CHECK(std::adjacent_find(values.begin(), values.end()) == values.end());
}

TEST_CASE("a test vector's results count, those with float angles too") {
  const TestVector vector = read_test_vector(ROPEWALK_SOURCE_DIR "/common/vectors/llama-2-7b.json");
  const Case right = vector_case(vector, Dtype::f32);
  const CheckResult result = check_float_angles(right);
  INFO(result.fault_text);
  CHECK(result.passed());
  // q and k, each value against the exact result and against the one with float angles.
  CHECK(result.values == static_cast<std::int64_t>(2 * 2 * vector.y.size()));

  Case wrong = right;
  wrong.given.back() += 1;
  CHECK(check_float_angles(wrong).faults == 2);
  wrong = right;
  wrong.given_f32_angle.back() += 0.01;
  CHECK(check_float_angles(wrong).faults == 2);
}

TEST_CASE("what a variant must move: q and k twice, positions, and what it reads of a table or a list") {
  // In place, only the 4 of 8 channels that turn.
  const auto moves = [](Dtype dtype, Angles angles, bool reads_table) {
    return bytes_to_move(kShape, dtype,
                         {.name = {}, .what = {}, .angles = angles, .reads_table = reads_table});
  };
  const std::int64_t elements = 6 * (2 + 1) * 4, positions = 6 * 4;
  CHECK(moves(Dtype::f32, Angles::f32_powf, false) == 2 * elements * 4 + positions);
  CHECK(moves(Dtype::bf16, Angles::f32_powf, false) == 2 * elements * 2 + positions);
  CHECK(moves(Dtype::bf16, Angles::f32_list, false) == 2 * elements * 2 + positions + 2 * 4);
  CHECK(moves(Dtype::bf16, Angles::exact, true) == 2 * elements * 2 + positions + 6 * 2 * 2 * 4);
  const auto placed = [](Placement placement) {
    return bytes_to_move(kShape, Dtype::bf16,
                         {.name = {}, .what = {}, .angles = Angles::f32_powf, .placement = placement});
  };
  CHECK(placed(Placement::packed_qkv) == 2 * elements * 2 + positions);
  // To another place, all of them; from float, 4 bytes in and 2 out.
  CHECK(placed(Placement::out_of_place) == 2 * 2 * elements * 2 + positions);
  CHECK(placed(Placement::converted) == 2 * elements * (4 + 2) + positions);
}

}  // namespace ropewalk
