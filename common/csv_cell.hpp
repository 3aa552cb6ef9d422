/// \file
/// One cell of a CSV file.
#pragma once

#include <string>

namespace ropewalk {

/// In quotes where it must be: a comma or a quote in a name must not start a new column.
inline std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string cell = "\"";
  for (const char c : text) cell += c == '"' ? std::string("\"\"") : std::string(1, c);
  return cell + '"';
}

}  // namespace ropewalk
