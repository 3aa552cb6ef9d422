/// \file
/// chapter_main(): where exceptions end and exit codes begin.
#include <fmt/format.h>

#include <cstdlib>
#include <new>

#include "common/harness/command_line.hpp"

namespace ropewalk {

int chapter_main(int argc, char** argv, const Chapter& chapter) {
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
    fmt::print(stderr, "{}: {}\n", chapter.name, error.what());
  } catch (const InputError& error) {
    fmt::print(stderr, "{}: {}\n", chapter.name, error.what());
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "{}: not enough memory for these sizes\n", chapter.name);
  }
  return kBadInput;
}

}  // namespace ropewalk
