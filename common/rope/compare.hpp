/// \file
/// Compares a rotated tensor with what it must be, value by value.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/rope/schedules/schedule.hpp"
#include "common/rope/tolerance.hpp"
#include "common/rope/types.hpp"

namespace ropewalk {

/// The result of one check, for tables and for the last line of a program.
struct CheckResult {
  std::string what;             ///< the variant or property
  std::string on;               ///< the case
  std::int64_t values = 0;      ///< how many values were compared
  double worst = 0.0;           ///< largest error as a fraction of its tolerance; NaN counts as infinite
  double error = 0.0;           ///< that error
  double tolerance = 0.0;       ///< and its tolerance
  std::int64_t faults = 0;      ///< how many faults there were
  std::string fault_text = {};  ///< the first of them, one per line

  bool passed() const { return faults == 0; }

  /// Counts one value, and a fault unless difference <= tolerance; NaN is a fault. Returns whether it was
  /// right.
  bool value(double difference, double allowed);
  /// Counts a fault; the first few lines are kept.
  void fault(const std::string& line);
};

/// A tensor before and after the rotation, [batch, tokens, heads, head_dim], as values and as the bits in
/// memory.
struct RotatedTensor {
  const char* name;  ///< "q" or "k"
  std::int64_t heads;
  std::span<const float> before, after;
  std::span<const std::byte> before_bits, after_bits;
};

/// What the tensor must be.
struct Expectation {
  Shape shape;  ///< the heads are the tensor's
  Dtype dtype;
  Style style;
  const ScheduleSpec& spec;
  const Schedule& schedule;
  std::span<const std::int32_t> positions;  ///< [batch, tokens]
  Angles angles;                            ///< decides the tolerance
  Arithmetic arithmetic;                    ///< as well
  std::span<const double> given;            ///< expected values from elsewhere; empty: the oracle's
  bool given_has_float_angles =
      false;  ///< `given` rounds its angles as the variant does: no tolerance for that
};

/// Compares every rotary channel within pair_tolerance() and every other channel bit for bit; adds to
/// `result`. A fault says tensor, coordinates, position, angle, expected and got.
void compare_rotated(const RotatedTensor& tensor, const Expectation& expect, CheckResult& result);

/// Our schedule against the frequencies a test vector gives: relative difference, tolerance 1e-12.
CheckResult compare_frequencies(const std::string& name, const Schedule& schedule,
                                std::span<const double> given);

}  // namespace ropewalk
