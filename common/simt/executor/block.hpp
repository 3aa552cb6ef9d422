/// \file
/// The state of a launch, of a block of threads, and of each thread in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "common/simt/device/barriers.hpp"
#include "common/simt/device/location.hpp"
#include "common/simt/device/vector_types.hpp"
#include "common/simt/device/warp.hpp"
#include "common/simt/executor/fiber.hpp"
#include "common/simt/executor/kernel_call.hpp"
#include "common/simt/executor/random.hpp"
#include "common/simt/executor/shared_memory.hpp"

namespace simt {

inline constexpr unsigned kWarpSize = 32;

enum class ThreadState : unsigned char {
  kRunning,  // now, or as soon as its turn comes
  kAtBlockBarrier,
  kAtWarpOperation,
  kAtActiveMask,      // asks which lanes are active
  kAtGridDependency,  // of a kernel that started early: waits for the kernel before it
  kDone,
};

struct Thread {
  uint3 index{};        // threadIdx
  unsigned linear = 0;  // position in the block; its warp is linear / 32
  ThreadState state = ThreadState::kDone;
  BarrierVote vote = BarrierVote::kNone;
  WarpOperation operation = WarpOperation::kSync;
  unsigned char source_lane = 0;
  unsigned mask = 0;         // lanes that take part in the warp operation it waits at
  std::uint64_t value = 0;   // what it brings to the operation or barrier
  std::uint64_t result = 0;  // what it takes away
  Location where;            // where it waits
  Fiber* fiber = nullptr;    // its stack, once it has had to wait
};

struct Warp {
  unsigned waiting = 0;  // lanes at a warp operation
  unsigned gone = 0;     // lanes that have left the kernel, or that the warp does not have
};

/// Threads that may go on, in the order in which they became able to. A thread is in it at most once.
class ReadyQueue {
 public:
  explicit ReadyQueue(std::size_t capacity) : ring_(capacity) {}
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  void push(Thread* thread) { (*this)[size_++] = thread; }
  Thread* pop() {
    Thread* thread = ring_[head_];
    if (++head_ == ring_.size()) head_ = 0;
    --size_;
    return thread;
  }
  void clear() { head_ = size_ = 0; }
  Thread*& operator[](std::size_t i) {
    std::size_t slot = head_ + i;
    if (slot >= ring_.size()) slot -= ring_.size();
    return ring_[slot];
  }

 private:
  std::vector<Thread*> ring_;
  std::size_t head_ = 0, size_ = 0;
};

struct Block {
  explicit Block(const Launch& launch);
  /// Makes this the block with number `linear` of its grid, before its first thread runs.
  void begin(std::uint64_t linear);

  const Launch& launch;
  uint3 index{};  // blockIdx
  std::vector<Thread> threads;
  std::vector<unsigned> order;  // in which the threads start
  std::size_t started = 0;      // how many of them have
  ReadyQueue ready;
  std::vector<Warp> warps;
  unsigned exited = 0;
  unsigned at_barrier = 0;
  bool triggered = false;  // has called cudaTriggerProgrammaticLaunchCompletion()
  DynamicSharedMemory dynamic_shared;
};

}  // namespace simt
