// The properties hold for the schedules models use, and each of them has a mistake that it cannot see.
#include <cmath>
#include <complex>
#include <numbers>

#include "chapters/01_rotation/properties.hpp"
#include "common/testing/catch.hpp"

using namespace ropewalk;
using namespace ropewalk::rotation;

namespace {

ScheduleSpec spec(double base, std::int64_t head_dim, std::int64_t rotary_dim) {
  return {.rope_type = "default", .base = base, .head_dim = head_dim, .rotary_dim = rotary_dim};
}

// The transposed convention: the same formulas with the sign of the sine changed.
Pair turn_clockwise(Pair x, double angle) {
  return turn(x, -angle);
}

}  // namespace

TEST_CASE("the properties hold for small, partial and large configurations") {
  for (const ScheduleSpec& s :
       {spec(1e4, 128, 128), spec(5e5, 128, 128), spec(1e4, 96, 24), spec(1e6, 80, 20), spec(1e4, 6, 6),
        spec(1e4, 2, 2), spec(1, 8, 8), spec(1e30, 256, 256)})
    for (const std::uint64_t seed : {1u, 2u, 3u})
      for (const CheckResult& check : check_properties(s, seed)) {
        INFO(check.what << ", base " << s.base << ", rotary_dim " << s.rotary_dim << "\n"
                        << check.fault_text);
        CHECK(check.values > 0);
        CHECK(check.passed());
      }
}

TEST_CASE("a positive angle turns from the first channel to the second") {
  const Pair y = turn(Pair{1, 0}, 1);
  CHECK(y.x0 == Approx(0.540302).epsilon(1e-6));
  CHECK(y.x1 == Approx(+0.841471).epsilon(1e-6));
  const Pair z = turn(Pair{1, 0}, std::numbers::pi / 2);
  CHECK(std::abs(z.x0) < 1e-15);
  CHECK(z.x1 == 1.0);
}

TEST_CASE("angles of large positions keep their digits") {
  CHECK(std::cos(angle(257, 1)) == Approx(0.819305529144982).epsilon(1e-13));
  CHECK(std::cos(angle(1857, 1)) == Approx(-0.949630476700276).epsilon(1e-13));
  CHECK(std::cos(angle(131071, 1)) == Approx(-0.817983499387949).epsilon(1e-13));
  CHECK(std::sin(angle(131071, 1)) == Approx(-0.575241683754789).epsilon(1e-13));
}

TEST_CASE("the worked example: 5 cos 2 - 5 sin 2, wherever the two positions lie") {
  const double expected = -6.62722131686412;
  for (const int n : {0, 3, 103, -1, -131071, 1000000}) {
    const double got = dot(turn(Pair{1, 2}, n + 2), turn(Pair{3, 1}, n));
    CHECK(got == Approx(expected).epsilon(1e-9));
  }
  const std::complex<double> product = std::complex<double>(1, 2) * std::conj(std::complex<double>(3, 1));
  CHECK(product == std::complex<double>(5, 5));
  CHECK((product * std::polar(1.0, 2.0)).real() == Approx(expected).epsilon(1e-14));
}

TEST_CASE("frequencies of known models") {
  CHECK(frequency(1, 128, 1e4) == Approx(0.865964).epsilon(1e-6));
  CHECK(frequency(1, 128, 5e5) == Approx(0.814617).epsilon(1e-6));
  CHECK(frequency(1, 128, 1e6) == Approx(0.805842).epsilon(1e-6));
  CHECK(frequency(1, 24, 1e4) == Approx(0.464158883).epsilon(1e-8));  // GPT-NeoX-20B: 24 of 96 channels
  CHECK(frequency(1, 96, 1e4) == Approx(0.825404185).epsilon(1e-8));  // the wrong one, over head_dim
  CHECK(frequency(30, 128, 5e5) == Approx(0.002131119537).epsilon(1e-9));
}

TEST_CASE("the base belongs to the checkpoint") {  // 1e4 hard-coded where the model wants 1e6
  CHECK(angle(100, frequency(32, 128, 1e4)) == Approx(1.0).epsilon(1e-12));
  CHECK(angle(100, frequency(32, 128, 1e6)) == Approx(0.1).epsilon(1e-12));
}

TEST_CASE("frequencies are a geometric series from 1 down to almost 1/base") {
  for (const double base : {1e4, 5e5, 1e6})
    for (std::int64_t p = 0; p + 1 < 64; ++p) {
      CHECK(frequency(p + 1, 128, base) / frequency(p, 128, base) ==
            Approx(frequency(1, 128, base)).epsilon(1e-14));
      CHECK(frequency(p, 128, base) * base > 1);
    }
  CHECK(frequency(0, 128, 1e4) == 1);
  CHECK(2 * std::numbers::pi / frequency(63, 128, 1e4) == Approx(54410.1431307768).epsilon(1e-12));
}

TEST_CASE("length, sum and relative position cannot see the wrong direction; a known turn can") {
  const Pair q{1, 2}, k{3, 1};
  const Pair y = turn_clockwise(q, 1);
  CHECK(length(y) == Approx(length(q)).epsilon(1e-14));
  CHECK(turn_clockwise(y, 4).x0 == Approx(turn_clockwise(q, 5).x0).epsilon(1e-14));
  CHECK(dot(turn_clockwise(q, 105), turn_clockwise(k, 103)) ==
        Approx(dot(turn_clockwise(q, 5), turn_clockwise(k, 3))).epsilon(1e-12));

  CheckResult result;
  compare(result, turn_clockwise({1, 0}, 1), {0.54030230586813972, 0.84147098480789665}, kTurnError, "");
  CHECK_FALSE(result.passed());
}

TEST_CASE("NaN is a fault") {
  CheckResult result;
  compare(result, {NAN, 0}, {0, 0}, 1, "");
  compare(result, {0, NAN}, {0, 0}, 1, "");
  CHECK(result.faults == 2);
}
