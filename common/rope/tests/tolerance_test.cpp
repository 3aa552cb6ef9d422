/// \file
/// The tolerances from both sides: real float code stays inside, and a mistake does not.
#include "common/rope/tolerance.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <cmath>
#include <cstdio>

#include "common/rope/oracle.hpp"
#include "common/testing/catch.hpp"
#include "support.hpp"

using namespace ropewalk;
using ropewalk::testing::Numbers;
using ropewalk::testing::stored;

namespace {

constexpr Angles kAngles[] = {Angles::exact, Angles::f32_list, Angles::f32_powf};
constexpr Dtype kDtypes[] = {Dtype::f32, Dtype::f16, Dtype::bf16};

/// Largest share of (position, pair) that may be too close to a full turn to tell. In bfloat16 half a turn of
/// a slow pair at the first positions is below the rounding of the output.
constexpr double kFewCases[] = {0.0005, 0.003, 0.02};

const char* name(Angles angles) {
  return angles == Angles::exact ? "exact" : angles == Angles::f32_list ? "f32_list" : "f32_powf";
}

ScheduleSpec spec(double base, std::int64_t d) {
  return {.rope_type = "default", .base = base, .head_dim = d, .rotary_dim = d};
}

struct Pair {
  double x0, x1;
  double norm() const { return std::hypot(x0, x1); }
};

Pair rotated(Pair x, CosSin turn) {
  return {x.x0 * turn.cos - x.x1 * turn.sin, x.x0 * turn.sin + x.x1 * turn.cos};
}

Pair random_pair(Numbers& numbers) {
  Pair x{numbers.sixteenth(), numbers.sixteenth()};
  if (x.norm() == 0) x.x0 = 1;
  return x;
}

/// Worst |got − expected| / tolerance of the two channels. NaN counts as infinite.
double fraction(Pair got, Pair expected, Dtype dtype, double norm, double angle_error) {
  double worst = 0;
  for (const auto& [g, e] : {std::pair{got.x0, expected.x0}, std::pair{got.x1, expected.x1}}) {
    const double ratio = std::abs(g - e) / pair_tolerance(dtype, norm, e, angle_error);
    worst = std::isnan(ratio) ? HUGE_VAL : std::max(worst, ratio);
  }
  return worst;
}

double larger_tolerance(Pair expected, Dtype dtype, double norm, double angle_error) {
  return std::max(pair_tolerance(dtype, norm, expected.x0, angle_error),
                  pair_tolerance(dtype, norm, expected.x1, angle_error));
}

/// What a kernel computes, in float and without the library.
Pair in_float(Angles angles, std::int32_t position, std::int64_t pair, const ScheduleSpec& s, double inv_freq,
              Pair x, Dtype dtype) {
  float cosine = 0, sine = 0;
  if (angles == Angles::exact) {
    const long double angle = static_cast<long double>(position) * static_cast<long double>(inv_freq);
    cosine = static_cast<float>(std::cos(angle));
    sine = static_cast<float>(std::sin(angle));
  } else {
    const float exponent = -2.0f * static_cast<float>(pair) / static_cast<float>(s.rotary_dim);
    const float f = angles == Angles::f32_list ? static_cast<float>(inv_freq)
                                               : std::pow(static_cast<float>(s.base), exponent);
    const float angle = static_cast<float>(position) * f;
    cosine = std::cos(angle);
    sine = std::sin(angle);
  }
  const auto x0 = static_cast<float>(x.x0), x1 = static_cast<float>(x.x1);
  const float y0 = x0 * cosine - x1 * sine;
  const float y1 = x0 * sine + x1 * cosine;
  return {stored(static_cast<double>(y0), dtype), stored(static_cast<double>(y1), dtype)};
}

std::vector<std::int32_t> sample_positions() {
  std::vector<std::int32_t> positions = {
      0, 1, -1, 2, 3, 131071, 262143, (1 << 24), (1 << 24) - 1, (1 << 24) + 1, 33554435, INT_MAX, INT_MIN};
  Numbers numbers(7);
  for (int bits = 2; bits <= 24; ++bits) {
    for (int i = 0; i < 60; ++i) {
      const auto position = static_cast<std::int32_t>(numbers.next() % (1u << bits));
      positions.push_back(i % 8 == 0 ? -position : position);
    }
  }
  return positions;
}

}  // namespace

TEST_CASE("float code of the host stays within the tolerance, and uses a fair part of it") {
  const std::vector<std::int32_t> positions = sample_positions();
  const std::array<std::pair<double, std::int64_t>, 9> models = {{{1e4, 128},
                                                                  {5e5, 128},
                                                                  {1e6, 128},
                                                                  {8e6, 128},
                                                                  {1e4, 24},
                                                                  {1e4, 20},
                                                                  {150000, 64},
                                                                  {12345.6789, 80},  // no float
                                                                  {1e30, 6}}};
  for (const Angles angles : kAngles) {
    for (const Dtype dtype : kDtypes) {
      double worst = 0;
      Numbers numbers(42);
      for (const auto& [base, d] : models) {
        const ScheduleSpec s = spec(base, d);
        const Schedule schedule = make_schedule(s);
        for (const std::int32_t position : positions) {
          for (std::int64_t p = 0; p < d / 2; ++p) {
            const double inv_freq = schedule.inv_freq[static_cast<std::size_t>(p)];
            const Pair x = random_pair(numbers);
            const Pair expected = rotated(x, exact_cos_sin(position, inv_freq));
            const Pair got = in_float(angles, position, p, s, inv_freq, x, dtype);
            worst = std::max(worst, fraction(got, expected, dtype, x.norm(),
                                             angle_error(angles, position, p, s, schedule)));
          }
        }
      }
      std::printf("host float code, %-8s %-4s: worst error %.3f of the tolerance\n", name(angles),
                  std::string(to_string(dtype)).c_str(), worst);
      CHECK(worst <= 1.0);
      CHECK(worst >= 0.3);
    }
  }
}

TEST_CASE("f32_list is held to little more than the known error of the float angle") {
  for (const auto& [base, known] : {std::pair{1e4, 2.7e-3}, std::pair{5e5, 2.8e-3}}) {
    const ScheduleSpec s = spec(base, 128);
    const Schedule schedule = make_schedule(s);
    double largest = 0;
    for (std::int64_t p = 0; p < 64; ++p) {
      largest = std::max(largest, angle_error(Angles::f32_list, 131071, p, s, schedule));
    }
    CHECK(largest >= known);
    CHECK(largest <= 3 * known);
  }
}

TEST_CASE("angle errors: none for exact angles, the roundings at hand for the others") {
  const ScheduleSpec s = spec(1e4, 128);
  const Schedule schedule = make_schedule(s);
  CHECK(angle_error(Angles::exact, INT_MAX, 1, s, schedule) == 0.0);
  const double sincosf = angle_error(Angles::f32_list, 0, 1, s, schedule);
  CHECK(sincosf == Approx(2 * std::sqrt(2.0) * 0x1p-24));
  // Pair 0 has frequency 1: only the product's rounding is left, 2^−8 for an angle in [2^16, 2^17).
  CHECK(angle_error(Angles::f32_list, 131071, 0, s, schedule) == Approx(0x1p-8 + sincosf));
  CHECK(angle_error(Angles::f32_powf, 131071, 0, s, schedule) == Approx(0x1p-8 + sincosf));
  CHECK(angle_error(Angles::f32_list, -131071, 0, s, schedule) == Approx(0x1p-8 + sincosf));
  // 2^24 + 1 is no float: one whole radian on pair 0.
  CHECK(angle_error(Angles::f32_list, (1 << 24) + 1, 0, s, schedule) == Approx(1.0 + 1.0 + sincosf));
  // 4.5 ulp of powf at 0.866 are 2.7e-7 per position.
  CHECK(angle_error(Angles::f32_powf, 131071, 1, s, schedule) ==
        Approx(131071 * 4.5 * 0x1p-24 + 0x1p-8).epsilon(0.03));
}

TEST_CASE("the output's rounding: half an ulp at the expected value, subnormals included") {
  CHECK(pair_tolerance(Dtype::f32, 1.0, 0.5, 0.0) == Approx(3 * 0x1p-24).epsilon(1e-5));
  CHECK(pair_tolerance(Dtype::f16, 1.0, 0.6, 0.0) == Approx(3 * 0x1p-24 + 0x1p-12));
  CHECK(pair_tolerance(Dtype::bf16, 1.0, 0.6, 0.0) == Approx(3 * 0x1p-24 + 0x1p-9));
  CHECK(pair_tolerance(Dtype::bf16, 1.0, -0.6, 0.0) == pair_tolerance(Dtype::bf16, 1.0, 0.6, 0.0));
  // Just below a power of two the result may be rounded in the next binade.
  CHECK(pair_tolerance(Dtype::f16, 1.0, std::nextafter(1.0, 0.0), 0.0) == Approx(3 * 0x1p-24 + 0x1p-11));
  CHECK(pair_tolerance(Dtype::f16, 1e-6, 1e-7, 0.0) == Approx(0x1p-25).epsilon(1e-4));
  CHECK(pair_tolerance(Dtype::f16, 0.0, 0.0, 0.0) == Approx(0x1p-25));
  CHECK(pair_tolerance(Dtype::bf16, 0.0, 0.0, 0.0) == Approx(0x1p-134).epsilon(1e-4));
  CHECK(pair_tolerance(Dtype::f32, 0.0, 0.0, 0.0) == 0x1p-149);
  // In the element type: two more roundings, of cos or sin and of the products.
  constexpr auto kElement = Arithmetic::in_element_type;
  CHECK(pair_tolerance(Dtype::f16, 1.0, 0.6, 0.0, kElement) == Approx(2 * 0x1p-11 + 0x1p-12).epsilon(1e-3));
  CHECK(pair_tolerance(Dtype::bf16, 1.0, 0.6, 0.0, kElement) == Approx(2 * 0x1p-8 + 0x1p-9).epsilon(1e-2));
  CHECK(pair_tolerance(Dtype::f32, 1.0, 0.6, 0.0, kElement) == pair_tolerance(Dtype::f32, 1.0, 0.6, 0.0));
  CHECK(describe(Angles::exact, kElement) ==
        describe(Angles::exact) + "; cos, sin and products rounded to the element type");
}

TEST_CASE("the tolerance bites: one pair left unrotated fails at every position") {
  for (const auto& [base, d] : {std::pair<double, std::int64_t>{1e4, 128}, {5e5, 128}, {1e4, 12}}) {
    const ScheduleSpec s = spec(base, d);
    const Schedule schedule = make_schedule(s);
    std::array<std::array<std::int64_t, 3>, 3> left_out{};
    std::array<std::array<std::int64_t, 3>, 3> survived{};
    std::int64_t cases = 0;
    Numbers numbers(3);
    for (std::int32_t position = 1; position <= 9999; ++position) {
      for (std::int64_t p = 0; p < d / 2; ++p, ++cases) {
        const double inv_freq = schedule.inv_freq[static_cast<std::size_t>(p)];
        const Pair x = random_pair(numbers);
        const Pair expected = rotated(x, exact_cos_sin(position, inv_freq));
        const double moved = 2 * std::abs(std::sin(0.5 * position * inv_freq)) * x.norm();
        for (std::size_t a = 0; a < 3; ++a) {
          const double error = angle_error(kAngles[a], position, p, s, schedule);
          for (std::size_t t = 0; t < 3; ++t) {
            if (moved <= 2 * larger_tolerance(expected, kDtypes[t], x.norm(), error)) {
              ++left_out[a][t];  // the angle is so close to a multiple of 2π that nobody could tell
            } else if (fraction(x, expected, kDtypes[t], x.norm(), error) <= 1) {
              ++survived[a][t];
            }
          }
        }
      }
    }
    for (std::size_t a = 0; a < 3; ++a) {
      for (std::size_t t = 0; t < 3; ++t) {
        INFO(name(kAngles[a]) << " " << to_string(kDtypes[t]));
        std::printf("base %g, rotary_dim %ld, %-8s %-4s: %ld of %ld cases left out (%.3f %%)\n", base,
                    static_cast<long>(d), name(kAngles[a]), std::string(to_string(kDtypes[t])).c_str(),
                    static_cast<long>(left_out[a][t]), static_cast<long>(cases),
                    100.0 * static_cast<double>(left_out[a][t]) / static_cast<double>(cases));
        CHECK(survived[a][t] == 0);
        CHECK(static_cast<double>(left_out[a][t]) < kFewCases[t] * static_cast<double>(cases));
      }
    }
  }
}

TEST_CASE("the tolerance bites: a token at the position next door fails everywhere") {
  const ScheduleSpec s = spec(1e4, 128);
  const Schedule schedule = make_schedule(s);
  Numbers numbers(9);
  std::array<std::array<std::int64_t, 3>, 3> survived{};
  for (std::int32_t position = 1; position <= 9999; ++position) {
    std::array<Pair, 64> x;
    for (Pair& pair : x) pair = random_pair(numbers);
    const std::vector<CosSin> right = exact_cos_sin_row(schedule, position);
    for (const std::int32_t wrong_position : {position - 1, position + 1}) {
      const std::vector<CosSin> wrong = exact_cos_sin_row(schedule, wrong_position);
      for (std::size_t a = 0; a < 3; ++a) {
        for (std::size_t t = 0; t < 3; ++t) {
          bool caught = false;
          for (std::size_t p = 0; p < 64 && !caught; ++p) {
            const double error = angle_error(kAngles[a], position, static_cast<std::int64_t>(p), s, schedule);
            caught = fraction(rotated(x[p], wrong[p]), rotated(x[p], right[p]), kDtypes[t], x[p].norm(),
                              error) > 1;
          }
          survived[a][t] += caught ? 0 : 1;
        }
      }
    }
  }
  for (const auto& by_dtype : survived) CHECK(by_dtype == std::array<std::int64_t, 3>{});
}

TEST_CASE("each kind of angles says which roundings it allows") {
  for (const Angles angles : kAngles) {
    CHECK(describe(angles).find('\n') == std::string::npos);
    for (const Angles other : kAngles) CHECK((angles == other) == (describe(angles) == describe(other)));
  }
}
