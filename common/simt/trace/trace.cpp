/// \file
/// Turns what the recorder has gathered into a report: addresses become lines, sites of one line one row.
#include "common/simt/trace/trace.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <string_view>
#include <tuple>

#include "common/simt/trace/recorder.hpp"
#include "common/simt/trace/recording.hpp"
#include "common/simt/trace/symbolizer.hpp"

namespace simt::trace {
namespace {

std::vector<std::string> helpers;

// The executor's own helpers for kernels, and the system's: nobody reads them to learn about a kernel.
constexpr const char* kAlwaysHelpers[] = {"common/simt/device/",  "common/simt/executor/",
                                          "common/simt/include/", "common/simt/runtime/",
                                          "/usr/include/",        "/usr/lib/"};

bool is_helper(const std::string& file) {
  const auto part_of_path = [&](const auto& part) { return file.find(part) != std::string::npos; };
  return std::any_of(std::begin(kAlwaysHelpers), std::end(kAlwaysHelpers), part_of_path) ||
         std::any_of(helpers.begin(), helpers.end(), part_of_path);
}

// Which line of an inline chain is shown. The innermost one outside of the helpers: it is the line that the
// reader of a kernel reads and can change. A helper's own line would add up the accesses of all its callers
// in all kernels, and the outermost line would be the same for everything that an inlined function does.
const Frame* shown_frame(const Frames& frames) {
  for (const Frame& frame : frames) {
    if (!frame.file.empty() && !is_helper(frame.file)) return &frame;
  }
  return nullptr;
}

std::string short_name(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos || slash == 0) return path;
  const std::size_t before = path.rfind('/', slash - 1);
  return before == std::string::npos ? path : path.substr(before + 1);
}

std::string text_of_line(const std::string& path, unsigned number) {
  static std::map<std::string, std::vector<std::string>> files;
  auto [file, is_new] = files.try_emplace(path);
  if (is_new) {
    std::ifstream input(path);
    for (std::string line; std::getline(input, line);) file->second.push_back(line);
  }
  if (number == 0 || number > file->second.size()) return "";
  const std::string& text = file->second[number - 1];
  const std::size_t first = text.find_first_not_of(" \t");
  return first == std::string::npos ? "" : text.substr(first);
}

// "void ropewalk::naive::rope_table<ropewalk::X>(ropewalk::naive::Heads<X>)" to "rope_table<X>"
std::string kernel_name(const std::string& function) {
  std::string text;
  for (std::size_t i = 0; i < function.size(); ++i) {
    constexpr std::string_view kAnonymous = "(anonymous namespace)::";
    if (function.compare(i, kAnonymous.size(), kAnonymous) == 0) {
      i += kAnonymous.size() - 1;
    } else if (function.compare(i, 2, "::") == 0) {
      std::size_t start = text.size();  // what stands before it is the name of a namespace or class
      while (start > 0 &&
             (std::isalnum(static_cast<unsigned char>(text[start - 1])) || text[start - 1] == '_'))
        --start;
      text.erase(start);
      ++i;
    } else {
      text += function[i];
    }
  }
  int depth = 0;
  std::size_t begin = 0, end = text.size();
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '<') ++depth;
    if (text[i] == '>') --depth;
    if (depth > 0) continue;
    if (text[i] == ' ') begin = i + 1;  // behind the type of the result
    if (text[i] == '(') {
      end = i;
      break;
    }
  }
  return text.substr(begin, end - begin);
}

// All addresses of a take(), symbolized together.
class Symbols {
 public:
  /// An access returns to `pc`: it stands just before.
  void want_access(const void* pc) { want(pc, 1); }
  void want_function(const void* function) { want(function, 0); }
  std::string resolve(const ProgramImage& image) {
    std::vector<std::size_t> offsets;
    for (const auto& [pc, back] : wanted_) {
      offsets.push_back(image.offset(pc) - back);
      offsets_[pc] = offsets.back();
    }
    std::string problem;
    const std::vector<Frames> frames = symbolize(offsets, problem);
    std::size_t i = 0;
    for (const auto& [pc, back] : wanted_) frames_[pc] = frames[i++];
    wanted_.clear();
    return problem;
  }
  Line line(const void* pc) const {
    const Frames& frames = frames_.at(pc);
    const Frame* frame = shown_frame(frames);
    if (frame == nullptr && !frames.empty() && !frames.front().file.empty()) frame = &frames.front();
    if (frame == nullptr) return {address(pc), 0, ""};
    return {short_name(frame->file), frame->line, text_of_line(frame->file, frame->line)};
  }
  bool in_helpers_only(const void* pc) const {
    const Frames& frames = frames_.at(pc);
    return !frames.empty() && shown_frame(frames) == nullptr;
  }
  std::string kernel(const void* function) const {
    const Frames& frames = frames_.at(function);
    return frames.empty() || frames.back().function == "??" ? address(function)
                                                            : kernel_name(frames.back().function);
  }

 private:
  void want(const void* pc, std::size_t back) {
    if (pc != nullptr && !frames_.contains(pc)) wanted_[pc] = back;
  }
  // As addr2line takes it.
  std::string address(const void* pc) const {
    char text[32];
    std::snprintf(text, sizeof text, "0x%zx", offsets_.at(pc));
    return text;
  }

  std::map<const void*, std::size_t> wanted_;
  std::map<const void*, std::size_t> offsets_;
  std::map<const void*, Frames> frames_;
};

Totals totals_of(const LaunchRecord& launch) {
  Totals totals;
  totals.blocks = std::uint64_t(launch.grid.x) * launch.grid.y * launch.grid.z;
  totals.threads_per_block = std::uint64_t(launch.block.x) * launch.block.y * launch.block.z;
  totals.shared_bytes = launch.shared_bytes;
  Counts* const counts[2][3] = {{&totals.loads, &totals.stores, &totals.atomics},
                                {&totals.shared_loads, &totals.shared_stores, &totals.shared_atomics}};
  for (const auto& row : launch.rows)
    *counts[std::size_t(row.space)][std::size_t(row.operation)] += row.counts;
  return totals;
}

auto sort_key(const Row& row) {
  return std::tie(row.line.file, row.line.number, row.space, row.operation, row.bytes);
}

void add_row(std::vector<Row>& rows, Row row) {
  const auto same = std::find_if(rows.begin(), rows.end(),
                                 [&](const Row& other) { return sort_key(other) == sort_key(row); });
  if (same == rows.end()) {
    rows.push_back(std::move(row));
  } else {
    same->counts += row.counts;
  }
}

void add_launch(std::vector<KernelTrace>& kernels, const LaunchRecord& launch, const Symbols& symbols) {
  const std::string name = symbols.kernel(launch.kernel);
  auto trace = std::find_if(kernels.begin(), kernels.end(), [&](const KernelTrace& known) {
    return known.label == launch.label && known.kernel == name;
  });
  if (trace == kernels.end()) trace = kernels.insert(kernels.end(), {launch.label, name, {}, {}});
  trace->launches.push_back(totals_of(launch));
  for (const auto& row : launch.rows) {
    add_row(trace->rows, {symbols.line(row.pc), row.space, row.operation, row.bytes, row.counts});
  }
}

auto fault_key(const ReportedFault& fault) {
  return std::tie(fault.kind, fault.shared, fault.writes, fault.other_writes, fault.kernel, fault.line.file,
                  fault.line.number, fault.other_line.file, fault.other_line.number);
}

void add_fault(Report& report, const Fault& fault, const Symbols& symbols) {
  // The executor's own code runs on the threads' stacks too; what it does with its own memory is no fault.
  if (fault.kind == FaultKind::kOutOfBounds && !fault.near_memory && symbols.in_helpers_only(fault.pc))
    return;
  const ReportedFault reported{fault.kind,
                               fault.shared,
                               fault.writes,
                               fault.other_writes,
                               symbols.kernel(fault.kernel),
                               fault.count,
                               symbols.line(fault.pc),
                               fault.other_pc == nullptr ? Line{} : symbols.line(fault.other_pc),
                               fault.example};
  // A line may hold several accesses.
  const auto same = std::find_if(report.faults.begin(), report.faults.end(), [&](const ReportedFault& other) {
    return fault_key(other) == fault_key(reported);
  });
  if (same == report.faults.end()) {
    report.faults.push_back(reported);
  } else {
    same->count += fault.count;
  }
  auto& count = fault.kind == FaultKind::kUninitialised ? report.uninitialised
                : fault.kind == FaultKind::kOutOfBounds ? report.out_of_bounds
                                                        : report.races;
  count += fault.count;
}

}  // namespace

void start(std::vector<std::string> helper_folders) {
  helpers = std::move(helper_folders);
  start_recording();
}

void set_label(const std::string& label) {
  current_recorder()->set_label(label);
}

Report take() {
  Recorder& recorder = *current_recorder();
  const std::vector<LaunchRecord> launches = recorder.take_launches();
  const std::vector<Fault> faults = recorder.take_faults();
  static Symbols symbols;  // what an earlier call has asked for is known
  for (const LaunchRecord& launch : launches) {
    symbols.want_function(launch.kernel);
    for (const auto& row : launch.rows) symbols.want_access(row.pc);
  }
  for (const Fault& fault : faults) {
    symbols.want_function(fault.kernel);
    symbols.want_access(fault.pc);
    symbols.want_access(fault.other_pc);
  }
  Report report;
  report.problem = symbols.resolve(recorder.image());
  if (!recorder.knows_guards()) {
    report.problem += report.problem.empty() ? "" : "\n";
    report.problem +=
        "the program has no symbols (it was stripped): single bytes of __shared__ variables are not looked "
        "at";
  }
  for (const LaunchRecord& launch : launches) add_launch(report.kernels, launch, symbols);
  for (KernelTrace& trace : report.kernels) {
    std::sort(trace.rows.begin(), trace.rows.end(),
              [](const Row& a, const Row& b) { return sort_key(a) < sort_key(b); });
  }
  for (const Fault& fault : faults) add_fault(report, fault, symbols);
  return report;
}

}  // namespace simt::trace
