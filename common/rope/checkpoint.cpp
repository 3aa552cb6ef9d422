/// \file
/// The order of rows, and moving them.
#include "common/rope/checkpoint.hpp"

#include <algorithm>
#include <string>

#include "common/rope/pairing.hpp"

namespace ropewalk {

std::vector<std::int64_t> rows_in_other_style(const Projection& projection, Style from, Style to) {
  const Shape shape = {.batch = 1,
                       .tokens = 0,
                       .q_heads = projection.heads,
                       .kv_heads = 0,
                       .head_dim = projection.head_dim,
                       .rotary_dim = projection.rotary_dim};
  if (const std::string fault = fault_of(shape); !fault.empty()) refuse(fault);
  std::vector<std::int64_t> rows(static_cast<std::size_t>(projection.rows()));
  for (std::size_t row = 0; row < rows.size(); ++row) rows[row] = static_cast<std::int64_t>(row);
  // [rows]
  for (std::int64_t head = 0; head < projection.heads; ++head) {
    const std::int64_t first = head * projection.head_dim;
    for (std::int64_t pair = 0; pair < projection.rotary_dim / 2; ++pair) {
      const PairChannels old = pair_channels(from, pair, projection.rotary_dim);
      const PairChannels converted = pair_channels(to, pair, projection.rotary_dim);
      rows[static_cast<std::size_t>(first + converted.first)] = first + old.first;
      rows[static_cast<std::size_t>(first + converted.second)] = first + old.second;
    }
  }
  // [rows]
  return rows;
}

template <class T>
std::vector<T> in_other_style(std::span<const T> weight, const Projection& projection, Style from, Style to) {
  const std::vector<std::int64_t> rows = rows_in_other_style(projection, from, to);
  const auto columns = static_cast<std::size_t>(projection.columns);
  if (projection.columns < 0 || weight.size() != rows.size() * columns)
    refuse("weight: " + std::to_string(weight.size()) + " values; allowed: " + std::to_string(rows.size()) +
           " rows of " + std::to_string(projection.columns));
  std::vector<T> result(weight.size());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const auto from_row = weight.subspan(static_cast<std::size_t>(rows[row]) * columns, columns);
    std::copy(from_row.begin(), from_row.end(), result.begin() + static_cast<std::ptrdiff_t>(row * columns));
  }
  return result;
}

template std::vector<float> in_other_style(std::span<const float>, const Projection&, Style, Style);
template std::vector<double> in_other_style(std::span<const double>, const Projection&, Style, Style);
template std::vector<std::uint16_t> in_other_style(std::span<const std::uint16_t>, const Projection&, Style,
                                                   Style);

}  // namespace ropewalk
