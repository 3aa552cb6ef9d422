/// \file
/// Operations among the 32 lanes of a warp: shuffles, votes, matches, reductions.
#pragma once

#include <cstdint>
#include <cstring>

#include "common/simt/device/location.hpp"
#include "common/simt/device/thread_index.hpp"

namespace simt {

enum class WarpOperation : unsigned char {
  kSync,
  kShuffle,
  kShuffleUp,
  kShuffleDown,
  kShuffleXor,
  kBallot,
  kAny,
  kAll,
  kMatchAny,
  kMatchAll,
  kReduceAdd,
  kReduceMin,
  kReduceMax,
  kReduceMinSigned,
  kReduceMaxSigned,
  kReduceAnd,
  kReduceOr,
  kReduceXor,
};

/// Parks the calling thread until every lane in `mask` has made the same call; returns its share of the
/// result.
std::uint64_t exchange_in_warp(unsigned mask, WarpOperation operation, std::uint64_t value,
                               unsigned source_lane, Location where);
unsigned active_lanes(Location where);
/// Position of the calling thread in its warp, 0...31.
unsigned lane_index();
/// Reports a shuffle whose segments cannot be, and gives up on the grid.
[[noreturn]] void report_bad_width(int width, Location where);

template <class T>
std::uint64_t to_bits(T value) {
  static_assert(sizeof(T) <= 8, "a warp operation moves at most 8 bytes");
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

/// The last position in a segment of `width` lanes, which is also the mask of a position.
inline unsigned last_in_segment(int width, Location where) {
  if (width < 1 || width > warpSize || (width & (width - 1)) != 0) report_bad_width(width, where);
  return unsigned(width) - 1;
}

template <class T>
T shuffle(unsigned mask, WarpOperation operation, T value, unsigned source_lane, Location where) {
  const std::uint64_t bits = exchange_in_warp(mask, operation, to_bits(value), source_lane, where);
  std::memcpy(static_cast<void*>(&value), &bits, sizeof value);
  return value;
}

}  // namespace simt

inline void __syncwarp(unsigned mask = 0xffffffffu, simt::Location where = simt::Location::current()) {
  simt::exchange_in_warp(mask, simt::WarpOperation::kSync, 0, 0, where);
}
inline unsigned __activemask(simt::Location where = simt::Location::current()) {
  return simt::active_lanes(where);
}

// A lane number or distance counts modulo 32. `width` (a power of two) cuts the warp into segments; a lane
// whose source lies outside its segment reads itself.
template <class T>
T __shfl_sync(unsigned mask, T value, int source, int width = warpSize,
              simt::Location where = simt::Location::current()) {
  const unsigned lane = simt::lane_index(), within = simt::last_in_segment(width, where);
  return simt::shuffle(mask, simt::WarpOperation::kShuffle, value,
                       (lane & ~within) | (unsigned(source) & within), where);
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = warpSize,
                 simt::Location where = simt::Location::current()) {
  const unsigned lane = simt::lane_index(), within = simt::last_in_segment(width, where);
  return simt::shuffle(mask, simt::WarpOperation::kShuffleUp, value,
                       (lane & within) < (delta & 31u) ? lane : lane - (delta & 31u), where);
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = warpSize,
                   simt::Location where = simt::Location::current()) {
  const unsigned lane = simt::lane_index(), within = simt::last_in_segment(width, where);
  return simt::shuffle(mask, simt::WarpOperation::kShuffleDown, value,
                       (delta & 31u) > within - (lane & within) ? lane : lane + (delta & 31u), where);
}
// Unlike the others this one may read an earlier segment, only not a later one.
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = warpSize,
                  simt::Location where = simt::Location::current()) {
  const unsigned lane = simt::lane_index(), within = simt::last_in_segment(width, where);
  const unsigned source = (lane ^ unsigned(lane_mask)) & 31u;
  return simt::shuffle(mask, simt::WarpOperation::kShuffleXor, value,
                       source > (lane | within) ? lane : source, where);
}

inline unsigned __ballot_sync(unsigned mask, int predicate,
                              simt::Location where = simt::Location::current()) {
  return unsigned(simt::exchange_in_warp(mask, simt::WarpOperation::kBallot, predicate != 0, 0, where));
}
inline int __any_sync(unsigned mask, int predicate, simt::Location where = simt::Location::current()) {
  return int(simt::exchange_in_warp(mask, simt::WarpOperation::kAny, predicate != 0, 0, where));
}
inline int __all_sync(unsigned mask, int predicate, simt::Location where = simt::Location::current()) {
  return int(simt::exchange_in_warp(mask, simt::WarpOperation::kAll, predicate != 0, 0, where));
}

template <class T>
unsigned __match_any_sync(unsigned mask, T value, simt::Location where = simt::Location::current()) {
  return unsigned(
      simt::exchange_in_warp(mask, simt::WarpOperation::kMatchAny, simt::to_bits(value), 0, where));
}
template <class T>
unsigned __match_all_sync(unsigned mask, T value, int* all_match,
                          simt::Location where = simt::Location::current()) {
  const unsigned lanes =
      unsigned(simt::exchange_in_warp(mask, simt::WarpOperation::kMatchAll, simt::to_bits(value), 0, where));
  *all_match = lanes != 0;
  return lanes;
}

#define SIMT_WARP_REDUCTION(name, T, operation)                                                             \
  inline T name(unsigned mask, T value, simt::Location where = simt::Location::current()) {                 \
    return T(simt::exchange_in_warp(mask, simt::WarpOperation::operation, simt::to_bits(value), 0, where)); \
  }
SIMT_WARP_REDUCTION(__reduce_add_sync, unsigned, kReduceAdd)
SIMT_WARP_REDUCTION(__reduce_add_sync, int, kReduceAdd)
SIMT_WARP_REDUCTION(__reduce_min_sync, unsigned, kReduceMin)
SIMT_WARP_REDUCTION(__reduce_min_sync, int, kReduceMinSigned)
SIMT_WARP_REDUCTION(__reduce_max_sync, unsigned, kReduceMax)
SIMT_WARP_REDUCTION(__reduce_max_sync, int, kReduceMaxSigned)
SIMT_WARP_REDUCTION(__reduce_and_sync, unsigned, kReduceAnd)
SIMT_WARP_REDUCTION(__reduce_or_sync, unsigned, kReduceOr)
SIMT_WARP_REDUCTION(__reduce_xor_sync, unsigned, kReduceXor)
#undef SIMT_WARP_REDUCTION
