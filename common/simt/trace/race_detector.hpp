/// \file
/// Are two accesses ordered? Within a launch: by a barrier of the block, or by warp operations that lead from
/// the one thread to the other. Blocks are ordered by nothing.
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
  void block_met() {
    interval_start_ = ++time_;
    apart_.clear();
  }
  /// These lanes of a warp have met: what each did before comes before what any of them does next.
  void warp_met(unsigned warp, std::uint32_t lanes);

  /// Compares an access with what the cell remembers, and makes the cell remember it.
  Conflict touch_shared(Cell& cell, const Toucher& access) { return touch(cell, access, block_start_); }
  Conflict touch_global(Cell& cell, const Toucher& access) { return touch(cell, access, launch_start_); }
  /// Has a thread of this block written the cell?
  bool written_by_block(const Cell& cell) const {
    return cell.write_time >= block_start_ || cell.atomics.time >= block_start_;
  }

 private:
  // What happened before `oldest` cannot race with the access.
  Conflict touch(Cell& cell, const Toucher& access, Time oldest) {
    Conflict conflict;
    if (cell.write_time >= oldest) conflict = with_last_write(cell, access);
    const bool reads = access.operation == Operation::kLoad, atomic = access.operation == Operation::kAtomic;
    if (!conflict && !atomic && cell.atomics.time >= oldest) conflict = with_any(cell.atomics, access, true);
    if (!conflict && !reads && cell.reads.time >= oldest) conflict = with_any(cell.reads, access, false);
    if (reads || atomic) {
      remember(reads ? cell.reads : cell.atomics, access, oldest);
    } else {
      cell.write_time = time_;
      cell.write_thread = access.thread;
      cell.write_site = access.site;
    }
    return conflict;
  }
  Conflict with_last_write(const Cell& cell, const Toucher& access) const;
  Conflict with_any(const Touches& touches, const Toucher& access, bool wrote) const;
  void remember(Touches& touches, const Toucher& access, Time oldest) {
    const std::uint32_t lane = 1u << access.thread % kLanes;
    const auto warp = std::uint8_t(access.thread / kLanes);
    const bool together = touches.warp == warp && !touches.apart && touches.site == access.site;
    if (together && touches.time == time_) {
      touches.lanes |= lane;  // nothing has happened in between
    } else if (touches.time < oldest) {
      touches = {time_, lane, access.site, warp, false, false, false};
    } else {
      join(touches, access);
    }
  }
  void join(Touches& touches, const Toucher& access);

  /// Lanes of one warp that touched a cell at different times or places, and nothing has ordered them.
  struct ApartLanes {
    const Touches* owner;  // another one that holds the number is a copy, which must not change the entry
    std::uint32_t lanes;
    Time time[kLanes];
    std::uint16_t site[kLanes];
  };
  ApartLanes apart_lanes(const Touches& touches) const;
  bool ordered(unsigned warp, unsigned later_lane, unsigned earlier_lane, Time earlier) const;
  std::uint32_t unordered_lanes(const ApartLanes& earlier, unsigned warp, unsigned lane) const;

  // Times of earlier blocks stay: they lie before anything that is asked about.
  struct WarpClock {
    Time last = 0;                   // of the warp's last operation
    Time all_met = 0;                // the last one of all its lanes
    Time seen[kLanes][kLanes] = {};  // [a][b]: what b did before this time comes before what a does now
  };

  Time time_ = 0;
  Time launch_start_ = 0, block_start_ = 0, interval_start_ = 0;
  std::vector<WarpClock> warps_;
  std::vector<ApartLanes> apart_;  // of the current barrier interval
};

}  // namespace simt::trace
