/// \file
/// What a launch may ask for on a device of compute capability 9.0.
#pragma once

#include <cstddef>

#include "common/simt/device/vector_types.hpp"

namespace simt {

inline constexpr unsigned kMaxThreadsPerBlock = 1024;
inline constexpr dim3 kMaxBlock{1024, 1024, 64};
inline constexpr dim3 kMaxGrid{2147483647, 65535, 65535};
inline constexpr std::size_t kSharedMemoryPerBlock = 48 * 1024;  // without opt-in
inline constexpr std::size_t kSharedMemoryPerBlockOptIn = 227 * 1024;
inline constexpr std::size_t kSharedMemoryPerMultiprocessor = 228 * 1024;
inline constexpr std::size_t kReservedSharedMemoryPerBlock = 1024;
inline constexpr unsigned kMaxThreadsPerMultiprocessor = 2048;
inline constexpr unsigned kMaxBlocksPerMultiprocessor = 32;

}  // namespace simt
