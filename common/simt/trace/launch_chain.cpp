/// \file
/// Which kernels of a chain have surely ended, and what that leaves to conflict with.
///
/// Kernel k starts when every block of kernel k-1 has triggered or left. If each of them had waited first,
/// kernel k-2 has ended by then. Kernel k's own wait lasts until k-1 has ended; k-1 cannot have ended before
/// a thread of it that waited for k-2. A kernel that never waits breaks this: it may end long before the
/// one ahead of it.
#include "common/simt/trace/launch_chain.hpp"

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
  // Where nobody waits, the oldest are forgotten: real chains are far shorter.
  constexpr std::size_t kMost = 256;
  may_run_.clear();
  for (std::size_t other = index; other-- > 0;) {
    if (!kernel.ended_at_start[other] && may_run_.size() < kMost) {
      may_run_.push_back(other);
    } else {
      kernels_[other].bytes.clear();
    }
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
                                 std::size_t bytes, Operation operation, std::uint16_t site,
                                 bool has_waited) {
  constexpr auto kLoad = std::size_t(Operation::kLoad), kStore = std::size_t(Operation::kStore),
                 kAtomic = std::size_t(Operation::kAtomic);
  // The earlier access that this one is not to overlap with.
  const auto earlier = [&](const Sites& sites) -> ChainConflict {
    if (sites.of[kStore] != 0) return {true, sites.of[kStore]};
    if (operation != Operation::kAtomic && sites.of[kAtomic] != 0) return {true, sites.of[kAtomic]};
    if (operation != Operation::kLoad && sites.of[kLoad] != 0) return {false, sites.of[kLoad]};
    return {};
  };
  const std::size_t index = kernels_.size() - 1;
  ChainConflict conflict;
  for (const std::size_t other : may_run_) {
    if (has_waited && kernels_[index - 1].ended_at_end[other]) continue;
    const auto found = kernels_[other].bytes.find(allocation);
    if (found == kernels_[other].bytes.end()) continue;
    for (std::size_t i = offset; i < offset + bytes && !conflict; ++i) conflict = earlier(found->second[i]);
    conflict.kernels_ahead = unsigned(index - other);
    if (conflict) break;
  }
  std::vector<Sites>& mine = last().bytes[allocation];
  if (mine.empty()) mine.resize(allocation_bytes);
  for (std::size_t i = offset; i < offset + bytes; ++i) mine[i].of[std::size_t(operation)] = site;
  return conflict;
}

}  // namespace simt::trace
