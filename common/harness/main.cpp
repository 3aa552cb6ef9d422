/// \file
/// chapter_main(): where exceptions end and exit codes begin.
#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <system_error>

#include "common/harness/command_line.hpp"

namespace ropewalk {
namespace {

// One line on stderr, whatever the message quotes. fputs, because fmt::print throws when nobody listens.
void complain(const Chapter& chapter, std::string message) {
  constexpr std::size_t kLongest = 2000;
  if (message.size() > kLongest) message = message.substr(0, kLongest) + " ...";
  for (char& c : message)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = '?';
  std::fputs((chapter.name + ": " + message + "\n").c_str(), stderr);
}

int run_and_explain(int argc, char** argv, const Chapter& chapter) {
  try {
    RunRequest request;
    if (!read_command_line(argc, argv, chapter, request)) return kSuccess;
    return run_chapter(chapter, request);
  } catch (const NotSupported& error) {
    // ./run all asks for this: what one chapter cannot do must not stop the others.
    if (std::getenv("ROPEWALK_SKIP_UNSUPPORTED") != nullptr) {
      fmt::print("skipped: {}\n", error.what());
      return kCannotRun;
    }
    complain(chapter, error.what());
  } catch (const InputError& error) {
    complain(chapter, error.what());
  } catch (const std::bad_alloc&) {
    complain(chapter, "not enough memory for these sizes");
  } catch (const std::system_error& error) {
    complain(chapter, std::string("output failed: ") + error.what());
  }
  return kBadInput;
}

}  // namespace

int chapter_main(int argc, char** argv, const Chapter& chapter) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file that grows too large then fails like a full disk, with a message
  const int code = run_and_explain(argc, argv, chapter);
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  complain(chapter, "standard output could not be written");
  return code == kSuccess ? int{kBadInput} : code;
}

}  // namespace ropewalk
