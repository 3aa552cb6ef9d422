/// \file
/// Shuffles, votes, matches and reductions: the lanes of a mask meet, then each takes its share.
#include <bit>

#include "common/simt/device/warp.hpp"
#include "common/simt/executor/observer.hpp"
#include "common/simt/executor/scheduler.hpp"
#include "common/simt/simt.hpp"

namespace simt {
namespace {

using Operation = WarpOperation;

Thread& lane_of(Block& block, const Thread& thread, unsigned lane) {
  return block.threads[thread.linear / kWarpSize * kWarpSize + lane];
}

// Calls function(lane) for each lane of the mask, lowest first.
template <class Function>
void for_each_lane(unsigned mask, Function&& function) {
  for (; mask != 0; mask &= mask - 1) function(unsigned(std::countr_zero(mask)));
}

// May the lanes of `last`'s mask exchange values? They must have called the same function with the same mask.
// They may have called it at different lines: NVIDIA's programming guide shows a warp that shuffles in both
// branches of an `if` and calls it valid since Volta.
bool agree(Block& block, const Thread& last, unsigned participants) {
  for (unsigned rest = participants; rest != 0; rest &= rest - 1) {
    const Thread& other = lane_of(block, last, unsigned(std::countr_zero(rest)));
    if (other.mask == last.mask && other.operation == last.operation) continue;
    fail("warp divergence: %s at %s (mask 0x%08x) and %s at %s (mask 0x%08x) do not make the same call",
         describe(last).c_str(), describe(last.where).c_str(), last.mask, describe(other).c_str(),
         describe(other.where).c_str(), other.mask);
    return false;
  }
  return true;
}

std::uint64_t reduce(Operation operation, std::uint64_t a, std::uint64_t b) {
  const unsigned x = unsigned(a), y = unsigned(b);
  switch (operation) {
    case Operation::kReduceAdd:
      return x + y;
    case Operation::kReduceMin:
      return x < y ? x : y;
    case Operation::kReduceMax:
      return x > y ? x : y;
    case Operation::kReduceMinSigned:
      return int(x) < int(y) ? x : y;
    case Operation::kReduceMaxSigned:
      return int(x) > int(y) ? x : y;
    case Operation::kReduceAnd:
      return x & y;
    case Operation::kReduceOr:
      return x | y;
    default:
      return x ^ y;
  }
}

// Lanes of `participants` whose value is `value`.
unsigned lanes_with(Block& block, const Thread& last, unsigned participants, std::uint64_t value) {
  unsigned lanes = 0;
  for_each_lane(participants, [&](unsigned lane) {
    if (lane_of(block, last, lane).value == value) lanes |= 1u << lane;
  });
  return lanes;
}

void compute_shuffle(Block& block, const Thread& last, unsigned participants) {
  for_each_lane(participants, [&](unsigned lane) {
    Thread& reader = lane_of(block, last, lane);
    if (!(participants >> reader.source_lane & 1u)) {
      fail("bad shuffle: %s reads lane %u at %s, but that lane is not %s", describe(reader).c_str(),
           reader.source_lane, describe(reader.where).c_str(),
           last.mask >> reader.source_lane & 1u ? "there any more" : "in the mask");
      return;
    }
    reader.result = lane_of(block, last, reader.source_lane).value;
  });
}

// Everything but shuffles: all lanes receive the same result, except that a match depends on the lane's own
// value.
void compute_result(Block& block, const Thread& last, unsigned participants) {
  std::uint64_t result = 0;
  switch (last.operation) {
    case Operation::kSync:
      return;
    case Operation::kShuffle:
    case Operation::kShuffleUp:
    case Operation::kShuffleDown:
    case Operation::kShuffleXor:
      compute_shuffle(block, last, participants);
      return;
    case Operation::kMatchAny:
      for_each_lane(participants, [&](unsigned lane) {
        Thread& thread = lane_of(block, last, lane);
        thread.result = lanes_with(block, last, participants, thread.value);
      });
      return;
    case Operation::kBallot:
      result = participants & ~lanes_with(block, last, participants, 0);
      break;
    case Operation::kAny:
      result = lanes_with(block, last, participants, 0) != participants;
      break;
    case Operation::kAll:
      result = lanes_with(block, last, participants, 0) == 0;
      break;
    case Operation::kMatchAll:
      result = lanes_with(block, last, participants, last.value) == participants ? participants : 0;
      break;
    default: {
      result = last.value;
      for_each_lane(participants, [&](unsigned lane) {
        const Thread& other = lane_of(block, last, lane);
        if (&other != &last) result = reduce(last.operation, result, other.value);
      });
    }
  }
  for_each_lane(participants, [&](unsigned lane) { lane_of(block, last, lane).result = result; });
}

void report_missing_lane(Block& block, const Thread& thread, unsigned lane) {
  const bool exists = thread.linear / kWarpSize * kWarpSize + lane < block.threads.size();
  fail("bad mask: %s waits at %s for lane %u of its mask 0x%08x, %s", describe(thread).c_str(),
       describe(thread.where).c_str(), lane, thread.mask,
       exists ? "which has left the kernel" : "but its warp has no such lane");
}

}  // namespace

unsigned lane_index() {
  return scheduler.thread->linear % kWarpSize;
}

void report_bad_width(int width, Location where) {
  fail("bad shuffle: width %d at %s by %s; it must be a power of two from 1 to 32", width,
       describe(where).c_str(), describe(*scheduler.thread).c_str());
  Fiber::abandon();
}

void complete_warp_operation(Block& block, Thread& last) {
  Warp& warp = block.warps[last.linear / kWarpSize];
  if ((last.mask & ~(warp.waiting | warp.gone)) != 0) return;  // somebody is still on the way
  const unsigned missing = last.mask & warp.gone;
  if (missing != 0 && !options().allow_early_exit) {
    return report_missing_lane(block, last, unsigned(std::countr_zero(missing)));
  }
  const unsigned participants = last.mask & warp.waiting;
  if (!agree(block, last, participants)) return;
  if (observer != nullptr) observer->warp_met(last.linear / kWarpSize, participants);
  compute_result(block, last, participants);
  const std::size_t first = block.ready.size();
  for_each_lane(participants, [&](unsigned lane) { make_ready(block, lane_of(block, last, lane)); });
  warp.waiting &= ~participants;
  shuffle_ready(block, first);
}

void check_warp_after_exit(Block& block, const Thread& thread) {
  const unsigned lane = thread.linear % kWarpSize;
  for (unsigned rest = block.warps[thread.linear / kWarpSize].waiting; rest != 0; rest &= rest - 1) {
    Thread& other = lane_of(block, thread, unsigned(std::countr_zero(rest)));
    if (!(other.mask >> lane & 1u)) continue;
    if (!options().allow_early_exit) return report_missing_lane(block, other, lane);
    return complete_warp_operation(block, other);
  }
}

std::uint64_t exchange_in_warp(unsigned mask, WarpOperation operation, std::uint64_t value,
                               unsigned source_lane, Location where) {
  stop_if_failed();
  Block& block = *scheduler.block;
  Thread& thread = *scheduler.thread;
  const unsigned lane = thread.linear % kWarpSize;
  if (!(mask >> lane & 1u)) {
    fail("bad mask: %s is lane %u and calls a warp operation at %s with the mask 0x%08x, which leaves it out",
         describe(thread).c_str(), lane, describe(where).c_str(), mask);
    stop_if_failed();
  }
  thread.state = ThreadState::kAtWarpOperation;
  thread.mask = mask;
  thread.operation = operation;
  thread.value = value;
  thread.source_lane = static_cast<unsigned char>(source_lane % kWarpSize);
  thread.where = where;
  block.warps[thread.linear / kWarpSize].waiting |= 1u << lane;
  complete_warp_operation(block, thread);
  stop_if_failed();
  park();
  return scheduler.thread->result;
}

unsigned active_lanes(Location where) {
  stop_if_failed();
  Thread& thread = *scheduler.thread;
  thread.state = ThreadState::kAtActiveMask;
  thread.where = where;
  park();
  return unsigned(scheduler.thread->result);
}

// Called when nothing else can run: every lane that could still come to the same place has. A GPU would
// usually find these lanes active. CUDA does not promise that it will, so that a seed may find fewer.
bool answer_active_mask(Block& block) {
  Thread* first = nullptr;
  for (Thread& thread : block.threads) {
    if (thread.state != ThreadState::kAtActiveMask) continue;
    first = &thread;
    break;
  }
  if (first == nullptr) return false;
  unsigned lanes = 0;
  const bool split = scheduler.seeded && scheduler.random.coin();
  for (unsigned lane = first->linear % kWarpSize; lane < kWarpSize; ++lane) {
    if (first->linear / kWarpSize * kWarpSize + lane >= block.threads.size()) break;
    const Thread& other = lane_of(block, *first, lane);
    if (other.state != ThreadState::kAtActiveMask || other.where.line != first->where.line) continue;
    if (&other == first || !split || scheduler.random.coin()) lanes |= 1u << lane;
  }
  const std::size_t position = block.ready.size();
  for_each_lane(lanes, [&](unsigned lane) {
    Thread& thread = lane_of(block, *first, lane);
    thread.result = lanes;
    make_ready(block, thread);
  });
  shuffle_ready(block, position);
  return true;
}

}  // namespace simt
