/// \file
/// Running all blocks of a launch.
#pragma once

#include "common/simt/executor/kernel_call.hpp"

namespace simt {

/// Runs the grid to its end, or to the first fault: false then. `next` is the launch after it in the same
/// stream, if that may start early. A launch must not move between the two calls in which it is `next` and
/// `launch`.
bool run_grid(const Launch& launch, const Launch* next);

}  // namespace simt
