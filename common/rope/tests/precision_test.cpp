/// \file
/// What a rounding in the wrong place costs: literal values of errors that real code has made.
#include <algorithm>
#include <cmath>

#include "common/rope/oracle.hpp"
#include "common/testing/catch.hpp"
#include "support.hpp"

using namespace ropewalk;
using ropewalk::testing::to_bf16;
using ropewalk::testing::to_f16;

namespace {

Schedule schedule(double base, std::int64_t d) {
  return make_schedule({.rope_type = "default", .base = base, .head_dim = d, .rotary_dim = d});
}

/// Largest error of the float angle position * float(inv_freq) over all pairs, in radians.
double direct_error(double base, std::int64_t d, std::int32_t position) {
  double worst = 0;
  for (const double f : schedule(base, d).inv_freq) {
    const float angle = static_cast<float>(position) * static_cast<float>(f);
    worst = std::max(worst, static_cast<double>(std::abs(angle - exact_angle(position, f))));
  }
  return worst;
}

/// The same when each pair's angle is the one before times a float ratio, as ggml's CPU code does.
double iterated_error(double base, std::int64_t d, std::int32_t position) {
  const Schedule exact = schedule(base, d);
  const float ratio = std::pow(static_cast<float>(base), -2.0f / static_cast<float>(d));
  float angle = static_cast<float>(position);
  double worst = 0;
  for (const double f : exact.inv_freq) {
    worst = std::max(worst, static_cast<double>(std::abs(angle - exact_angle(position, f))));
    angle *= ratio;
  }
  return worst;
}

}  // namespace

TEST_CASE("an angle in half precision is a different angle") {
  const double f = schedule(1e4, 32).inv_freq[1];
  CHECK(static_cast<double>(exact_angle(1857, f)) == Approx(1044.267841).epsilon(1e-9));
  CHECK(exact_cos_sin(1857, f).cos == Approx(0.306693).epsilon(1e-5));
  CHECK(to_f16(1857 * to_f16(f)) == 1045.0);
  CHECK(std::cos(1045.0) == Approx(-0.408165).epsilon(1e-5));
}

TEST_CASE("a frequency in bfloat16 is a different frequency") {
  const double f = schedule(1e4, 128).inv_freq[1];
  CHECK(exact_cos_sin(257, f).cos == Approx(-0.877464).epsilon(1e-5));
  CHECK(exact_cos_sin(257, to_bf16(f)).cos == Approx(-0.982772).epsilon(1e-5));
  CHECK(exact_cos_sin(4095, f).cos == Approx(-0.742366).epsilon(1e-5));
  CHECK(exact_cos_sin(4095, to_bf16(f)).cos == Approx(0.423841).epsilon(1e-5));
}

TEST_CASE("a position in bfloat16 is a different position") {
  CHECK(to_bf16(257) == 256);
  CHECK(to_bf16(4095) == 4096);
  CHECK(exact_cos_sin(257, 1).cos == Approx(0.819306).epsilon(1e-5));
  CHECK(exact_cos_sin(256, 1).cos == Approx(-0.039791).epsilon(1e-4));
}

TEST_CASE("a table in bfloat16 loses 0.14 per cent at once") {
  CHECK(std::cos(0.1032) == Approx(0.994680).epsilon(1e-6));
  CHECK(to_bf16(std::cos(0.1032)) == 0.99609375);
  CHECK(to_bf16(std::cos(0.1032)) / std::cos(0.1032) - 1 == Approx(0.0014).epsilon(0.02));
}

TEST_CASE("the float angle's error grows with the position, and faster when angles are iterated") {
  CHECK(direct_error(1e4, 128, 131071) == Approx(2.7e-3).epsilon(0.03));
  CHECK(direct_error(5e5, 128, 131071) == Approx(2.8e-3).epsilon(0.03));
  CHECK(direct_error(1e6, 128, 1000000) == Approx(2.1e-2).epsilon(0.03));
  CHECK(iterated_error(1e4, 128, 131071) == Approx(1.29e-2).epsilon(0.03));
  CHECK(iterated_error(5e5, 128, 131071) == Approx(4.2e-3).epsilon(0.03));
  CHECK(iterated_error(1e6, 128, 1000000) == Approx(5.7e-2).epsilon(0.03));
}
