/// \file
/// Asks addr2line, which every g++ brings along (package binutils), or LLVM's.
#include "common/simt/trace/symbolizer.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace simt::trace {
namespace {

constexpr const char* kTools[] = {"addr2line", "llvm-addr2line", "llvm-addr2line-14"};

bool is_installed(const char* tool) {
  const std::string command = std::string("command -v ") + tool + " >/dev/null 2>&1";
  return std::system(command.c_str()) == 0;  // NOLINT(concurrency-mt-unsafe): one thread
}

// A file that goes away with this object.
class TemporaryFile {
 public:
  TemporaryFile() { descriptor_ = mkstemp(path_); }
  ~TemporaryFile() {
    if (descriptor_ < 0) return;
    close(descriptor_);
    unlink(path_);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  bool write(const std::string& text) const {
    return descriptor_ >= 0 && ::write(descriptor_, text.data(), text.size()) == ssize_t(text.size());
  }
  const char* path() const { return path_; }

 private:
  char path_[32] = "/tmp/simt-trace-XXXXXX";
  int descriptor_;
};

std::vector<std::string> lines_of(const std::string& command) {
  std::vector<std::string> lines;
  std::FILE* output = popen(command.c_str(), "r");
  if (output == nullptr) return lines;
  std::string line;
  for (int c = std::fgetc(output); c != EOF; c = std::fgetc(output)) {
    if (c != '\n') {
      line += char(c);
    } else {
      lines.push_back(std::move(line));
      line.clear();
    }
  }
  pclose(output);
  return lines;
}

// "/path/kernels.cuh:41 (discriminator 3)"; "??:0" and "file:?" say that nothing is known
void set_place(Frame& frame, const std::string& text) {
  const std::size_t colon = text.find(':', text.rfind('/') == std::string::npos ? 0 : text.rfind('/'));
  if (colon == std::string::npos || text[0] == '?') return;
  frame.line = unsigned(std::strtoul(text.c_str() + colon + 1, nullptr, 10));
  if (frame.line != 0) frame.file = text.substr(0, colon);
}

}  // namespace

std::vector<Frames> symbolize(const std::vector<std::size_t>& addresses, std::string& problem) {
  std::vector<Frames> result(addresses.size());
  if (addresses.empty()) return result;
  const char* tool = nullptr;
  for (const char* candidate : kTools) {
    if (tool == nullptr && is_installed(candidate)) tool = candidate;
  }
  if (tool == nullptr) {
    problem = "addr2line (package binutils) was not found: addresses instead of lines";
    return result;
  }
  std::string text;
  for (const std::size_t address : addresses) {
    char line[32];
    std::snprintf(line, sizeof line, "0x%zx\n", address);
    text += line;
  }
  const TemporaryFile file;
  if (!file.write(text)) {
    problem = "no file could be written in /tmp: addresses instead of lines";
    return result;
  }
  char program[64];
  std::snprintf(program, sizeof program, "/proc/%d/exe", int(getpid()));
  const std::vector<std::string> lines =
      lines_of(std::string(tool) + " -a -i -f -C -e " + program + " <" + file.path() + " 2>/dev/null");
  // For each address: the address again, then two lines for each frame.
  std::size_t answered = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].rfind("0x", 0) == 0) {
      if (++answered > addresses.size()) break;
    } else if (answered > 0 && i + 1 < lines.size()) {
      Frame frame{lines[i], "", 0};
      set_place(frame, lines[++i]);
      result[answered - 1].push_back(std::move(frame));
    }
  }
  if (answered != addresses.size())
    problem = std::string(tool) + " gave no answer: addresses instead of lines";
  return result;
}

}  // namespace simt::trace
