/// \file
/// Reports and options: all that the executor tells to, and hears from, the person at the terminal.
#include "common/simt/executor/report.hpp"

#include <cerrno>
#include <cinttypes>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "common/simt/simt.hpp"

namespace simt {
namespace {

char report[1024];

Options options_from_environment() {
  Options result;
  const char* text = std::getenv("SIMT_SEED");
  if (text == nullptr || *text == '\0') return result;
  char* end = nullptr;
  errno = 0;
  const unsigned long long seed = std::strtoull(text, &end, 10);
  if (*text < '0' || *text > '9' || *end != '\0' || errno != 0) {
    std::fprintf(stderr,
                 "simt: SIMT_SEED must be a whole number below 2^64, not '%s'; threads run in order\n", text);
    return result;
  }
  result.seed = seed;
  return result;
}

}  // namespace

Options& options() {
  static Options options = options_from_environment();
  return options;
}

const char* last_report() {
  return report;
}
void clear_report() {
  report[0] = '\0';
}

ShortText describe(const Location& where) {
  const char* name = where.file;
  const char* last_slash = std::strrchr(where.file, '/');
  if (last_slash != nullptr) {
    name = last_slash;
    while (name > where.file && name[-1] != '/') --name;
  }
  if (*name == '/') ++name;
  ShortText result;
  std::snprintf(result.text, sizeof result.text, "%.140s:%u", name, where.line);
  return result;
}

ShortText describe_thread(uint3 thread, uint3 block) {
  ShortText result;
  std::snprintf(result.text, sizeof result.text, "thread (%u,%u,%u) of block (%u,%u,%u)", thread.x, thread.y,
                thread.z, block.x, block.y, block.z);
  return result;
}

void print_report(const char* format, std::va_list values) {
  std::size_t used = std::size_t(std::snprintf(report, sizeof report, "simt: "));
  const int length = std::vsnprintf(report + used, sizeof report - used, format, values);
  if (length > 0) used += std::size_t(length);
  if (used < sizeof report) {
    if (options().seed) {
      std::snprintf(report + used, sizeof report - used, " [SIMT_SEED=%" PRIu64 "]", *options().seed);
    } else {
      std::snprintf(report + used, sizeof report - used, " [SIMT_SEED not set: threads in order]");
    }
  }
  std::fprintf(stderr, "%s\n", report);
}

}  // namespace simt
