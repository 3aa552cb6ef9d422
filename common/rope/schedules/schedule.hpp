/// \file
/// A frequency schedule says how fast each pair turns. One file of this folder per schedule.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ropewalk {

/// What is needed to compute a schedule, as read from the command line, a config.json or a test vector.
struct ScheduleSpec {
  std::string rope_type = "default";
  double base = 10000.0;
  std::int64_t head_dim = 0;
  std::int64_t rotary_dim = 0;
};

/// inv_freq[p] is the angle in radians by which pair p turns from one position to the next. The rotated pair
/// is multiplied by attention_factor (1 unless the schedule says otherwise).
struct Schedule {
  std::vector<double> inv_freq;  // [rotary_dim/2]
  double attention_factor = 1.0;
};

/// Bases below 1 turn the order of the frequencies round; beyond 1e30 the float the kernels work with comes
/// to its end.
inline constexpr double kSmallestBase = 1.0, kLargestBase = 1e30;

/// Computes the schedule. Throws NotSupported for a known rope_type that is not implemented yet and
/// InputError for an unknown one (both messages list what is implemented), for a base out of range and for
/// impossible sizes.
Schedule make_schedule(const ScheduleSpec& spec);

/// The rope_types make_schedule() implements, as one readable list ("default").
std::string implemented_rope_types();

/// The rope_types that are known at all, implemented or not, as one readable list.
std::string known_rope_types();
bool is_known_rope_type(const std::string& rope_type);

/// Throws what make_schedule() throws for this name; the message starts with `where`.
void require_implemented(const std::string& rope_type, const std::string& where);

}  // namespace ropewalk
