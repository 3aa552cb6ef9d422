/// \file
/// The one CSV schema of all chapters' results.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/harness/chapter.hpp"
#include "common/harness/device_info.hpp"

namespace ropewalk {

/// What --bench measured for one variant and case, in microseconds per run of the variant.
struct Timing {
  double median_us = 0, p5_us = 0, p95_us = 0;  ///< of CUDA-graph replays
  double stream_us = 0;                         ///< of back-to-back launches
  std::int64_t bytes = 0;                       ///< what the variant must move
  double copy_us = 0;                           ///< moving the same bytes with a plain copy
  double reference_copy_us = 0;                 ///< moving q, k, a float cos/sin table and positions
  double empty_kernel_us = 0;

  double gbps() const { return static_cast<double>(bytes) / median_us / 1e3; }
  double fraction_of_copy() const { return copy_us / median_us; }
};

/// One row: a check, with its timing if it was timed.
struct ResultRow {
  CheckResult check;
  Shape shape;
  Dtype dtype = Dtype::f32;
  std::optional<Style> style;  ///< none: the check knows no style
  std::optional<Timing> timing;
};

/// The heading line and one line per row, as the file holds them.
std::string format_csv(const Chapter& chapter, const DeviceInfo& device, const std::vector<ResultRow>& rows);

/// Writes `text` to `path` whole or not at all. Returns an empty string, or one line that says what went
/// wrong.
std::string write_whole_file(const std::string& path, const std::string& text);

/// One line that says why `path` could not be written, or an empty string. For before the work; leaves
/// nothing behind.
std::string cannot_write_file(const std::string& path);

}  // namespace ropewalk
