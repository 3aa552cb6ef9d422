/// \file
/// What the tracer's tests share: running a kernel and looking at what was found.
#pragma once

#include <algorithm>
#include <fstream>
#include <string>

#include "common/simt/tests/launch.hpp"
#include "common/simt/trace/trace.hpp"
#include "common/testing/catch.hpp"

namespace trace_tests {

using namespace simt::trace;

/// Number of the line of `file` that holds the text. A test names lines by a comment on them.
inline unsigned line_with(const char* file, const std::string& text) {
  std::ifstream input(file);
  unsigned number = 0, found = 0;
  for (std::string line; std::getline(input, line);) {
    ++number;
    const std::string mark = "// " + text;
    if (line.size() < mark.size() || line.substr(line.size() - mark.size()) != mark) continue;
    INFO("'" << text << "' stands in lines " << found << " and " << number);
    CHECK(found == 0);
    found = number;
  }
  INFO("no line with '" << text << "'");
  CHECK(found != 0);
  return found;
}

/// Launches what `enqueue` puts on the legacy stream, waits, and returns what was recorded.
template <class Enqueue>
Report traced(Enqueue enqueue) {
  start();
  take();  // what an earlier test has left
  set_label("test");
  enqueue();
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  set_label("");
  return take();
}

template <class... Parameters, class... Arguments>
Report traced_launch(dim3 grid, dim3 block, void (*kernel)(Parameters...), Arguments... arguments) {
  return traced(
      [&] { CHECK(simt_tests::launch(grid, block, 0, nullptr, kernel, arguments...) == cudaSuccess); });
}

/// The totals of the only kernel.
inline Totals only_total(const Report& report) {
  REQUIRE(report.kernels.size() == 1);
  return total(report.kernels[0]);
}

/// The only row with this access, of one kernel.
inline Row row_of(const Report& report, unsigned line, Space space, Operation operation) {
  REQUIRE(report.kernels.size() == 1);
  for (const Row& row : report.kernels[0].rows) {
    if (row.line.number == line && row.space == space && row.operation == operation) return row;
  }
  FAIL("no such access at line " << line << "\n" << tables_text(report));
  return {};
}

/// The fault of this kind at these lines (0: no second line); fails if there is none.
inline ReportedFault fault_of(const Report& report, FaultKind kind, unsigned line, unsigned other_line) {
  const auto found =
      std::find_if(report.faults.begin(), report.faults.end(), [&](const ReportedFault& fault) {
        return fault.kind == kind && fault.line.number == line && fault.other_line.number == other_line;
      });
  INFO(faults_text(report));
  REQUIRE(found != report.faults.end());
  return *found;
}

/// How often these two lines race with each other, whichever comes first.
inline std::uint64_t of_lines(const Report& report, unsigned one, unsigned other) {
  std::uint64_t count = 0;
  for (const ReportedFault& fault : report.faults) {
    const unsigned here = fault.line.number, there = fault.other_line.number;
    if ((here == one && there == other) || (here == other && there == one)) count += fault.count;
  }
  return count;
}

inline void check_clean(const Report& report) {
  INFO(faults_text(report));
  CHECK(report.faults.empty());
  CHECK(report.clean());
  CHECK(last_line(report) == "races 0, uninitialised reads 0, out of bounds 0");
}

}  // namespace trace_tests
