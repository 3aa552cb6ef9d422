/// \file
/// How many 32-byte sectors of global memory a warp's access touches.
#pragma once

#include "common/simt/trace/warp_access.hpp"

namespace simt::trace {

inline constexpr std::uint64_t kSectorBytes = 32;

/// One request, the different sectors that hold the lanes' bytes, and the fewest sectors that could hold as
/// many different bytes.
Counts count_sectors(const WarpAccess& access);

}  // namespace simt::trace
