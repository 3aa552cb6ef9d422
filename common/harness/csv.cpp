/// \file
/// The CSV schema.
#include "common/harness/csv.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>

#include "common/csv_cell.hpp"

namespace ropewalk {
namespace {

constexpr const char* kColumns =
    "device,sm,driver,toolkit,date,commit,chapter,variant,case,tokens,q_heads,kv_heads,head_dim,rotary_dim,"
    "dtype,style,"
    "median_us,p5_us,p95_us,stream_us,bytes,gbps,fraction_of_copy,reference_copy_us,empty_kernel_us,max_"
    "error,tolerance";

std::string today() {
  const std::time_t now = std::time(nullptr);
  char text[11];
  std::strftime(text, sizeof text, "%Y-%m-%d", std::gmtime(&now));
  return text;
}

}  // namespace

std::string format_csv(const Chapter& chapter, const DeviceInfo& device, const std::vector<ResultRow>& rows) {
  const char* commit = std::getenv("ROPEWALK_COMMIT");  // ./run sets it
  const std::string date = today();
  std::string text = fmt::format("{}\n", kColumns);
  for (const ResultRow& row : rows) {
    std::string timing(8, ',');
    if (row.timing) {
      const Timing& t = *row.timing;
      timing = fmt::format("{:.3f},{:.3f},{:.3f},{:.3f},{},{:.1f},{:.3f},{:.3f},{:.3f}", t.median_us, t.p5_us,
                           t.p95_us, t.stream_us, t.bytes, t.gbps(), t.fraction_of_copy(),
                           t.reference_copy_us, t.empty_kernel_us);
    }
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{:.3g},{:.3g}\n",
                        csv_cell(device.name), device.sm, device.driver, device.toolkit, date,
                        csv_cell(commit ? commit : "unknown"), chapter.name, csv_cell(row.check.what),
                        csv_cell(row.check.on), row.shape.token_count(), row.shape.q_heads,
                        row.shape.kv_heads, row.shape.head_dim, row.shape.rotary_dim, to_string(row.dtype),
                        row.style ? to_string(*row.style) : "", timing, row.check.error, row.check.tolerance);
  }
  return text;
}

namespace {

namespace fs = std::filesystem;

// Where the text goes first. A device such as /dev/stdout cannot be renamed onto and is written directly; a
// link keeps pointing where it points.
struct Target {
  explicit Target(const std::string& path) {
    std::error_code error;
    final_path = fs::weakly_canonical(path, error);
    if (error) final_path = path;
    direct = fs::exists(final_path, error) && !fs::is_regular_file(final_path, error);
    written_path = direct ? final_path.string() : fmt::format("{}.{}.part", final_path.string(), getpid());
  }
  fs::path final_path;
  bool direct;
  std::string written_path;
};

}  // namespace

std::string write_whole_file(const std::string& path, const std::string& text) {
  const Target target(path);
  const auto failed = [&](int code) {
    std::error_code error;
    if (!target.direct) fs::remove(target.written_path, error);
    return fmt::format("--csv: cannot write {}: {}", path, std::strerror(code));
  };
  std::FILE* file = std::fopen(target.written_path.c_str(), "wb");
  if (file == nullptr) return failed(errno);
  const bool written =
      std::fwrite(text.data(), 1, text.size(), file) == text.size() && std::fflush(file) == 0;
  const int code = errno;
  if (const bool closed = std::fclose(file) == 0; !written || !closed) return failed(written ? errno : code);
  if (!target.direct && std::rename(target.written_path.c_str(), target.final_path.c_str()) != 0)
    return failed(errno);
  return "";
}

std::string cannot_write_file(const std::string& path) {
  const Target target(path);
  std::FILE* file = target.direct ? std::fopen(target.written_path.c_str(), "ab")
                                  : std::fopen(target.written_path.c_str(), "wb");
  if (file == nullptr) return fmt::format("--csv: cannot write {}: {}", path, std::strerror(errno));
  std::fclose(file);
  if (!target.direct) std::remove(target.written_path.c_str());
  return "";
}

}  // namespace ropewalk
