/// \file
/// What happens when a promise is broken.
#include "common/simt/tile/memory.hpp"

#include <cstdlib>

#include "common/simt/executor/scheduler.hpp"

namespace cuda::tiles::detail {
namespace {

[[noreturn]] void leave() {
  simt::stop_if_failed();
  std::abort();  // not reached: the fault has been reported, so the line above leaves the block
}

}  // namespace

void not_aligned(const void* address, unsigned long long alignment) {
  simt::fail("broken promise: assume_aligned of %p in block (%u,%u,%u), which is no multiple of %llu",
             address, blockIdx.x, blockIdx.y, blockIdx.z, alignment);
  leave();
}

void not_divisible(long long number, long long divisor) {
  simt::fail("broken promise: assume_divisible of %lld in block (%u,%u,%u), which is no multiple of %lld",
             number, blockIdx.x, blockIdx.y, blockIdx.z, divisor);
  leave();
}

void sticks_out(const char* access) {
  simt::fail(
      "tile out of bounds: a %s in block (%u,%u,%u) sticks out of its tensor; %s_masked is made for that",
      access, blockIdx.x, blockIdx.y, blockIdx.z, access);
  leave();
}

void lies_outside(const char* access) {
  simt::fail(
      "tile out of bounds: a %s in block (%u,%u,%u) is of a tile that lies outside of its tensor altogether",
      access, blockIdx.x, blockIdx.y, blockIdx.z);
  leave();
}

}  // namespace cuda::tiles::detail
