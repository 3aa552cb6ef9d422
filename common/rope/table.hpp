/// \file
/// The cos/sin table that kernels look angles up in.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/rope/schedules/schedule.hpp"

namespace ropewalk {

/// Row r belongs to position first_position + r. Both arrays are [rows, pairs], computed in double,
/// multiplied by the schedule's attention factor and rounded to float once.
struct CosSinTable {
  std::int32_t first_position = 0;
  std::int64_t rows = 0;
  std::vector<float> cos, sin;
};

/// More rows than this are refused before a table is made: 1,048,576 rows of 64 pairs are half a gigabyte.
inline constexpr std::int64_t kMostTableRows = std::int64_t{1} << 20;

/// Rows from the smallest to the largest of `positions`; none when there are none.
std::int64_t table_rows(std::span<const std::int32_t> positions);

/// The table for these positions. Rows that none of them asks for are NaN, so that a kernel that reads
/// another token's row cannot pass a check.
CosSinTable make_table(const Schedule& schedule, std::span<const std::int32_t> positions);

}  // namespace ropewalk
