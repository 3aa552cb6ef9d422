/// \file
/// What a trace has found, for people and for programs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/simt/trace/faults.hpp"
#include "common/simt/trace/warp_access.hpp"

namespace simt::trace {

/// A line of the source.
struct Line {
  std::string
      file;  // "03_naive/kernels.cuh": the last folder and the name; an address where nothing is known
  unsigned number = 0;
  std::string text;

  std::string place() const { return number == 0 ? file : file + ":" + std::to_string(number); }
};

/// All accesses of one kind at one line, of all launches of a kernel.
struct Row {
  Line line;
  Space space;
  Operation operation;
  std::uint32_t bytes;  // of each lane
  Counts counts;
};

/// What a launch comes to, or several.
struct Totals {
  std::uint64_t blocks = 0, threads_per_block = 0;
  std::uint64_t shared_bytes = 0;  // dynamic shared memory of a block
  Counts loads, stores, atomics, shared_loads, shared_stores, shared_atomics;

  Totals& operator+=(const Totals& other);  // what a block has: that of the last
  bool operator==(const Totals&) const = default;
};

struct KernelTrace {
  std::string label;      // see set_label()
  std::string kernel;     // "rope_table<float>"
  std::vector<Row> rows;  // by file and line
  std::vector<Totals> launches;
};

struct ReportedFault {
  FaultKind kind;
  bool shared = false, writes = false, other_writes = false;
  std::string kernel;
  std::uint64_t count = 0;
  Line line, other_line;  // other_line: empty where one is enough
  std::string example;
};

struct Report {
  std::vector<KernelTrace> kernels;  // in the order of their first launches
  std::vector<ReportedFault> faults;
  std::uint64_t races = 0, uninitialised = 0, out_of_bounds = 0;  // accesses of single threads
  std::string problem;  // why there are addresses instead of lines, or empty

  bool clean() const { return races + uninitialised + out_of_bounds == 0; }
};

/// Sum over the launches.
Totals total(const KernelTrace& trace);

/// A table for each kernel, then its launches. Marked are the line that asks for the most sectors and the one
/// that asks for the most wavefronts.
std::string tables_text(const Report& report);
/// Each fault with its lines; empty if there is none.
std::string faults_text(const Report& report);
/// "races 0, uninitialised reads 0, out of bounds 0"
std::string last_line(const Report& report);
/// The trace CSV: its heading, and a row for each row of each kernel.
std::string csv_text(const Report& report, const std::string& chapter);

}  // namespace simt::trace
