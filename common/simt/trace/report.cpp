/// \file
/// Tables, faults and CSV.
#include "common/simt/trace/report.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace simt::trace {
namespace {

constexpr std::size_t kLongestSource = 72;
constexpr std::uint64_t kSectorsPerWavefront = 4;  // both move 128 bytes

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

std::uint64_t moved(const Row& row) {
  return row.space == Space::kShared ? row.counts.wavefronts : row.counts.sectors;
}
std::uint64_t ideal(const Row& row) {
  return row.space == Space::kShared ? row.counts.ideal_wavefronts : row.counts.ideal_sectors;
}
std::uint64_t cost(const Row& row) {
  return moved(row) * (row.space == Space::kShared ? kSectorsPerWavefront : 1);
}

std::string one_decimal_percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? "-" : format("%.0f%%", 100.0 * double(part) / double(whole));
}

// Columns as wide as their longest cell; those of numbers to the right.
std::string aligned(const std::vector<std::vector<std::string>>& table,
                    const std::vector<bool>& to_the_right) {
  std::vector<std::size_t> width(table[0].size());
  for (const auto& row : table) {
    for (std::size_t i = 0; i < row.size(); ++i) width[i] = std::max(width[i], row[i].size());
  }
  std::string text;
  for (const auto& row : table) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string blanks(width[i] - row[i].size(), ' ');
      line += (i == 0 ? "" : "  ") + (to_the_right[i] ? blanks + row[i] : row[i] + blanks);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string rows_text(const KernelTrace& trace, bool one_file) {
  std::uint64_t most = 0;
  for (const Row& row : trace.rows) most = std::max(most, cost(row));
  std::vector<std::vector<std::string>> table = {
      {" ", "line", "access", "requests", "moved", "", "ideal", "per request", "efficiency", "source"}};
  for (const Row& row : trace.rows) {
    table.push_back(
        {cost(row) == most ? "*" : " ", one_file ? format("%u", row.line.number) : row.line.place(),
         access_text(row), format("%llu", number(row.counts.requests)), format("%llu", number(moved(row))),
         row.space == Space::kShared ? "wavefronts" : "sectors", format("%llu", number(ideal(row))),
         format("%.2f", double(moved(row)) / double(row.counts.requests)),
         one_decimal_percent(ideal(row), moved(row)), shortened(row.line.text, kLongestSource)});
  }
  return aligned(table, {false, true, false, true, true, false, true, true, true, false});
}

std::string totals_text(const Totals& totals) {
  std::string text;
  const auto add = [&](const char* name, const Counts& counts, bool shared) {
    if (counts.requests == 0) return;
    text += text.empty() ? "" : "; ";
    text += format("%s %llu requests, %llu %s", name, number(counts.requests),
                   number(shared ? counts.wavefronts : counts.sectors), shared ? "wavefronts" : "sectors");
  };
  add("loads", totals.loads, false);
  add("stores", totals.stores, false);
  add("atomics", totals.atomics, false);
  add("shared loads", totals.shared_loads, true);
  add("shared stores", totals.shared_stores, true);
  add("shared atomics", totals.shared_atomics, true);
  return text.empty() ? "no access" : text;
}

std::string launches_text(const KernelTrace& trace) {
  std::string text;
  for (std::size_t first = 0; first < trace.launches.size();) {
    std::size_t last = first;
    while (last + 1 < trace.launches.size() && trace.launches[last + 1] == trace.launches[first]) ++last;
    const Totals& totals = trace.launches[first];
    text += first == last ? format("  launch %zu: ", first + 1)
                          : format("  launches %zu to %zu, each: ", first + 1, last + 1);
    text += format("%llu block%s of %llu threads. ", number(totals.blocks), totals.blocks == 1 ? "" : "s",
                   number(totals.threads_per_block));
    text += totals_text(totals) + "\n";
    first = last + 1;
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

std::string quoted(const std::string& cell) {
  if (cell.find_first_of(",\"\n") == std::string::npos) return cell;
  std::string text = "\"";
  for (const char c : cell) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + "\"";
}

}  // namespace

Totals total(const KernelTrace& trace) {
  Totals sum;
  for (const Totals& launch : trace.launches) {
    sum.blocks += launch.blocks;
    sum.threads_per_block = launch.threads_per_block;
    sum.loads += launch.loads;
    sum.stores += launch.stores;
    sum.atomics += launch.atomics;
    sum.shared_loads += launch.shared_loads;
    sum.shared_stores += launch.shared_stores;
    sum.shared_atomics += launch.shared_atomics;
  }
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
      "ideal_wavefronts\n";
  for (const KernelTrace& trace : report.kernels) {
    for (const Row& row : trace.rows) {
      text +=
          chapter + "," + quoted(trace.label) + "," + quoted(trace.kernel) + "," + quoted(row.line.place()) +
          format(",%s,%u,%llu,%llu,%llu,%llu,%llu\n",
                 kAccess[std::size_t(row.space)][std::size_t(row.operation)], row.bytes,
                 number(row.counts.requests), number(row.counts.sectors), number(row.counts.ideal_sectors),
                 number(row.counts.wavefronts), number(row.counts.ideal_wavefronts));
    }
  }
  return text;
}

}  // namespace simt::trace
