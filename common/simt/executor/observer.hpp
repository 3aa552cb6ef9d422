/// \file
/// What a tool that watches kernels is told. The executor and the runtime call it where threads meet, where
/// blocks begin and end, and where the host touches device memory; never once per thread, so that without an
/// observer they lose nothing that can be measured (bench_simt).
#pragma once

#include <cstddef>

namespace simt {

struct Block;
struct Launch;

class Observer {
 public:
  virtual ~Observer() = default;

  /// New device memory. `written`: the host may write it without a call (pinned and managed memory).
  virtual void allocated(const void* memory, std::size_t bytes, bool written) = 0;
  virtual void released(const void* memory) = 0;
  /// The host has filled these bytes. Also called for a copy whose target is not device memory.
  virtual void filled(const void* memory, std::size_t bytes) = 0;
  virtual void copied(const void* to, const void* from, std::size_t bytes) = 0;

  /// `has_early_successor`: the launch behind this one may start before this one has ended.
  virtual void launch_begins(const Launch& launch, bool has_early_successor) = 0;
  virtual void launch_ends() = 0;
  virtual void block_begins(const Block& block) = 0;
  virtual void block_ends() = 0;
  /// All threads of the block have come to a barrier.
  virtual void block_met() = 0;
  /// These lanes of a warp have met in a warp operation.
  virtual void warp_met(unsigned warp, unsigned lanes) = 0;
  /// The running thread calls cudaGridDependencySynchronize() or cudaTriggerProgrammaticLaunchCompletion().
  virtual void awaits_dependency() = 0;
  virtual void triggers_dependents() = 0;
  /// The running thread has crashed, and the program is about to end. Called in the signal's handler.
  virtual void crashed() = 0;
};

/// The tool in force, if any. While there is one, launches do not overlap: it judges overlapping launches by
/// what they access, whatever the order.
inline Observer* observer = nullptr;

}  // namespace simt
