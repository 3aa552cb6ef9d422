/// \file
/// The rules for races.
#include "common/simt/trace/race_detector.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace simt::trace {
namespace {

constexpr std::uint32_t kAllLanes = 0xffffffffu;
using With = Conflict::With;

}  // namespace

void RaceDetector::block_begins(unsigned warps) {
  block_start_ = interval_start_ = ++time_;
  if (warps_.size() < warps) warps_.resize(warps);
}

void RaceDetector::warp_met(unsigned warp, std::uint32_t lanes) {
  WarpClock& clock = warps_[warp];
  ++time_;
  if (clock.last < block_start_) clock.apart = false;
  clock.last = time_;
  if (lanes == kAllLanes) {
    clock.all_met = time_;
    return;
  }
  if (!clock.apart) std::memset(clock.seen, 0, sizeof clock.seen);
  clock.apart = true;
  Time joined[kLanes] = {};
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const unsigned lane = unsigned(std::countr_zero(rest));
    for (unsigned other = 0; other < kLanes; ++other) {
      joined[other] = std::max(joined[other], clock.seen[lane][other]);
    }
  }
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) joined[std::countr_zero(rest)] = time_;
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    std::memcpy(clock.seen[std::countr_zero(rest)], joined, sizeof joined);
  }
}

bool RaceDetector::ordered(unsigned warp, unsigned later_lane, unsigned earlier_lane, Time earlier) const {
  const WarpClock& clock = warps_[warp];
  if (clock.last <= earlier) return false;
  return earlier < clock.all_met || (clock.apart && earlier < clock.seen[later_lane][earlier_lane]);
}

std::uint32_t RaceDetector::unordered_lanes(unsigned warp, unsigned lane, std::uint32_t lanes,
                                            Time earlier) const {
  const WarpClock& clock = warps_[warp];
  if (clock.last <= earlier) return lanes;
  if (earlier < clock.all_met) return 0;
  std::uint32_t result = 0;
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const unsigned other = unsigned(std::countr_zero(rest));
    if (!ordered(warp, lane, other, earlier)) result |= 1u << other;
  }
  return result;
}

Conflict RaceDetector::with_last_write(const Cell& cell, const Toucher& access) const {
  if (cell.write_atomic && access.operation == Operation::kAtomic) return {};
  Conflict conflict{With::kNothing, true, cell.write_site, cell.write_thread};
  if (cell.write_time < block_start_) {
    conflict.with = With::kOtherBlock;
  } else if (cell.write_time >= interval_start_ && cell.write_thread != access.thread) {
    const unsigned warp = access.thread / kLanes;
    const bool one_warp = cell.write_thread / kLanes == warp;
    if (!one_warp || !ordered(warp, access.thread % kLanes, cell.write_thread % kLanes, cell.write_time)) {
      conflict.with = With::kThreadOfBlock;
    }
  }
  return conflict;
}

Conflict RaceDetector::with_reads(const Cell& cell, const Toucher& access) const {
  Conflict conflict{With::kNothing, false, cell.read_site, kUnknownThread};
  if (cell.read_time < block_start_ || cell.other_blocks_read) {
    conflict.with = With::kOtherBlock;
  } else if (cell.read_time >= interval_start_) {
    const unsigned warp = access.thread / kLanes, lane = access.thread % kLanes;
    std::uint32_t lanes = cell.read_lanes;
    if (cell.read_warp == warp) {
      lanes = unordered_lanes(warp, lane, lanes & ~(1u << lane), cell.read_time);
    }
    if (lanes == 0 && !cell.other_warps_read) return conflict;
    conflict.with = With::kThreadOfBlock;
    // Of the warps that read before the last one, only that they did is known.
    if (lanes != 0)
      conflict.thread = std::uint16_t(cell.read_warp * kLanes + unsigned(std::countr_zero(lanes)));
  }
  return conflict;
}

// A new read beside earlier ones of the same launch. Returns the line to remember.
std::uint16_t RaceDetector::join_reads(Cell& cell, const Toucher& access) const {
  const unsigned warp = access.thread / kLanes, lane = access.thread % kLanes;
  std::uint32_t lanes = 1u << lane;
  std::uint16_t site = access.site;
  if (cell.read_time < block_start_) {
    cell.other_blocks_read = true;
    cell.other_warps_read = false;
  } else if (cell.read_time < interval_start_) {
    cell.other_warps_read = false;
  } else if (cell.read_warp != warp) {
    cell.other_warps_read = true;
  } else {
    // A read that all earlier ones come before stands for them. Lanes that stayed away from a warp operation
    // since are the ones to be told about: their line is kept.
    const std::uint32_t others = unordered_lanes(warp, lane, cell.read_lanes, cell.read_time) & ~lanes;
    if (others != 0 && warps_[warp].last > cell.read_time) site = cell.read_site;
    lanes |= others;
  }
  cell.read_lanes = lanes;
  return site;
}

}  // namespace simt::trace
