/// \file
/// Tables, faults and CSV.
#include "common/simt/trace/report.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "common/csv_cell.hpp"

namespace simt::trace {
namespace {

constexpr std::size_t kWidest = 138;  // of a table's lines
constexpr std::size_t kShortestSource = 24, kLongestSource = 72;

template <class... Values>
std::string format(const char* pattern, Values... values) {
  char text[256];
  std::snprintf(text, sizeof text, pattern, values...);
  return text;
}

unsigned long long number(std::uint64_t value) {
  return value;
}

// One line of at most so many bytes, cut where no character is split.
std::string shortened(std::string text, std::size_t longest) {
  if (text.size() <= longest) return text;
  std::size_t end = longest - 4;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  text.resize(end);
  return text + " ...";
}

std::string access_text(const Row& row) {
  constexpr const char* kOperations[] = {"load", "store", "atomic"};
  return format("%s%s %u B", row.space == Space::kShared ? "shared " : "",
                kOperations[std::size_t(row.operation)], row.bytes);
}

bool shared(const Row& row) {
  return row.space == Space::kShared;
}
std::uint64_t asked_for(const Row& row) {
  return shared(row) ? row.counts.wavefronts : row.counts.sectors;
}
std::uint64_t ideal(const Row& row) {
  return shared(row) ? row.counts.ideal_wavefronts : row.counts.ideal_sectors;
}

std::string percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? "-" : format("%.0f%%", 100.0 * double(part) / double(whole));
}

// Columns as wide as their longest cell; those of numbers to the right.
std::vector<std::string> aligned(const std::vector<std::vector<std::string>>& table,
                                 const std::vector<bool>& to_the_right) {
  std::vector<std::size_t> width(table[0].size());
  for (const auto& row : table) {
    for (std::size_t i = 0; i < row.size(); ++i) width[i] = std::max(width[i], row[i].size());
  }
  std::vector<std::string> lines;
  for (const auto& row : table) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string blanks(width[i] - row[i].size(), ' ');
      line += (i == 0 ? "" : "  ") + (to_the_right[i] ? blanks + row[i] : row[i] + blanks);
    }
    lines.push_back(line);
  }
  return lines;
}

// The row of this memory that asks for most, or null. Of several the first.
const Row* largest(const std::vector<Row>& rows, Space space) {
  const Row* found = nullptr;
  for (const Row& row : rows) {
    if (row.space == space && (found == nullptr || asked_for(row) > asked_for(*found))) found = &row;
  }
  return found;
}

std::string rows_text(const KernelTrace& trace, bool one_file) {
  const Row* const most[] = {largest(trace.rows, Space::kGlobal), largest(trace.rows, Space::kShared)};
  std::vector<std::vector<std::string>> table = {{" ", "line", "access", "requests"}};
  std::vector<bool> to_the_right = {false, true, false, true};
  const auto add_numbers = [&](const char* name) {
    table[0].emplace_back(name);
    to_the_right.push_back(true);
  };
  if (most[0] != nullptr) add_numbers("sectors");
  if (most[1] != nullptr) add_numbers("wavefronts");
  for (const char* name : {"ideal", "per request", "efficiency"}) add_numbers(name);
  for (const Row& row : trace.rows) {
    const std::string number_of = format("%llu", number(asked_for(row)));
    table.push_back({&row == most[0] || &row == most[1] ? "*" : " ",
                     one_file ? format("%u", row.line.number) : row.line.place(), access_text(row),
                     format("%llu", number(row.counts.requests))});
    if (most[0] != nullptr) table.back().push_back(shared(row) ? "-" : number_of);
    if (most[1] != nullptr) table.back().push_back(shared(row) ? number_of : "-");
    table.back().push_back(format("%llu", number(ideal(row))));
    table.back().push_back(format("%.2f", double(asked_for(row)) / double(row.counts.requests)));
    table.back().push_back(percent(ideal(row), asked_for(row)));
  }
  const std::vector<std::string> lines = aligned(table, to_the_right);
  const std::size_t room = kWidest - std::min(kWidest, lines[0].size() + 2);
  std::string text = lines[0] + "  source\n";
  for (std::size_t i = 0; i < trace.rows.size(); ++i) {
    std::string line =
        lines[i + 1] + "  " + shortened(trace.rows[i].line.text, std::max(room, kShortestSource));
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

// In as many lines as it takes; those behind the first begin with four blanks.
std::string joined(const std::string& start, const std::vector<std::string>& items) {
  std::string text, line = start;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0 && line.size() + 2 + items[i].size() > kWidest) {
      text += line + ";\n";
      line = "    " + items[i];
    } else {
      line += (i == 0 ? "" : "; ") + items[i];
    }
  }
  return text + line + "\n";
}

// Shared memory has a line of its own.
std::string totals_text(const std::string& start, const Totals& totals) {
  std::vector<std::string> device, shared;
  const auto add = [](std::vector<std::string>& items, const char* name, const Counts& counts,
                      std::uint64_t units, const char* unit) {
    if (counts.requests > 0)
      items.push_back(
          format("%s %llu requests, %llu %s", name, number(counts.requests), number(units), unit));
  };
  add(device, "loads", totals.loads, totals.loads.sectors, "sectors");
  add(device, "stores", totals.stores, totals.stores.sectors, "sectors");
  add(device, "atomics", totals.atomics, totals.atomics.sectors, "sectors");
  add(shared, "shared loads", totals.shared_loads, totals.shared_loads.wavefronts, "wavefronts");
  add(shared, "shared stores", totals.shared_stores, totals.shared_stores.wavefronts, "wavefronts");
  add(shared, "shared atomics", totals.shared_atomics, totals.shared_atomics.wavefronts, "wavefronts");
  if (device.empty()) return joined(start, shared.empty() ? std::vector<std::string>{"no access"} : shared);
  return joined(start, device) + (shared.empty() ? "" : joined("    ", shared));
}

std::string launches_text(const KernelTrace& trace) {
  std::string text;
  for (std::size_t first = 0; first < trace.launches.size();) {
    std::size_t last = first;
    while (last + 1 < trace.launches.size() && trace.launches[last + 1] == trace.launches[first]) ++last;
    const Totals& totals = trace.launches[first];
    const std::string which = first == last ? format("  launch %zu: ", first + 1)
                                            : format("  launches %zu to %zu, each: ", first + 1, last + 1);
    const std::string shared =
        totals.shared_bytes == 0 ? ""
                                 : format(", %llu bytes of shared memory each", number(totals.shared_bytes));
    text += totals_text(which +
                            format("%llu block%s of %llu threads", number(totals.blocks),
                                   totals.blocks == 1 ? "" : "s", number(totals.threads_per_block)) +
                            shared + ". ",
                        totals);
    first = last + 1;
  }
  return text;
}

// "128x256 32x256+1024": blocks, threads per block and, if there are any, bytes of dynamic shared memory of
// each launch.
std::string launch_shapes(const KernelTrace& trace) {
  std::string text;
  for (const Totals& launch : trace.launches) {
    text += (text.empty() ? "" : " ") +
            format("%llux%llu", number(launch.blocks), number(launch.threads_per_block)) +
            (launch.shared_bytes == 0 ? "" : format("+%llu", number(launch.shared_bytes)));
  }
  return text;
}

std::string title(const ReportedFault& fault) {
  const char* memory = fault.shared ? "shared memory" : "device memory";
  switch (fault.kind) {
    case FaultKind::kRaceInBlock:
      return format("race on %s within a block", memory);
    case FaultKind::kRaceOfBlocks:
      return format("race on %s between blocks", memory);
    case FaultKind::kRaceOfLaunches:
      return format("race on %s between dependent launches", memory);
    case FaultKind::kUninitialised:
      return format("uninitialised read of %s", memory);
    case FaultKind::kOutOfBounds:
      break;
  }
  return "out of bounds";
}

std::string access_line(bool writes, const Line& line) {
  const std::string text = line.text.empty() ? "" : "  " + shortened(line.text, kLongestSource);
  return (writes ? "writes  " : "reads   ") + line.place() + text + "\n";
}

}  // namespace

Totals& Totals::operator+=(const Totals& other) {
  blocks += other.blocks;
  threads_per_block = other.threads_per_block;
  shared_bytes = other.shared_bytes;
  loads += other.loads;
  stores += other.stores;
  atomics += other.atomics;
  shared_loads += other.shared_loads;
  shared_stores += other.shared_stores;
  shared_atomics += other.shared_atomics;
  return *this;
}

Totals total(const KernelTrace& trace) {
  Totals sum;
  for (const Totals& launch : trace.launches) sum += launch;
  return sum;
}

std::string tables_text(const Report& report) {
  std::string text;
  if (!report.problem.empty()) text += report.problem + "\n";
  for (const KernelTrace& trace : report.kernels) {
    const bool one_file = std::all_of(trace.rows.begin(), trace.rows.end(), [&](const Row& row) {
      return row.line.number != 0 && row.line.file == trace.rows[0].line.file;
    });
    if (!text.empty()) text += "\n";
    text += trace.label + ": " + trace.kernel;
    if (one_file && !trace.rows.empty()) text += " in " + trace.rows[0].line.file;
    text += "\n" + (trace.rows.empty() ? "" : rows_text(trace, one_file)) + launches_text(trace);
  }
  return text;
}

std::string faults_text(const Report& report) {
  std::string text;
  for (const ReportedFault& fault : report.faults) {
    text += text.empty() ? "" : "\n";
    text += title(fault) + format(", %llu access%s, in ", number(fault.count), fault.count == 1 ? "" : "es") +
            fault.kernel + "\n";
    if (fault.other_line.file.empty()) {
      text += "  " + access_line(fault.writes, fault.line);
    } else {  // in the order of this run; the fault is that there is none
      text += "  first  " + access_line(fault.other_writes, fault.other_line);
      text += "  then   " + access_line(fault.writes, fault.line);
    }
    text += "  example: " + fault.example + "\n";
  }
  return text;
}

std::string last_line(const Report& report) {
  return format("races %llu, uninitialised reads %llu, out of bounds %llu", number(report.races),
                number(report.uninitialised), number(report.out_of_bounds));
}

std::string csv_text(const Report& report, const std::string& chapter) {
  constexpr const char* kAccess[2][3] = {{"global_load", "global_store", "global_atomic"},
                                         {"shared_load", "shared_store", "shared_atomic"}};
  std::string text =
      "chapter,variant,kernel,line,access,bytes_per_lane,requests,sectors,ideal_sectors,wavefronts,"
      "ideal_wavefronts,launches\n";
  for (const KernelTrace& trace : report.kernels) {
    for (const Row& row : trace.rows) {
      text +=
          chapter + "," + ropewalk::csv_cell(trace.label) + "," + ropewalk::csv_cell(trace.kernel) + "," +
          ropewalk::csv_cell(row.line.place()) +
          format(",%s,%u,%llu,%llu,%llu,%llu,%llu,",
                 kAccess[std::size_t(row.space)][std::size_t(row.operation)], row.bytes,
                 number(row.counts.requests), number(row.counts.sectors), number(row.counts.ideal_sectors),
                 number(row.counts.wavefronts), number(row.counts.ideal_wavefronts)) +
          launch_shapes(trace) + "\n";
    }
  }
  return text;
}

}  // namespace simt::trace
