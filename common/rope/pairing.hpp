/// \file
/// Where the two channels of a pair lie in a head.
#pragma once

#include "common/rope/types.hpp"

namespace ropewalk {

struct PairChannels {
  std::int64_t first, second;
};

/// Channels of pair `pair` (0 … rotary_dim/2 − 1), counted from the first rotary channel of the head.
/// The half style splits rotary_dim, not head_dim.
constexpr PairChannels pair_channels(Style style, std::int64_t pair, std::int64_t rotary_dim) {
  return style == Style::half ? PairChannels{pair, pair + rotary_dim / 2}
                              : PairChannels{2 * pair, 2 * pair + 1};
}

}  // namespace ropewalk
