/// \file
/// Counts sectors. A GPU fetches global memory in sectors; lanes that touch the same one share it.
#include "common/simt/trace/coalescing.hpp"

#include <algorithm>

namespace simt::trace {

Counts count_sectors(const WarpAccess& access) {
  std::uint64_t first[kLanes];
  unsigned count = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (access.lanes >> lane & 1u) first[count++] = access.address[lane];
  }
  // Most kernels' lanes come in ascending order.
  if (!std::is_sorted(first, first + count)) std::sort(first, first + count);

  Counts counts{.requests = 1};
  std::uint64_t bytes = 0, covered = 0;  // everything below `covered` has been counted
  std::uint64_t next_sector = 0;
  for (unsigned i = 0; i < count; ++i) {
    const std::uint64_t begin = first[i], end = begin + access.bytes;
    if (end > covered) bytes += end - std::max(begin, covered);
    covered = std::max(covered, end);
    const std::uint64_t from = std::max(begin / kSectorBytes, next_sector);
    const std::uint64_t to = (end - 1) / kSectorBytes + 1;
    if (to > from) counts.sectors += to - from;
    next_sector = std::max(next_sector, to);
  }
  counts.ideal_sectors = (bytes + kSectorBytes - 1) / kSectorBytes;
  return counts;
}

}  // namespace simt::trace
