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
  apart_.clear();
  if (warps_.size() < warps) warps_.resize(warps);
}

void RaceDetector::warp_met(unsigned warp, std::uint32_t lanes) {
  WarpClock& clock = warps_[warp];
  ++time_;
  clock.last = time_;
  if (lanes == kAllLanes) {
    clock.all_met = time_;
    return;
  }
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
  return earlier < clock.all_met || earlier < clock.seen[later_lane][earlier_lane];
}

std::uint32_t RaceDetector::unordered_lanes(const ApartLanes& earlier, unsigned warp, unsigned lane) const {
  std::uint32_t result = 0;
  for (std::uint32_t rest = earlier.lanes & ~(1u << lane); rest != 0; rest &= rest - 1) {
    const unsigned other = unsigned(std::countr_zero(rest));
    if (!ordered(warp, lane, other, earlier.time[other])) result |= 1u << other;
  }
  return result;
}

RaceDetector::ApartLanes RaceDetector::apart_lanes(const Touches& touches) const {
  if (touches.apart) return apart_[touches.lanes];
  ApartLanes result{&touches, touches.lanes, {}, {}};
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    result.time[lane] = touches.time;
    result.site[lane] = touches.site;
  }
  return result;
}

Conflict RaceDetector::with_last_write(const Cell& cell, const Toucher& access) const {
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

Conflict RaceDetector::with_any(const Touches& touches, const Toucher& access, bool wrote) const {
  Conflict conflict{With::kNothing, wrote, touches.site, kUnknownThread};
  if (touches.time < block_start_ || touches.other_blocks) {
    conflict.with = With::kOtherBlock;
    return conflict;
  }
  if (touches.time < interval_start_) return conflict;
  const unsigned warp = access.thread / kLanes, lane = access.thread % kLanes;
  const bool same_warp = touches.warp == warp;
  // The usual case: a thread alone, or a warp that has met since.
  if (same_warp && !touches.apart && !touches.other_warps &&
      ((touches.lanes & ~(1u << lane)) == 0 || touches.time < warps_[warp].all_met)) {
    return conflict;
  }
  const ApartLanes earlier = apart_lanes(touches);
  const std::uint32_t lanes = same_warp ? unordered_lanes(earlier, warp, lane) : earlier.lanes;
  if (lanes == 0 && !touches.other_warps) return conflict;
  conflict.with = With::kThreadOfBlock;
  if (lanes != 0) {  // else: of the warps before the last one only that they were there is known
    const unsigned other = unsigned(std::countr_zero(lanes));
    conflict.site = earlier.site[other];
    conflict.thread = std::uint16_t(touches.warp * kLanes + other);
  }
  return conflict;
}

// One more beside earlier ones of the same launch.
void RaceDetector::join(Touches& touches, const Toucher& access) {
  const unsigned warp = access.thread / kLanes, lane = access.thread % kLanes;
  Touches alone{time_, 1u << lane, access.site, std::uint8_t(warp), false, false, touches.other_blocks};
  if (touches.time < block_start_) {
    alone.other_blocks = true;
  } else if (touches.time >= interval_start_) {
    alone.other_warps = touches.other_warps || touches.warp != warp;
    const WarpClock& clock = warps_[warp];
    const bool together = touches.warp == warp && !touches.apart && touches.site == access.site;
    if (together && clock.last <= touches.time) {  // only others have met
      alone.lanes |= touches.lanes;
    } else if (touches.warp == warp && (touches.apart || touches.time >= clock.all_met)) {
      ApartLanes all = apart_lanes(touches);
      // Where the new one comes after an earlier one, what races with that one races with the new one, too.
      all.lanes = unordered_lanes(all, warp, lane) | 1u << lane;
      if (all.lanes != alone.lanes) {
        all.time[lane] = time_;
        all.site[lane] = access.site;
        alone.apart = true;
        alone.lanes = std::uint32_t(apart_.size());
        if (touches.apart && all.owner == &touches) {
          alone.lanes = touches.lanes;
          apart_[alone.lanes] = all;
        } else {
          all.owner = &touches;
          apart_.push_back(all);
        }
      }
    }
  }
  touches = alone;
}

}  // namespace simt::trace
