/// \file
/// The one way this book prints a table.
#pragma once

#include <string>
#include <vector>

namespace ropewalk {

/// Prints rows to stdout as columns padded to their widest cell; the first row is the heading. Columns whose
/// cells below the heading all start like numbers are set flush right.
void print_table(const std::vector<std::vector<std::string>>& rows);

}  // namespace ropewalk
