/// \file
/// How many wavefronts a warp's access to shared memory takes.
#pragma once

#include "common/simt/trace/warp_access.hpp"

namespace simt::trace {

/// One request, its wavefronts, and those it would take without bank conflicts.
Counts count_wavefronts(const WarpAccess& access, Operation operation);

}  // namespace simt::trace
