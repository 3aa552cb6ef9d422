/// \file
/// The tracer, for programs: what a kernel's memory accesses ask a GPU for, line by line, and which of them
/// are wrong. docs/trace.md tells how it counts. Only functions compiled with the flags of
/// cmake/ropewalk_trace.cmake are seen.
#pragma once

#include <string>
#include <vector>

#include "common/simt/trace/report.hpp"

namespace simt::trace {

/// From now on every launch is watched. `helper_folders` are parts of paths, such as "common/gpu/": an access
/// that stands in a file there is shown at the line that calls it.
void start(std::vector<std::string> helper_folders = {});

/// Launches from now on are counted under this name, and none while it is empty. Faults are looked for in
/// all of them.
void set_label(const std::string& label);

/// What has been recorded since the last call, with lines and their text.
Report take();

}  // namespace simt::trace
