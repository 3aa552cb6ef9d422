/// \file
/// run_chapter(): describe, check, time, report.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "common/harness/bench.hpp"
#include "common/harness/cases.hpp"
#include "common/harness/chapter.hpp"
#include "common/harness/check.hpp"
#include "common/harness/csv.hpp"
#include "common/harness/device_info.hpp"
#include "common/harness/table.hpp"
#include "common/harness/tracing.hpp"

namespace ropewalk {
namespace {

// An error as a fraction of its tolerance: two decimals say enough, and a huge one needs no digits.
std::string fraction(double worst) {
  return worst < 1000 ? fmt::format("{:.2f}", worst) : fmt::format("{:.1e}", worst);
}

std::vector<Variant> chosen_variants(const Chapter& chapter, const RunRequest& request) {
  std::vector<Variant> chosen;
  for (const Variant& variant : chapter.variants)
    if (is_chosen(request, variant)) chosen.push_back(variant);
  return chosen;
}

// On the executor: in which order the threads run.
std::string thread_order(const Chapter& chapter) {
  if (kGpuBuild || chapter.runs == Runs::on_host) return "";
  const char* seed = std::getenv("SIMT_SEED");
  return fmt::format(" (every CUDA thread runs, {})",
                     seed ? fmt::format("in the order of SIMT_SEED={}", seed) : "in order");
}

void describe(const Chapter& chapter, const RunRequest& request, const DeviceInfo& device) {
  fmt::print("{}: {}\n{}\n\n", chapter.name, chapter.title, chapter.what);
  fmt::print("  device    {}{}\n", device.name, thread_order(chapter));
  const Shape& s = request.shape;
  if (!request.vectors.empty()) {
    fmt::print("  input     {} test vector{}, as {}\n", request.vectors.size(),
               request.vectors.size() == 1 ? "" : "s", to_string(request.dtype));
  } else if (!chapter.variants.empty()) {
    fmt::print("  q         [batch {}, tokens {}, heads {}, head_dim {}] of {}\n", s.batch, s.tokens,
               s.q_heads, s.head_dim, to_string(request.dtype));
    if (s.kv_heads > 0)
      fmt::print("  k         the same with {} head{}\n", s.kv_heads, s.kv_heads == 1 ? "" : "s");
    fmt::print("  rotary    {} of {} channels{}, {} style, base {}, positions from {}\n", s.rotary_dim,
               s.head_dim, s.rotary_offset > 0 ? fmt::format(" from channel {} on", s.rotary_offset) : "",
               request.styles.size() == 1 ? to_string(request.styles[0]) : "either", request.schedule.base,
               request.position_offset);
    fmt::print("  sizes     {}\n", request.source);
  }
  std::string said;  // what a variant shares with the one before it is said once
  for (const Variant& variant : chosen_variants(chapter, request)) {
    fmt::print("  variant   {}: {}\n", variant.name, variant.what);
    std::string rounds = describe(variant.angles, variant.arithmetic);
    if (rounds != said) fmt::print("            {}\n", rounds);
    said = std::move(rounds);
  }
}

void print_schedule(const RunRequest& request) {
  ScheduleSpec spec = request.schedule;
  spec.head_dim = request.shape.head_dim;
  spec.rotary_dim = request.shape.rotary_dim;
  const Schedule schedule = make_schedule(spec);
  fmt::print("\n{} schedule, base {}, rotary_dim {}, attention factor {}\n", spec.rope_type, spec.base,
             spec.rotary_dim, schedule.attention_factor);
  std::vector<std::vector<std::string>> table = {{"pair", "radians per token", "tokens per turn"}};
  for (std::size_t p = 0; p < schedule.inv_freq.size(); ++p)
    table.push_back({fmt::format("{}", p), fmt::format("{:.9g}", schedule.inv_freq[p]),
                     fmt::format("{:.1f}", 2 * std::numbers::pi / schedule.inv_freq[p])});
  print_table(table);
}

std::vector<ResultRow> make_checks(const Chapter& chapter, const RunRequest& request) {
  std::vector<ResultRow> rows;
  if (chapter.own_checks)
    for (CheckResult& check : chapter.own_checks(request))
      rows.push_back({std::move(check), request.shape, request.dtype, {}, {}});
  for (const TestVector& vector : request.vectors) {
    const Case c = vector_case(vector, request.dtype);
    rows.push_back(
        {compare_frequencies(vector.name, c.schedule, vector.inv_freq), c.shape, c.dtype, c.style, {}});
  }
  const std::vector<Variant> variants = chosen_variants(chapter, request);
  if (variants.empty()) return rows;
  for (const Case& c : make_cases(chapter, request))
    for (const Variant& variant : variants) {
      if (request.trace) trace_next(request, c, variant);
      rows.push_back({check_variant(variant, c, chapter.runs), c.shape, c.dtype, c.style, {}});
    }
  return rows;
}

void print_checks(const Chapter& chapter, const std::vector<ResultRow>& rows) {
  const bool styles =
      chapter.styles.size() > 1 &&
      std::any_of(rows.begin(), rows.end(), [](const ResultRow& row) { return row.style.has_value(); });
  std::vector<std::vector<std::string>> table = {{"check", "on"}};
  if (styles) table[0].emplace_back("style");
  for (const char* heading : {"values", "worst error", "of its tolerance", "result"})
    table[0].emplace_back(heading);
  for (const ResultRow& row : rows) {
    table.push_back({row.check.what, row.check.on});
    if (styles) table.back().emplace_back(row.style ? to_string(*row.style) : "-");
    for (const std::string& cell :
         {fmt::format("{}", row.check.values), fmt::format("{:.2g}", row.check.error),
          fraction(row.check.worst), std::string(row.check.passed() ? "ok" : "WRONG")})
      table.back().push_back(cell);
  }
  fmt::print("\n");
  print_table(table);
  for (const ResultRow& row : rows)
    if (row.check.faults > 0)
      fmt::print("\n{} on {}{}: {} faults, the first of them\n{}", row.check.what, row.check.on,
                 styles && row.style ? fmt::format(", {} style", to_string(*row.style)) : "",
                 row.check.faults, row.check.fault_text);
}

// For ./run all, which ends with a table over all chapters.
void append_summary(const Chapter& chapter, const DeviceInfo& device, std::size_t checks, double worst,
                    const char* result) {
  const char* path = std::getenv("ROPEWALK_SUMMARY");
  if (path == nullptr) return;
  if (std::FILE* file = std::fopen(path, "a")) {
    fmt::print(file, "{}\t{}\t{}\t{}\t{}\n", chapter.name, device.name, checks, fraction(worst), result);
    std::fclose(file);
  }
}

std::vector<std::string> failures(bool results_are_right, const TraceOutcome& trace) {
  std::vector<std::string> texts;
  if (!results_are_right) texts.emplace_back("the result is not what RoPE must give");
  if (!trace.faults.empty()) texts.emplace_back("the trace found memory accesses that are wrong");
  return texts;
}

int refuse(const Chapter& chapter, const std::string& why) {
  std::fputs((chapter.name + ": " + why + "\n").c_str(), stderr);
  return kBadInput;
}

}  // namespace

int run_chapter(const Chapter& chapter, const RunRequest& request) {
  const DeviceInfo device = device_info(chapter.runs);
  describe(chapter, request, device);
  if (request.list) return kSuccess;
  if (request.print_schedule) {
    print_schedule(request);
    return kSuccess;
  }
  if (!device.problem.empty()) {
    fmt::print("skipped: {}\n", device.problem);
    append_summary(chapter, device, 0, 0, "skipped");
    return kCannotRun;
  }

  if (!request.csv.empty()) {
    if (const std::string error = cannot_write_file(request.csv); !error.empty())
      return refuse(chapter, error);
  }
  if (request.trace) start_tracing();
  std::vector<ResultRow> rows = make_checks(chapter, request);
  print_checks(chapter, rows);
  const TraceOutcome trace = request.trace ? finish_tracing(chapter) : TraceOutcome{};
  if (request.trace) fmt::print("\n{}{}{}", trace.tables, trace.faults.empty() ? "" : "\n", trace.faults);
  const auto results_are_right = [&] {
    return std::all_of(rows.begin(), rows.end(), [](const ResultRow& row) { return row.check.passed(); });
  };
  const auto all_passed = [&] { return trace.faults.empty() && results_are_right(); };
  if (request.bench && all_passed()) {  // nobody sees a time before the results are right
    rows = run_benchmark(chapter, request);
    if (!all_passed()) print_checks(chapter, rows);
  }
  if (!request.csv.empty() && request.trace && trace.csv.empty()) {
    fmt::print("--csv: {} is not written, there are no rows\n", request.csv);
  } else if (!request.csv.empty() && all_passed()) {
    const std::string text = request.trace ? trace.csv : format_csv(chapter, device, rows);
    if (const std::string error = write_whole_file(request.csv, text); !error.empty())
      return refuse(chapter, error);
  }

  double worst = 0;
  std::int64_t values = 0;
  for (const ResultRow& row : rows) {
    worst = std::max(worst, row.check.worst);
    values += row.check.values;
  }
  append_summary(chapter, device, rows.size(), worst, all_passed() ? "success" : "FAILED");
  fmt::print("\n{} checks, {} values compared, worst error {} of its tolerance\n", rows.size(), values,
             fraction(worst));
  if (!trace.last_line.empty()) fmt::print("{}\n", trace.last_line);
  if (!all_passed()) {
    fmt::print("FAILED: {}.\n", fmt::join(failures(results_are_right(), trace), ", and "));
    return kMismatch;
  }
  fmt::print("Success! RoPE matches expected results.\n");
  return kSuccess;
}

}  // namespace ropewalk
