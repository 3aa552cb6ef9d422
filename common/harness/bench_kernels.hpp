/// \file
/// The two kernels every chapter's times are compared with.
#pragma once

#include <cstddef>

struct CUstream_st;

namespace ropewalk {

/// Copies `bytes` (a multiple of 16, both addresses aligned to 16) on the device, 16 bytes a thread.
void launch_copy(const std::byte* from, std::byte* to, std::size_t bytes, CUstream_st* stream);

/// Does nothing: what is left is the cost of running a kernel at all.
void launch_empty(CUstream_st* stream);

}  // namespace ropewalk
