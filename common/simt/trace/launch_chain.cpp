/// \file
/// Which kernels of a chain have surely ended, and what that leaves to conflict with.
///
/// Kernel k starts when every block of kernel k-1 has triggered or left. If each of them had waited first,
/// kernel k-2 has ended by then. Kernel k's own wait lasts until k-1 has ended; k-1 cannot have ended before
/// a thread of it that waited for k-2. A kernel that never waits breaks this: it may end long before the
/// one ahead of it.
#include "common/simt/trace/launch_chain.hpp"

#include <algorithm>

namespace simt::trace {
namespace {

void add(std::vector<bool>& to, const std::vector<bool>& from) {
  if (to.size() < from.size()) to.resize(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i]) to[i] = true;
  }
}

}  // namespace

void LaunchChain::launch_begins(bool has_early_successor) {
  if (!next_continues_) kernels_.clear();
  next_continues_ = has_early_successor;
  // Where nobody is waited for for long, the oldest are forgotten: real chains are far shorter.
  constexpr std::size_t kLongest = 256;
  if (kernels_.size() == kLongest) kernels_.clear();
  recording_ = has_early_successor || !kernels_.empty();
  if (!recording_) return;

  const std::size_t index = kernels_.size();
  Kernel kernel;
  kernel.ended_at_start.resize(index + 1);
  if (index > 0) {
    const Kernel& ahead = kernels_[index - 1];
    add(kernel.ended_at_start, ahead.ended_at_start);
    if (ahead.guards && index > 1) add(kernel.ended_at_start, kernels_[index - 2].ended_at_end);
  }
  kernels_.push_back(std::move(kernel));
}

void LaunchChain::launch_ends(bool block_left_without_waiting) {
  if (!recording_) return;
  Kernel& kernel = last();
  if (block_left_without_waiting) kernel.guards = false;
  const std::size_t index = kernels_.size() - 1;
  kernel.ended_at_end = kernel.ended_at_start;
  kernel.ended_at_end[index] = true;
  if (kernel.waits && index > 0) add(kernel.ended_at_end, kernels_[index - 1].ended_at_end);
}

ChainConflict LaunchChain::touch(std::size_t allocation, std::size_t allocation_bytes, std::size_t offset,
                                 std::size_t bytes, bool write, std::uint16_t site, bool has_waited) {
  Kernel& kernel = last();
  ChainConflict conflict;
  const std::size_t index = kernels_.size() - 1;
  for (std::size_t other = index; other-- > 0 && !conflict;) {
    if (kernel.ended_at_start[other]) continue;
    if (has_waited && kernels_[index - 1].ended_at_end[other]) continue;
    const auto found = kernels_[other].bytes.find(allocation);
    if (found == kernels_[other].bytes.end()) continue;
    for (std::size_t i = offset; i < offset + bytes && !conflict; ++i) {
      const Sites& sites = found->second[i];
      const bool wrote = sites.write != 0;
      if (wrote || write) conflict = {wrote, wrote ? sites.write : sites.read, unsigned(index - other)};
    }
  }
  std::vector<Sites>& mine = kernel.bytes[allocation];
  if (mine.empty()) mine.resize(allocation_bytes);
  for (std::size_t i = offset; i < offset + bytes; ++i) (write ? mine[i].write : mine[i].read) = site;
  return conflict;
}

}  // namespace simt::trace
