/// \file
/// Prints tables.
#include "common/harness/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>

namespace ropewalk {

void print_table(const std::vector<std::vector<std::string>>& rows) {
  if (rows.empty()) return;
  const std::size_t columns = rows.front().size();
  std::vector<std::size_t> width(columns, 0);
  std::vector<bool> numeric(columns, rows.size() > 1);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      const std::string& cell = rows[r][c];
      width[c] = std::max(width[c], cell.size());
      const bool number =
          cell == "nan" || cell == "inf" ||
          (!cell.empty() && (std::isdigit(static_cast<unsigned char>(cell[0])) || cell[0] == '-'));
      if (r > 0 && !number) numeric[c] = false;
    }
  }
  for (const auto& row : rows) {
    std::string line = " ";
    for (std::size_t c = 0; c < columns; ++c)
      line +=
          numeric[c] ? fmt::format(" {:>{}} ", row[c], width[c]) : fmt::format(" {:<{}} ", row[c], width[c]);
    line.erase(line.find_last_not_of(' ') + 1);
    fmt::print("{}\n", line);
  }
}

}  // namespace ropewalk
