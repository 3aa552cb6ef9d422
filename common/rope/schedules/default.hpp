/// \file
/// Schedule "default": the frequencies of the original RoPE, with which most models are trained.
#pragma once

#include "common/rope/schedules/schedule.hpp"

namespace ropewalk {

/// inv_freq[p] = base^(−2p/rotary_dim). Pair 0 turns by one radian per position, the last pair almost `base`
/// times slower. The exponent is counted over rotary_dim, the channels that turn, and not over head_dim.
Schedule default_schedule(const ScheduleSpec& spec);

}  // namespace ropewalk
