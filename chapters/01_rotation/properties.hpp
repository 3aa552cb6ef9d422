/// \file
/// What must be true of turn() and frequency(), each as a check over many random pairs and positions.
///
/// Tolerances. u = 2⁻⁵³ is the largest relative error of one rounding of a double. One turn of a pair of
/// length r makes each channel wrong by at most 4·u·r: cos and sin are off by u at most, which moves a
/// channel by u·(|x0| + |x1|) ≤ √2·u·r; the two products add u·r and the sum another u·r. The angle
/// position·frequency is rounded too, by at most u·|angle|, and an error of the angle moves the arrow's tip
/// by that times r.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "chapters/01_rotation/rotation.hpp"
#include "common/rope/compare.hpp"
#include "common/rope/schedules/schedule.hpp"

namespace ropewalk::rotation {

constexpr double kU = 0x1p-53;
constexpr double kTurnError = 4 * kU;  // of a channel, times the pair's length
constexpr int kDraws = 10000;

/// Random pairs and positions, the same for a seed on every machine.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : bits_(seed) {}
  double between(double low, double high) {
    return low + (high - low) * (static_cast<double>(bits_() >> 11) * 0x1p-53);
  }
  Pair pair() { return {between(-2, 2), between(-2, 2)}; }
  /// Of either sign and any size up to 2³⁰, small ones as often as huge ones.
  std::int64_t position() {
    const auto size = static_cast<std::int64_t>(std::exp2(between(0, 30)));
    return bits_() % 2 == 0 ? size : -size;
  }
  double one_of(const std::vector<double>& values) { return values[bits_() % values.size()]; }

 private:
  std::mt19937_64 bits_;
};

/// Angle of a position, and the largest rounding error in it.
inline double angle(std::int64_t position, double frequency) {
  return static_cast<double>(position) * frequency;
}
inline double angle_error(std::int64_t position, double frequency) {
  return kU * std::abs(angle(position, frequency));
}

inline std::ostream& operator<<(std::ostream& out, Pair x) {
  return out << '(' << x.x0 << ", " << x.x1 << ')';
}

inline CheckResult start(const char* what, const char* on) {
  CheckResult result;
  result.what = what;
  result.on = on;
  return result;
}

/// Counts one comparison, and a fault when the error is larger than the tolerance or not a number.
template <class Value>
void record(CheckResult& result, double error, double tolerance, const std::string& where,
            const Value& expected, const Value& got) {
  if (result.value(error, tolerance)) return;
  std::ostringstream line;
  line << where << ": expected " << expected << ", got " << got << ", allowed " << tolerance;
  result.fault(line.str());
}

inline void compare(CheckResult& result, double got, double expected, double tolerance,
                    const std::string& where) {
  record(result, std::abs(got - expected), tolerance, where, expected, got);
}

/// A pair counts as one value: the worse of its two channels.
inline void compare(CheckResult& result, Pair got, Pair expected, double tolerance,
                    const std::string& where) {
  const double e0 = std::abs(got.x0 - expected.x0), e1 = std::abs(got.x1 - expected.x1);
  record(result, e0 >= e1 || std::isnan(e0) ? e0 : e1, tolerance, where, expected, got);
}

inline std::string at(std::int64_t position, double frequency) {
  std::ostringstream text;
  text << "position " << position << ", frequency " << frequency;
  return text.str();
}

/// Turns whose results are known to all digits a double has, and with them the direction of a turn.
inline CheckResult check_known_turns() {
  CheckResult result = start("known turns", "literal values");
  compare(result, turn(Pair{1, 0}, 1), {0.54030230586813972, 0.84147098480789665}, kTurnError, "(1, 0) by 1");
  compare(result, turn(Pair{1, 2}, 1), {-1.1426396637476533, 1.9220755965441759}, 3 * kTurnError,
          "(1, 2) by 1");
  compare(result, turn(Pair{3, 4}, 0.01), {2.9598506679133292, 4.0297995016691611}, 5 * kTurnError,
          "(3, 4) by 0.01");
  return result;
}

inline CheckResult check_complex_product(Draws draws, const std::vector<double>& frequencies) {
  CheckResult result = start("complex product", "random pairs");
  for (int i = 0; i < kDraws; ++i) {
    const Pair x = draws.pair();
    const std::int64_t p = draws.position();
    const double f = draws.one_of(frequencies);
    const std::complex<double> product = turn(std::complex<double>(x.x0, x.x1), angle(p, f));
    compare(result, turn(x, angle(p, f)), {product.real(), product.imag()}, 2 * kTurnError * length(x),
            at(p, f));
  }
  return result;
}

inline CheckResult check_lengths(Draws draws, const std::vector<double>& frequencies) {
  CheckResult result = start("length kept", "random pairs");
  for (int i = 0; i < kDraws; ++i) {
    const Pair x = draws.pair();
    const std::int64_t p = draws.position();
    const double f = draws.one_of(frequencies);
    // Both channels of the turn are off, hence √2; each hypot rounds as well.
    const double tolerance = (std::sqrt(2.0) * kTurnError + 4 * kU) * length(x);
    compare(result, length(turn(x, angle(p, f))), length(x), tolerance, at(p, f));
  }
  return result;
}

inline CheckResult check_sum_of_turns(Draws draws, const std::vector<double>& frequencies) {
  CheckResult result = start("two turns add up", "random pairs");
  for (int i = 0; i < kDraws; ++i) {
    const Pair x = draws.pair();
    const std::int64_t a = draws.position(), b = draws.position();
    const double f = draws.one_of(frequencies);
    const double angles = angle_error(a, f) + angle_error(b, f) + angle_error(a + b, f);
    compare(result, turn(turn(x, angle(a, f)), angle(b, f)), turn(x, angle(a + b, f)),
            (3 * std::sqrt(2.0) * kTurnError + angles) * length(x), at(a, f) + ", then " + at(b, f));
  }
  return result;
}

inline CheckResult check_turning_back(Draws draws, const std::vector<double>& frequencies) {
  CheckResult result = start("-position undoes it", "random pairs");
  for (int i = 0; i < kDraws; ++i) {
    const Pair x = draws.pair();
    const std::int64_t p = draws.position();
    const double f = draws.one_of(frequencies);  // -p gives exactly the opposite angle: no error from there
    compare(result, turn(turn(x, angle(p, f)), angle(-p, f)), x, 2 * std::sqrt(2.0) * kTurnError * length(x),
            at(p, f));
  }
  return result;
}

inline CheckResult check_position_zero(Draws draws, const std::vector<double>& frequencies) {
  CheckResult result = start("position 0 is still", "random pairs");
  for (int i = 0; i < kDraws; ++i) {
    const Pair x = draws.pair();
    const double f = draws.one_of(frequencies);
    compare(result, turn(x, angle(0, f)), x, 0, at(0, f));  // cos 0 = 1 and sin 0 = 0 exactly
  }
  return result;
}

// [relative]
/// Whole heads: q at position m and k at position n have the dot product of q at m − n and k at 0.
inline CheckResult check_relative_position(Draws draws, const std::vector<double>& frequencies) {
  CheckResult result = start("only m - n counts", "random heads");
  for (int i = 0; i < kDraws / 10; ++i) {
    const std::int64_t m = draws.position(), n = draws.position();
    double both = 0, difference = 0, tolerance = 0;
    for (const double f : frequencies) {
      const Pair q = draws.pair(), k = draws.pair();
      both += dot(turn(q, angle(m, f)), turn(k, angle(n, f)));
      difference += dot(turn(q, angle(m - n, f)), k);
      // Three turns, their three angles, and the roundings of two sums of 2·pairs products.
      tolerance += length(q) * length(k) *
                   (3 * std::sqrt(2.0) * kTurnError + angle_error(m, f) + angle_error(n, f) +
                    angle_error(m - n, f) + 4 * static_cast<double>(frequencies.size()) * kU);
    }
    compare(result, both, difference, tolerance, "m = " + std::to_string(m) + ", n = " + std::to_string(n));
  }
  return result;
}
// [relative]

/// One frequency with its first nine digits or more, computed elsewhere.
struct KnownFrequency {
  const char* what;
  std::int64_t pair, rotary_dim;
  double base, value;
};

// The first three are what a pair is slower than the one before it. GPT-NeoX-20B turns 24 of 96 channels:
// counting the exponent over 96 would give 0.825404185.
constexpr std::array<KnownFrequency, 4> kKnownFrequencies = {{
    {"base 1e4, 128 channels", 1, 128, 1e4, 0.86596432336006535},
    {"base 5e5, 128 channels", 1, 128, 5e5, 0.81461723385654470},
    {"base 1e6, 128 channels", 1, 128, 1e6, 0.80584218776148184},
    {"GPT-NeoX-20B, 24 of 96 channels", 1, 24, 1e4, 0.46415888336127789},
}};

/// pow is right to one ulp of at most 2·u; the rounded exponent moves the result by ln(base)·exponent·u.
inline double frequency_error(std::int64_t pair, std::int64_t rotary_dim, double base) {
  const double exponent = 2.0 * static_cast<double>(pair) / static_cast<double>(rotary_dim);
  return (std::log(base) * exponent + 2) * kU * frequency(pair, rotary_dim, base);
}

inline CheckResult check_known_frequencies() {
  CheckResult result = start("known frequencies", "literal values");
  for (const KnownFrequency& known : kKnownFrequencies)
    compare(result, frequency(known.pair, known.rotary_dim, known.base), known.value,
            frequency_error(known.pair, known.rotary_dim, known.base) + kU * known.value, known.what);
  return result;
}

/// frequency() against the schedule that all later chapters use, which is computed with more digits.
inline CheckResult check_schedule(const ScheduleSpec& spec, const Schedule& schedule) {
  CheckResult result = start("schedule", "every pair");
  for (std::size_t p = 0; p < schedule.inv_freq.size(); ++p) {
    const auto pair = static_cast<std::int64_t>(p);
    compare(result, frequency(pair, spec.rotary_dim, spec.base), schedule.inv_freq[p],
            frequency_error(pair, spec.rotary_dim, spec.base) + kU * schedule.inv_freq[p],
            "pair " + std::to_string(p));
  }
  return result;
}

inline std::vector<CheckResult> check_properties(const ScheduleSpec& spec, std::uint64_t seed) {
  const Schedule schedule = make_schedule(spec);
  const std::vector<double>& f = schedule.inv_freq;
  const Draws draws(seed);  // copied: every check sees the same numbers
  std::vector<CheckResult> results = {check_known_turns(),
                                      check_complex_product(draws, f),
                                      check_lengths(draws, f),
                                      check_sum_of_turns(draws, f),
                                      check_turning_back(draws, f),
                                      check_position_zero(draws, f),
                                      check_relative_position(draws, f),
                                      check_known_frequencies()};
  if (spec.rope_type == "default") results.push_back(check_schedule(spec, schedule));
  return results;
}

}  // namespace ropewalk::rotation
