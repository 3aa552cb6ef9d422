/// \file
/// Schedule "default".
#include "common/rope/schedules/default.hpp"

#include <cmath>

namespace ropewalk {

Schedule default_schedule(const ScheduleSpec& spec) {
  const long double base = spec.base;  // long double: storing the result is the only rounding that counts
  const long double d = static_cast<long double>(spec.rotary_dim);

  Schedule schedule;
  for (std::int64_t p = 0; p < spec.rotary_dim / 2; ++p) {
    const long double exponent = -2 * static_cast<long double>(p) / d;
    schedule.inv_freq.push_back(static_cast<double>(std::pow(base, exponent)));
  }
  return schedule;
}

}  // namespace ropewalk
