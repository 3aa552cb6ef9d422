/// \file
/// Memory that lies between two pages that nobody may touch, so that a stray access ends the program with a
/// report (executor/crash.cpp) and spoils nothing.
#pragma once

#include <cstddef>

namespace simt {

inline std::size_t round_up(std::size_t size, std::size_t step) {
  return (size + step - 1) / step * step;
}

/// `bytes` > 0, at an address that `alignment` (a power of two, at most a page) divides; the end lies less
/// than that before the second guard. Null if there is no memory. With AddressSanitizer it comes from the
/// ordinary heap, exactly as long as asked for: the sanitizer guards both ends.
void* take_guarded(std::size_t bytes, std::size_t alignment);
/// Takes back what take_guarded() gave for these numbers.
void give_back_guarded(void* memory, std::size_t bytes, std::size_t alignment);

}  // namespace simt
