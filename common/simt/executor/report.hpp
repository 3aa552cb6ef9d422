/// \file
/// How a fault in a kernel is told: one line on stderr, kept for simt::last_report().
#pragma once

#include <cstdarg>

#include "common/simt/device/location.hpp"
#include "common/simt/device/vector_types.hpp"

namespace simt {

/// A short text without memory of its own to free: a fiber that is abandoned runs no destructors.
struct ShortText {
  char text[160];
  const char* c_str() const { return text; }
};

/// "chapter/kernels.cuh:41": the last folder, the file, the line.
ShortText describe(const Location& where);
ShortText describe_thread(uint3 thread, uint3 block);

/// Prints and keeps a report, with the seed that repeats it.
[[gnu::format(printf, 1, 0)]] void print_report(const char* format, std::va_list values);
void clear_report();

}  // namespace simt
