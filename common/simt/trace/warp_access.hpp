/// \file
/// One memory instruction of a warp, and what it asks for.
#pragma once

#include <cstdint>

namespace simt::trace {

inline constexpr unsigned kLanes = 32;

enum class Space : unsigned char { kGlobal, kShared };
enum class Operation : unsigned char { kLoad, kStore, kAtomic };

/// The addresses that the lanes of a warp access with one instruction, each the same number of bytes. In
/// shared memory an address is an offset from its beginning.
struct WarpAccess {
  std::uint64_t address[kLanes];
  std::uint32_t lanes = 0;  // bit i: lane i takes part
  std::uint32_t bytes = 0;  // of each lane
};

/// Nsight Compute's words. Global memory has sectors, shared memory wavefronts.
struct Counts {
  std::uint64_t requests = 0;
  std::uint64_t sectors = 0, ideal_sectors = 0;
  std::uint64_t wavefronts = 0, ideal_wavefronts = 0;

  Counts& operator+=(const Counts& other) {
    requests += other.requests;
    sectors += other.sectors;
    ideal_sectors += other.ideal_sectors;
    wavefronts += other.wavefronts;
    ideal_wavefronts += other.ideal_wavefronts;
    return *this;
  }
  bool operator==(const Counts&) const = default;
};

}  // namespace simt::trace
