/// \file
/// Which thread runs next. Threads run one at a time. A thread that has to wait is parked on its fiber; when
/// nobody waits, a block is a plain loop over its threads.
#pragma once

#include "common/simt/device/thread_index.hpp"
#include "common/simt/executor/block.hpp"
#include "common/simt/executor/report.hpp"

namespace simt {

/// What is running now. One OS thread runs everything, so that there is one of each.
struct Scheduler {
  Block* block = nullptr;
  Thread* thread = nullptr;
  bool seeded = false;  // the order is random: options().seed, when the grid began
  bool failed = false;  // a fault was reported: nothing of this grid runs any more
  Random random;
  void (*interruption)() = nullptr;  // run once on the scheduler's stack before the next thread
};
inline Scheduler scheduler;

/// Runs the block from where it is until all threads are done, wait for the kernel before them, or a fault is
/// found.
void run_threads(Block& block);
/// Makes `block` the one whose indices kernels see.
void enter_block(Block& block);
/// Drops every fiber's frames, after a fault.
void discard_fibers();

// For the functions in which threads meet.

/// Makes `thread` runnable again.
inline void make_ready(Block& block, Thread& thread) {
  thread.state = ThreadState::kRunning;
  block.ready.push(&thread);
}
/// In seeded runs, mixes the threads made ready since the queue had `first` of them.
void shuffle_ready(Block& block, std::size_t first);
/// The fiber to go on with, its thread already made the running one; null if the scheduler has to decide.
Fiber* next_fiber(Block& block);
/// For code on a fiber whose thread cannot go on now (or is done): lets others run until it is resumed.
inline void let_others_run() {
  if constexpr (kDirectSwitch) {
    Fiber* next = next_fiber(*scheduler.block);
    if (next == Fiber::current()) return;
    if (next != nullptr) return Fiber::switch_to(*next);
  }
  Fiber::suspend();
}
/// Parks the running thread until it is made ready and its turn comes.
inline void park() {
  scheduler.thread->fiber = Fiber::current();
  let_others_run();
}
/// For code on a fiber: ends the grid after a fault, if there was one.
inline void stop_if_failed() {
  if (scheduler.failed) Fiber::abandon();
}

/// Reports a fault, unless the grid has one already, and lets the grid stop: now, if the caller is on a fiber
/// and calls stop_if_failed() next.
[[gnu::format(printf, 1, 2)]] void fail(const char* format, ...);
/// "thread (5,0,0) of block (1,0,0)", for a thread of the block that runs.
ShortText describe(const Thread& thread);

/// If all lanes named by the last one to come are here, completes the warp operation.
void complete_warp_operation(Block& block, Thread& last);
/// If all threads of the block wait at one barrier, opens it.
void complete_block_barrier(Block& block);
/// `thread` left the kernel: does anybody wait for it in vain?
void check_warp_after_exit(Block& block, const Thread& thread);
/// Lets one group of threads that asked for the active mask go on; false if there is none.
bool answer_active_mask(Block& block);

}  // namespace simt
