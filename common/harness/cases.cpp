/// \file
/// Makes the inputs of the checks.
#include "common/harness/cases.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <utility>

#include "common/harness/element_bytes.hpp"
#include "common/rope/positions.hpp"

namespace ropewalk {
namespace {

constexpr std::array<std::int32_t, 5> kSmallPositions = {7, 3, 19, 400, 2};
constexpr std::array<std::int32_t, 5> kFarPositions = {131071, 131000, 131100, 131007, 130900};

// SplitMix64: the same numbers with every standard library, unlike std::uniform_real_distribution.
float random_value(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = seed * 0xD1B54A32D192ED03u + (index + 1) * 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  z ^= z >> 31;
  return static_cast<float>(static_cast<double>(z >> 40) * 0x1p-22 - 2.0);  // 24 bits in [-2, 2)
}

// Different for the first 4,096 indices (128 significands, two signs, 16 powers of two) and exact in
// bfloat16, whose significand has 8 bits, and in half.
float distinct_value(std::uint64_t index) {
  const double significand = 1.0 + static_cast<double>(index % 128) / 128.0;
  constexpr int kExponents[] = {-2, -1, 0, 1, -3, 2, -4, 3, -5, 4, -6, 5, -7, 6, -8, 7};
  const double magnitude = std::ldexp(significand, kExponents[index / 256 % std::size(kExponents)]);
  return static_cast<float>(index / 128 % 2 == 0 ? magnitude : -magnitude);
}

template <class Value>
Case make_case(std::string name, const RunRequest& request, const Shape& shape, Style style,
               std::vector<std::int32_t> positions, Value value) {
  Case c;
  c.name = std::move(name);
  c.shape = shape;
  c.dtype = request.dtype;
  c.style = style;
  c.spec = request.schedule;
  c.spec.head_dim = shape.head_dim;
  c.spec.rotary_dim = shape.rotary_dim;
  c.schedule = make_schedule(c.spec);
  c.positions = std::move(positions);
  if (static_cast<std::int64_t>(c.positions.size()) != shape.token_count()) {
    std::fprintf(stderr, "case %s: %zu positions for %lld tokens\n", c.name.c_str(), c.positions.size(),
                 static_cast<long long>(shape.token_count()));
    std::abort();  // a chapter's small_shape does not have five tokens
  }
  c.q.resize(static_cast<std::size_t>(shape.q_size()));
  c.k.resize(static_cast<std::size_t>(shape.k_size()));
  std::uint64_t index = 0;
  for (float& x : c.q) x = round_to(c.dtype, value(index++));
  for (float& x : c.k) x = round_to(c.dtype, value(index++));
  return c;
}

}  // namespace

Case small_case(const Chapter& chapter, const RunRequest& request, Style style) {
  return make_case("small", request, chapter.small_shape, style,
                   {kSmallPositions.begin(), kSmallPositions.end()}, distinct_value);
}

Case random_case(const RunRequest& request, const Shape& shape, Style style, std::string name) {
  std::vector<std::int32_t> positions;
  for (std::int64_t b = 0; b < (shape.tokens > 0 ? shape.batch : 0); ++b) {
    const auto sequence = contiguous_positions(1, shape.tokens, request.position_offset + kSequenceStep * b);
    positions.insert(positions.end(), sequence.begin(), sequence.end());
  }
  return make_case(std::move(name), request, shape, style, std::move(positions),
                   [&](std::uint64_t i) { return random_value(request.seed, i); });
}

Case far_case(const RunRequest& request, Style style) {
  Shape shape = request.shape;
  shape.batch = 1;
  shape.tokens = static_cast<std::int64_t>(kFarPositions.size());
  return make_case("far", request, shape, style, {kFarPositions.begin(), kFarPositions.end()},
                   [&](std::uint64_t i) { return random_value(request.seed + 1, i); });
}

Case vector_case(const TestVector& vector, Dtype dtype) {
  Case c;
  c.name = vector.name;
  c.shape = {.batch = 1,
             .tokens = vector.n_pos,
             .q_heads = vector.n_heads,
             .kv_heads = vector.n_heads,
             .head_dim = vector.head_dim,
             .rotary_dim = vector.schedule.rotary_dim};
  c.dtype = dtype;
  c.style = vector.style;
  c.spec = vector.schedule;
  c.schedule = make_schedule(vector.schedule);
  c.positions = vector.positions;
  c.q.assign(vector.x.begin(), vector.x.end());  // multiples of 1/16 in [-2, 2): exact in every dtype
  c.k = c.q;
  c.given = vector.y;
  c.given_f32_angle = vector.y_f32_angle;
  return c;
}

std::vector<Case> make_cases(const Chapter& chapter, const RunRequest& request) {
  std::vector<Case> cases;
  for (const TestVector& vector : request.vectors) cases.push_back(vector_case(vector, request.dtype));
  if (!request.vectors.empty()) return cases;
  for (Style style : request.styles) {
    cases.push_back(small_case(chapter, request, style));
    cases.push_back(random_case(request, request.shape, style, kRandomCase));
    cases.push_back(far_case(request, style));
  }
  return cases;
}

}  // namespace ropewalk
