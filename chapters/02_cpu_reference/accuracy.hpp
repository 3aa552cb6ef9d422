/// \file
/// How far each way of computing cos and sin is from the exact values, and what a 16-bit type does in the
/// wrong place.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "chapters/02_cpu_reference/reference.hpp"
#include "common/harness/element_bytes.hpp"
#include "common/rope/compare.hpp"
#include "common/rope/oracle.hpp"
#include "common/rope/table.hpp"
#include "common/rope/tolerance.hpp"

namespace ropewalk::reference {

/// One position of a schedule, as the ways of reference.hpp get it.
struct OnePosition {
  OnePosition(const ScheduleSpec& spec, const Schedule& schedule, std::int32_t position)
      : inv_freq(schedule.inv_freq.begin(), schedule.inv_freq.end()),
        table(make_table(schedule, std::span(&position, 1))),
        exact(exact_cos_sin_row(schedule, position)) {
    call.shape.head_dim = spec.head_dim;
    call.shape.rotary_dim = spec.rotary_dim;
    call.base = spec.base;
    call.cos_table = table.cos.data();
    call.sin_table = table.sin.data();
    call.first_position = table.first_position;
    call.table_rows = table.rows;
    call.inv_freq = inv_freq.data();
  }
  OnePosition(const OnePosition&) = delete;  // call points into it
  OnePosition& operator=(const OnePosition&) = delete;

  std::vector<float> inv_freq;
  CosSinTable table;
  std::vector<CosSin> exact;
  RopeCall call;
};

using FillRow = void (*)(const RopeCall&, std::int32_t, std::vector<Rotation>&);

/// A way to compute a row, and the most its (cos, sin) of a pair may be off, in the plane.
struct Way {
  const char* name;
  FillRow fill;
  double (*bound)(std::int32_t position, std::size_t pair, const ScheduleSpec&, const Schedule&);
};

template <Angles angles>
double known_bound(std::int32_t position, std::size_t pair, const ScheduleSpec& spec,
                   const Schedule& schedule) {
  // Angles::exact allows nothing here: what is left is one rounding of cos and of sin to float.
  return angle_error(angles, position, static_cast<std::int64_t>(pair), spec, schedule) + 0x1p-24;
}

/// The step's rounding is what it is on this machine; each multiplication adds at most 2⁻²⁴ of the angle.
/// Pair p has p of each. cosf and sinf are off by 2 ulp at most.
inline double product_bound(std::int32_t position, std::size_t pair, const ScheduleSpec& spec,
                            const Schedule& schedule) {
  RopeCall call;
  call.shape.rotary_dim = spec.rotary_dim;
  call.base = spec.base;
  const double exact_step = std::pow(spec.base, -2.0 / static_cast<double>(spec.rotary_dim));
  const double step_error = std::abs(static_cast<double>(frequency_step(call)) / exact_step - 1);
  const double growth = std::pow((1 + step_error) * (1 + 0x1p-24), static_cast<double>(pair)) - 1;
  const double position_error = std::abs(static_cast<double>(static_cast<float>(position)) - position);
  const double angle = std::abs(position * schedule.inv_freq[pair]);
  return angle * growth + position_error * schedule.inv_freq[pair] * (1 + growth) + std::sqrt(2.0) * 0x1p-23;
}

inline constexpr std::array<Way, 4> kWays = {{
    {"table", row_from_table, known_bound<Angles::exact>},
    {"angles", row_from_angles, known_bound<Angles::f32_list>},
    {"powf", row_from_powf, known_bound<Angles::f32_powf>},
    {"product", row_from_product, product_bound},
}};

/// Prints the largest error over all pairs for positions 1 to a million and checks every single one.
inline std::vector<CheckResult> show_accuracy(const ScheduleSpec& spec) {
  const Schedule schedule = make_schedule(spec);
  const std::size_t pairs = schedule.inv_freq.size();
  std::vector<CheckResult> results(kWays.size());
  std::printf("\nLargest error of (cos, sin) over %zu pairs, base %g\n\n  position", pairs, spec.base);
  for (const Way& way : kWays) std::printf("  %9s", way.name);
  std::printf("  all in double\n");
  for (const std::int32_t position : {1, 100, 1000, 10000, 100000, 1000000}) {
    const OnePosition at(spec, schedule, position);
    const auto distance = [&](std::size_t p, double c, double s) {
      return std::hypot(c - at.exact[p].cos, s - at.exact[p].sin);
    };
    std::printf("  %8d", position);
    for (std::size_t w = 0; w < kWays.size(); ++w) {
      std::vector<Rotation> row(pairs);
      kWays[w].fill(at.call, position, row);
      double largest = 0;
      for (std::size_t p = 0; p < pairs; ++p) {
        const double error = distance(p, row[p].cosine, row[p].sine);
        const double bound = kWays[w].bound(position, p, spec, schedule);
        if (std::isnan(error) || error > largest) largest = error;  // std::max would drop NaN
        if (results[w].value(error, bound)) continue;
        std::ostringstream line;
        line << "position " << position << ", pair " << p << ": cos and sin are off by " << error
             << ", allowed " << bound;
        results[w].fault(line.str());
      }
      std::printf("  %9.1e", largest);
    }
    double largest = 0;
    for (std::size_t p = 0; p < pairs; ++p) {
      const double angle = position * std::pow(spec.base, -2.0 * static_cast<double>(p) /
                                                              static_cast<double>(spec.rotary_dim));
      largest = std::max(largest, distance(p, std::cos(angle), std::sin(angle)));
    }
    std::printf("  %13.1e\n", largest);
  }
  for (std::size_t w = 0; w < kWays.size(); ++w) {
    results[w].what = kWays[w].name;
    results[w].on = "cos, sin";
  }
  return results;
}

/// Part of the computation rounded to a 16-bit type; each of these was in somebody's code.
struct WrongPlace {
  const char* what;
  const char* pair;
  std::int32_t position;
  double exact, got;  // the cosine
};

inline std::vector<WrongPlace> wrong_places() {
  const auto f16 = [](double x) { return static_cast<double>(round_to(Dtype::f16, static_cast<float>(x))); };
  const auto bf16 = [](double x) {
    return static_cast<double>(round_to(Dtype::bf16, static_cast<float>(x)));
  };
  const double f32 = std::pow(1e4, -2.0 / 32), f128 = std::pow(1e4, -2.0 / 128);  // pair 1 of each
  return {
      {"frequency and angle in fp16", "1 of 16", 1857, std::cos(1857 * f32), std::cos(f16(1857 * f16(f32)))},
      {"frequency in bf16", "1 of 64", 257, std::cos(257 * f128), std::cos(257 * bf16(f128))},
      {"frequency in bf16", "1 of 64", 4095, std::cos(4095 * f128), std::cos(4095 * bf16(f128))},
      {"position in bf16", "0", 257, std::cos(257.0), std::cos(bf16(257))},
      {"position in bf16", "0", 4095, std::cos(4095.0), std::cos(bf16(4095))},
      {"cosine in bf16, angle 0.1032", "-", 1, std::cos(0.1032), bf16(std::cos(0.1032))},
  };
}

inline void show_wrong_places() {
  std::printf("\nThe same cosine, part of its way in 16 bits, base 10000\n\n");
  std::printf("  %-28s  %-7s  position      exact        got\n", "what is in 16 bits", "pair");
  for (const WrongPlace& w : wrong_places())
    std::printf("  %-28s  %-7s  %8d  %9.6f  %9.6f\n", w.what, w.pair, w.position, w.exact, w.got);
}

/// The oracle against what a test vector says. Both sides are plain float64 formulas: per pair they differ by
/// the roundings of power, exponent and product, fewer than eight times 2⁻⁵³ of the angle, and by those of
/// the rotation itself.
inline CheckResult check_oracle(const TestVector& vector) {
  CheckResult result;
  result.what = "oracle";
  result.on = vector.name;
  const Schedule schedule = make_schedule(vector.schedule);
  const std::vector<double> y =
      rotate(vector.x, vector.positions, vector.n_heads, vector.head_dim, vector.style, schedule);
  for (std::size_t i = 0; i < y.size(); ++i) {
    const std::size_t row = i / static_cast<std::size_t>(vector.n_heads * vector.head_dim);
    const double angle = std::abs(vector.positions[row]);    // pair 0 has the largest one
    const double tolerance = 4 * 0x1p-53 * (8 * angle + 8);  // |x0| + |x1| <= 4
    if (!result.value(std::abs(y[i] - vector.y[i]), tolerance))
      result.fault("value " + std::to_string(i) + ": expected " + std::to_string(vector.y[i]) + ", got " +
                   std::to_string(y[i]));
  }
  return result;
}

}  // namespace ropewalk::reference
