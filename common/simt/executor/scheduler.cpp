/// \file
/// The loop that runs a block's threads, and the pool of fibers they wait on.
#include "common/simt/executor/scheduler.hpp"

#include <cstdarg>
#include <utility>

#include "common/simt/device/atomics.hpp"
#include "common/simt/simt.hpp"

// Part of the UndefinedBehaviorSanitizer's runtime; null in builds without it.
extern "C" [[gnu::weak]] void __ubsan_get_current_report_data(const char** kind, const char** message,
                                                              const char** file, unsigned* line,
                                                              unsigned* column, char** address);

namespace simt {
namespace {

std::vector<std::unique_ptr<Fiber>> all_fibers;
std::vector<Fiber*> idle_fibers;

void become(Thread& thread) {
  scheduler.thread = &thread;
  threadIdx = thread.index;
}

void leave_kernel(Block& block, Thread& thread) {
  thread.state = ThreadState::kDone;
  ++block.exited;
  Warp& warp = block.warps[thread.linear / kWarpSize];
  warp.gone |= 1u << (thread.linear % kWarpSize);
  if (warp.waiting != 0) check_warp_after_exit(block, thread);
  if (block.at_barrier > 0) complete_block_barrier(block);
}

// With threads both able to go on and not yet started, who is next? In order: those that can go on, which
// keeps few fibers in use. Seeded: either.
bool prefer_ready(const Block& block) {
  return !block.ready.empty() && (!scheduler.seeded || scheduler.random.coin());
}

// The life of every fiber: start threads one after the other, until one of them parks and takes the fiber
// with it.
void start_threads() {
  for (;;) {
    Block& block = *scheduler.block;
    const KernelCall& kernel = *block.launch.kernel;
    while (block.started < block.order.size() && !scheduler.failed) {
      Thread& thread = block.threads[block.order[block.started++]];
      thread.state = ThreadState::kRunning;
      become(thread);
      kernel.run_thread();
      leave_kernel(block, thread);
      if (prefer_ready(block)) break;
    }
    idle_fibers.push_back(Fiber::current());
    let_others_run();
  }
}

Fiber& idle_fiber() {
  if (idle_fibers.empty()) {
    all_fibers.push_back(std::make_unique<Fiber>());
    all_fibers.back()->restart(start_threads);
    return *all_fibers.back();
  }
  Fiber* fiber = idle_fibers.back();
  idle_fibers.pop_back();
  return *fiber;
}

// Nobody can run. Is that because everybody waits for something that cannot come?
void check_for_deadlock(const Block& block) {
  if (block.exited == block.threads.size()) return;
  const Thread* at_barrier = nullptr;
  const Thread* at_warp = nullptr;
  for (const Thread& thread : block.threads) {
    if (thread.state == ThreadState::kAtBlockBarrier && at_barrier == nullptr) at_barrier = &thread;
    if (thread.state == ThreadState::kAtWarpOperation && at_warp == nullptr) at_warp = &thread;
    if (thread.state == ThreadState::kAtGridDependency)
      return;  // goes on when the kernel before it has ended
  }
  if (at_barrier != nullptr && at_warp != nullptr) {
    fail("deadlock: %s waits at the block barrier %s and %s at the warp operation %s; nobody can go on",
         describe(*at_barrier).c_str(), describe(at_barrier->where).c_str(), describe(*at_warp).c_str(),
         describe(at_warp->where).c_str());
  } else if (at_warp != nullptr) {
    fail("deadlock: %s waits at the warp operation %s for lanes that do not come; nobody can go on",
         describe(*at_warp).c_str(), describe(at_warp->where).c_str());
  } else if (at_barrier != nullptr) {
    fail("deadlock: %s waits at the block barrier %s; nobody can go on", describe(*at_barrier).c_str(),
         describe(at_barrier->where).c_str());
  }
}

}  // namespace

ShortText describe(const Thread& thread) {
  return describe_thread(thread.index, scheduler.block->index);
}

void fail(const char* format, ...) {
  if (scheduler.failed) return;
  scheduler.failed = true;
  std::va_list values;
  va_start(values, format);
  print_report(format, values);
  va_end(values);
}

// The sanitizer calls this when it has found something. Inside a kernel that is a fault of the thread that
// runs. The thread goes on to the next place where it can be stopped, because the sanitizer holds a lock
// here.
extern "C" void __ubsan_on_report() {
  if (Fiber::current() == nullptr) return;
  const char *kind, *message, *file;
  unsigned line, column;
  char* address;
  __ubsan_get_current_report_data(&kind, &message, &file, &line, &column, &address);
  fail("%s at %s by %s", message, describe(Location{file, line}).c_str(),
       describe(*scheduler.thread).c_str());
}

void shuffle_ready(Block& block, std::size_t first) {
  if (scheduler.seeded) scheduler.random.shuffle(block.ready, first, block.ready.size());
}

// Whoever yields may be waiting for a thread that has not started. In order such a thread would not come up
// while another is ready, so that it is started here.
void yield_thread() {
  stop_if_failed();
  Block& block = *scheduler.block;
  make_ready(block, *scheduler.thread);
  if constexpr (kDirectSwitch) {
    if (!scheduler.seeded && scheduler.interruption == nullptr && block.started < block.order.size()) {
      scheduler.thread->fiber = Fiber::current();
      return Fiber::switch_to(idle_fiber());
    }
  }
  park();
}

// Only a thread that is here twice in a row yields, so that many threads with few atomics each keep their
// order.
void check_for_spinning() {
  static const Thread* last_thread = nullptr;
  static uint3 last_block{};
  atomics_since_check = 0;
  if (Fiber::current() == nullptr) return;
  const uint3 block = scheduler.block->index;
  const bool again = scheduler.thread != nullptr && scheduler.thread == last_thread &&
                     block.x == last_block.x && block.y == last_block.y && block.z == last_block.z;
  last_thread = scheduler.thread;
  last_block = block;
  if (again) yield_thread();
}

void trap(Location where) {
  fail("__trap() at %s by %s", describe(where).c_str(), describe(*scheduler.thread).c_str());
  Fiber::abandon();
}

void enter_block(Block& block) {
  scheduler.block = &block;
  blockIdx = block.index;
  blockDim = block.launch.block;
  gridDim = block.launch.grid;
}

Fiber* next_fiber(Block& block) {
  if (scheduler.failed || scheduler.interruption != nullptr) return nullptr;
  const bool may_start = block.started < block.order.size();
  if (prefer_ready(block) || (!may_start && !block.ready.empty())) {
    Thread& thread = *block.ready.pop();
    become(thread);
    return thread.fiber;
  }
  return may_start ? &idle_fiber() : nullptr;
}

void run_threads(Block& block) {
  while (!scheduler.failed) {
    if (scheduler.interruption != nullptr) std::exchange(scheduler.interruption, nullptr)();
    if (Fiber* next = next_fiber(block)) {
      next->resume();
    } else if (!scheduler.failed && !answer_active_mask(block)) {
      check_for_deadlock(block);
      return;
    }
  }
}

void discard_fibers() {
  idle_fibers.clear();
  for (const auto& fiber : all_fibers) {
    fiber->restart(start_threads);
    idle_fibers.push_back(fiber.get());
  }
}

}  // namespace simt
