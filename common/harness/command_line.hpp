/// \file
/// From argv and the files it names to a RunRequest.
#pragma once

#include "common/harness/chapter.hpp"

namespace ropewalk {

/// Reads and checks everything. Throws InputError, or NotSupported for what exists in the book but not in
/// this chapter; both with one line that names the option, file or field and says what is allowed. Prints the
/// help and returns false for --help.
bool read_command_line(int argc, const char* const* argv, const Chapter& chapter, RunRequest& request);

}  // namespace ropewalk
