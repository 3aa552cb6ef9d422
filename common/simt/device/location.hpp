/// \file
/// A place in the source. std::source_location would do, but clang 14 does not have it.
#pragma once

namespace simt {

struct Location {
  const char* file = "";
  unsigned line = 0;

  /// As a default argument: the place of the call.
  static constexpr Location current(const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) {
    return {file, line};
  }
};

}  // namespace simt
