/// \file
/// --trace: counts the memory accesses of the variants while they are checked.
#pragma once

#include <string>

#include "common/harness/cases.hpp"

namespace ropewalk {

/// True in a program whose kernels are traced (preset cpu-trace).
#ifdef ROPEWALK_TRACE
inline constexpr bool kTraceBuild = true;
#else
inline constexpr bool kTraceBuild = false;
#endif

/// What has been traced, as text.
struct TraceOutcome {
  std::string tables;     ///< a table for each variant and kernel, or why there is none
  std::string faults;     ///< empty if there are none
  std::string last_line;  ///< "races 0, uninitialised reads 0, out of bounds 0"; empty without kernels
  std::string csv;        ///< all rows, with their heading; empty without kernels
};

/// Begins to watch. Faults are looked for in every launch from now on.
void start_tracing();
/// The launches to come run this variant on this case. They are counted if the case is the one that the
/// request asked for: its test vectors, or random values in its shape. The small and the far case are there
/// for the checks.
void trace_next(const RunRequest& request, const Case& c, const Variant& variant);
TraceOutcome finish_tracing(const Chapter& chapter);

}  // namespace ropewalk
