/// \file
/// The cos/sin table, filled from the oracle's angles.
#include "common/rope/table.hpp"

#include <algorithm>
#include <limits>

#include "common/rope/oracle.hpp"

namespace ropewalk {

std::int64_t table_rows(std::span<const std::int32_t> positions) {
  if (positions.empty()) return 0;
  const auto [low, high] = std::minmax_element(positions.begin(), positions.end());
  return std::int64_t{*high} - *low + 1;
}

CosSinTable make_table(const Schedule& schedule, std::span<const std::int32_t> positions) {
  CosSinTable table;
  table.rows = table_rows(positions);
  if (table.rows == 0) return table;
  table.first_position = *std::min_element(positions.begin(), positions.end());
  const std::size_t pairs = schedule.inv_freq.size();
  table.cos.assign(static_cast<std::size_t>(table.rows) * pairs, std::numeric_limits<float>::quiet_NaN());
  table.sin = table.cos;
  std::vector<bool> filled(static_cast<std::size_t>(table.rows));
  for (const std::int32_t position : positions) {
    const auto row = static_cast<std::size_t>(std::int64_t{position} - table.first_position);
    if (filled[row]) continue;
    filled[row] = true;
    const std::vector<CosSin> exact = exact_cos_sin_row(schedule, position);
    for (std::size_t p = 0; p < pairs; ++p) {
      table.cos[row * pairs + p] = static_cast<float>(schedule.attention_factor * exact[p].cos);
      table.sin[row * pairs + p] = static_cast<float>(schedule.attention_factor * exact[p].sin);
    }
  }
  return table;
}

}  // namespace ropewalk
