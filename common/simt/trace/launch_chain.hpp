/// \file
/// Kernels that may overlap through programmatic dependent launch. A kernel of such a chain may start before
/// the one ahead of it has ended, so that the order in which the executor runs them proves nothing: what
/// each accesses is remembered and compared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "common/simt/trace/warp_access.hpp"

namespace simt::trace {

/// An access of an earlier kernel that may still be running.
struct ChainConflict {
  bool wrote = false;
  std::uint16_t site = 0;      // 0: there is none
  unsigned kernels_ahead = 0;  // 1: the kernel directly ahead
  explicit operator bool() const { return site != 0; }
};

class LaunchChain {
 public:
  /// `has_early_successor`: the launch behind this one may start before it has ended. Unless that was said
  /// of the launch before, this one is ordered after all before it and begins a new chain.
  void launch_begins(bool has_early_successor);
  void launch_ends(bool block_left_without_waiting);
  /// Is there anything to remember or to compare?
  bool active() const { return recording_; }

  /// A thread of the running kernel has called cudaGridDependencySynchronize().
  void waited() { last().waits = true; }
  /// A thread has let the next kernel start without having waited itself.
  void triggered_without_waiting() { last().guards = false; }

  /// Compares an access with those of the kernels that may still run, and remembers it. Sites count from 1.
  ChainConflict touch(std::size_t allocation, std::size_t allocation_bytes, std::size_t offset,
                      std::size_t bytes, Operation operation, std::uint16_t site, bool has_waited);

 private:
  /// Who has accessed a byte, by operation.
  struct Sites {
    std::uint16_t of[3] = {};
  };
  struct Kernel {
    bool waits = false;  // some thread waits for the kernel ahead: when this one has ended, so has that one
    bool guards = true;  // every block waits before it lets the next kernel start
    std::vector<bool> ended_at_start;  // which kernels of the chain have ended when this one starts
    std::vector<bool> ended_at_end;    // ... and when this one has ended, itself included
    std::map<std::size_t, std::vector<Sites>> bytes;  // what it has accessed, by allocation
  };
  Kernel& last() { return kernels_.back(); }

  std::vector<Kernel> kernels_;
  std::vector<std::size_t> may_run_;  // the earlier ones that have not surely ended, the latest first
  bool recording_ = false;
  bool next_continues_ = false;  // the chain
};

}  // namespace simt::trace
