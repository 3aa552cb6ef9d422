/// \file
/// Are two accesses ordered? Within a launch: by a barrier of the block, or by a warp operation that both
/// threads take part in. Blocks are ordered by nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "common/simt/trace/shadow.hpp"
#include "common/simt/trace/warp_access.hpp"

namespace simt::trace {

/// An access, as far as races are concerned.
struct Toucher {
  std::uint16_t thread;  // in its block
  std::uint16_t site;
  Operation operation;
};

inline constexpr std::uint16_t kUnknownThread = 0xffff;

/// The earlier access that a new one is not ordered with.
struct Conflict {
  enum class With : unsigned char { kNothing, kThreadOfBlock, kOtherBlock };
  With with = With::kNothing;
  bool wrote = false;                     // the earlier access; else it read
  std::uint16_t site = 0;                 // of it
  std::uint16_t thread = kUnknownThread;  // one that made it, if it is of the same block and known
  explicit operator bool() const { return with != With::kNothing; }
};

class RaceDetector {
 public:
  void launch_begins() { launch_start_ = ++time_; }
  void block_begins(unsigned warps);
  void block_met() { interval_start_ = ++time_; }
  /// These lanes of a warp have met: what each did before comes before what any of them does next.
  void warp_met(unsigned warp, std::uint32_t lanes);

  /// Compares an access with what the cell remembers, and makes the cell remember it.
  Conflict touch_shared(Cell& cell, const Toucher& access) { return touch(cell, access, block_start_); }
  Conflict touch_global(Cell& cell, const Toucher& access) { return touch(cell, access, launch_start_); }
  /// Has a thread of this block written the cell?
  bool written_by_block(const Cell& cell) const { return cell.write_time >= block_start_; }

 private:
  Conflict touch(Cell& cell, const Toucher& access, Time oldest) {
    Conflict conflict;
    if (cell.write_time >= oldest) conflict = with_last_write(cell, access);
    if (access.operation == Operation::kLoad) {
      remember_read(cell, access, oldest);
      return conflict;
    }
    if (!conflict && cell.read_time >= oldest) conflict = with_reads(cell, access);
    cell.write_time = time_;
    cell.write_thread = access.thread;
    cell.write_site = access.site;
    cell.write_atomic = access.operation == Operation::kAtomic;
    return conflict;
  }
  // Both ask about memory of the same launch (in shared memory: of the same block).
  Conflict with_last_write(const Cell& cell, const Toucher& access) const;
  Conflict with_reads(const Cell& cell, const Toucher& access) const;
  void remember_read(Cell& cell, const Toucher& access, Time oldest) const {
    const unsigned warp = access.thread / kLanes;
    const std::uint32_t bit = 1u << access.thread % kLanes;
    std::uint16_t site = access.site;
    if (cell.read_time < oldest) {
      cell.other_blocks_read = cell.other_warps_read = false;
      cell.read_lanes = bit;
    } else {
      site = join_reads(cell, access);
    }
    cell.read_time = time_;
    cell.read_warp = std::uint8_t(warp);
    cell.read_site = site;
  }
  std::uint16_t join_reads(Cell& cell, const Toucher& access) const;
  bool ordered(unsigned warp, unsigned later_lane, unsigned earlier_lane, Time earlier) const;
  std::uint32_t unordered_lanes(unsigned warp, unsigned lane, std::uint32_t lanes, Time earlier) const;

  struct WarpClock {
    Time last = 0;                   // of the warp's last operation
    Time all_met = 0;                // the last one of all its lanes
    bool apart = false;              // have only some of them met in this block? Then `seen` is in use.
    Time seen[kLanes][kLanes] = {};  // [a][b]: what b did before this time comes before what a does now
  };

  Time time_ = 0;
  Time launch_start_ = 0, block_start_ = 0, interval_start_ = 0;
  std::vector<WarpClock> warps_;
};

}  // namespace simt::trace
