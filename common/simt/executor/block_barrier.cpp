/// \file
/// __syncthreads() and the barriers that also vote.
#include <cstring>

#include "common/simt/device/barriers.hpp"
#include "common/simt/executor/observer.hpp"
#include "common/simt/executor/scheduler.hpp"
#include "common/simt/simt.hpp"

namespace simt {
namespace {

bool same_place(const Location& a, const Location& b) {
  return a.line == b.line && (a.file == b.file || std::strcmp(a.file, b.file) == 0);
}

// All threads of a block must wait at the same barrier of the source; CUDA leaves anything else undefined.
bool agree_on_place(Block& block) {
  const Thread* first = nullptr;
  for (const Thread& thread : block.threads) {
    if (thread.state != ThreadState::kAtBlockBarrier) continue;
    if (first == nullptr) first = &thread;
    if (same_place(thread.where, first->where) && thread.vote == first->vote) continue;
    fail("barrier divergence: %s waits at %s but %s waits at %s", describe(*first).c_str(),
         describe(first->where).c_str(), describe(thread).c_str(), describe(thread.where).c_str());
    return false;
  }
  if (first != nullptr && block.exited > 0 && !options().allow_early_exit) {
    fail("barrier divergence: %u of %zu threads left the kernel before the barrier at %s, where %s waits",
         block.exited, block.threads.size(), describe(first->where).c_str(), describe(*first).c_str());
    return false;
  }
  return true;
}

}  // namespace

void complete_block_barrier(Block& block) {
  if (block.at_barrier + block.exited < block.threads.size()) return;
  if (!agree_on_place(block)) return;
  if (observer != nullptr) observer->block_met();
  unsigned votes = 0;
  const std::size_t first = block.ready.size();
  for (Thread& thread : block.threads) {
    if (thread.state != ThreadState::kAtBlockBarrier) continue;
    votes += thread.value != 0;
    make_ready(block, thread);
  }
  const unsigned voters = block.at_barrier;
  block.at_barrier = 0;
  for (std::size_t i = first; i < block.ready.size(); ++i) {
    Thread& thread = *block.ready[i];
    if (thread.vote == BarrierVote::kNone) break;
    thread.result = thread.vote == BarrierVote::kCount ? votes
                    : thread.vote == BarrierVote::kAnd ? votes == voters
                                                       : votes > 0;
  }
  shuffle_ready(block, first);
}

int wait_at_block_barrier(BarrierVote vote, bool predicate, Location where) {
  stop_if_failed();
  Block& block = *scheduler.block;
  Thread& thread = *scheduler.thread;
  thread.state = ThreadState::kAtBlockBarrier;
  thread.vote = vote;
  thread.value = predicate;
  thread.where = where;
  ++block.at_barrier;
  complete_block_barrier(block);
  stop_if_failed();
  park();
  return int(scheduler.thread->result);
}

}  // namespace simt
