/// \file
/// Asks addr2line, which every g++ brings along (package binutils).
#include "common/simt/trace/symbolizer.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace simt::trace {
namespace {

constexpr const char* kTool = "addr2line";

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
  std::string text;
  for (const std::size_t address : addresses) {
    char line[32];
    std::snprintf(line, sizeof line, "0x%zx\n", address);
    text += line;
  }
  std::FILE* const questions = std::tmpfile();  // it has no name that could be left behind
  if (questions == nullptr || std::fputs(text.c_str(), questions) < 0 || std::fflush(questions) != 0) {
    problem = "no temporary file could be written: addresses instead of lines";
    if (questions != nullptr) std::fclose(questions);
    return result;
  }
  const std::string process = "/proc/" + std::to_string(getpid());
  const std::vector<std::string> lines =
      lines_of(std::string(kTool) + " -a -i -f -C -e " + process + "/exe <" + process + "/fd/" +
               std::to_string(fileno(questions)) + " 2>/dev/null");
  std::fclose(questions);
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
  const bool any_line = std::any_of(result.begin(), result.end(), [](const Frames& frames) {
    return std::any_of(frames.begin(), frames.end(), [](const Frame& frame) { return frame.line != 0; });
  });
  if (answered != addresses.size()) {
    problem = "addr2line (package binutils) was not found, or gave no answer: addresses instead of lines";
  } else if (!any_line) {
    problem =
        "the program has no debug information (it was stripped, or built without -g): addresses instead of "
        "lines";
  }
  return result;
}

}  // namespace simt::trace
