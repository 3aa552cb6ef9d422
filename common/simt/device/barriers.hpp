/// \file
/// __syncthreads() and its relatives. Each remembers where it was called, so that a report can name the line.
#pragma once

#include "common/simt/device/location.hpp"

namespace simt {
/// What the barrier computes from the threads' predicates.
enum class BarrierVote : unsigned char { kNone, kCount, kAnd, kOr };

/// Parks the calling thread until every thread of its block is here.
int wait_at_block_barrier(BarrierVote vote, bool predicate, Location where);
/// Reports a kernel that ends itself and gives up on the grid.
[[noreturn]] void trap(Location where);
/// Lets other threads run.
void yield_thread();
}  // namespace simt

inline void __syncthreads(simt::Location where = simt::Location::current()) {
  simt::wait_at_block_barrier(simt::BarrierVote::kNone, false, where);
}
inline int __syncthreads_count(int predicate, simt::Location where = simt::Location::current()) {
  return simt::wait_at_block_barrier(simt::BarrierVote::kCount, predicate != 0, where);
}
inline int __syncthreads_and(int predicate, simt::Location where = simt::Location::current()) {
  return simt::wait_at_block_barrier(simt::BarrierVote::kAnd, predicate != 0, where);
}
inline int __syncthreads_or(int predicate, simt::Location where = simt::Location::current()) {
  return simt::wait_at_block_barrier(simt::BarrierVote::kOr, predicate != 0, where);
}

// Threads run one at a time and see each other's writes at once, so that a fence has nothing to do.
inline void __threadfence() {}
inline void __threadfence_block() {}
inline void __threadfence_system() {}

[[noreturn]] inline void __trap(simt::Location where = simt::Location::current()) {
  simt::trap(where);
}
/// A thread that waits in a loop must call this or an atomic: nothing else takes the processor away from it.
inline void __nanosleep(unsigned) {
  simt::yield_thread();
}
