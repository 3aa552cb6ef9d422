/// \file
/// Times a chapter's variants on a GPU, with the copy they are compared with measured in the same run.
#pragma once

#include <vector>

#include "common/harness/csv.hpp"

namespace ropewalk {

/// Checks, times and checks again every variant on cases A to D (or on the request's own shape, if it gives
/// one). A case whose check fails is not timed; its row carries the fault. Prints a table per case.
std::vector<ResultRow> run_benchmark(const Chapter& chapter, const RunRequest& request);

}  // namespace ropewalk
