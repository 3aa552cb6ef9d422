/// \file
/// The places of the program that access memory, and the warps' accesses put together from those of single
/// threads.
///
/// Threads run one after the other, so that a warp's instruction never happens as one. It is put together
/// afterwards: what the lanes of a warp do at the same place of the program, each for the n-th time in this
/// block, counts as one instruction. That is what a GPU does as long as lanes that part ways meet again
/// before the next access.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "common/simt/trace/warp_access.hpp"

namespace simt::trace {

struct Allocation;

/// A place that accesses one kind of memory.
struct Site {
  const void* pc = nullptr;  // behind the access
  std::uint16_t number = 0;  // from 1 on
  Space space = Space::kGlobal;
  Operation operation = Operation::kLoad;
  std::uint32_t bytes = 0;  // of each lane
  Counts counts;            // of the launch that runs

  // Of the block that runs:
  bool used = false;
  std::vector<std::uint32_t> executed;  // how often, for each thread

  /// The instructions of one warp that some lanes have not come to yet: numbers first, first + 1, ...
  struct Unfinished {
    std::uint32_t first = 0;
    std::size_t head = 0;              // of `slots`; what lies before has been counted
    std::vector<std::uint32_t> slots;  // in the pool
  };
  std::vector<Unfinished> warps;
};

/// A place of the program: at most one site for each kind of memory.
struct Place {
  const void* pc = nullptr;
  Site* site[2] = {};
  const Allocation* last_allocation = nullptr;  // that it has accessed: most likely the next one too
};

/// Finds places by their address: a table with open addressing.
class Places {
 public:
  Places() : table_(1024) {}
  Place& at(const void* pc) {
    std::size_t i = slot_of(pc);
    while (table_[i].pc != pc) {
      if (table_[i].pc == nullptr) return insert(pc);
      i = (i + 1) & (table_.size() - 1);
    }
    return table_[i];
  }
  void forget_allocations();

 private:
  std::size_t slot_of(const void* pc) const {
    return (reinterpret_cast<std::size_t>(pc) * 0x9e3779b97f4a7c15u >> 40) & (table_.size() - 1);
  }
  Place& insert(const void* pc);

  std::vector<Place> table_;
  std::size_t used_ = 0;
};

/// All sites, and the accesses of the block that runs.
class Sites {
 public:
  Site& get(Place& place, Space space, Operation operation, std::uint32_t bytes);
  const Site& operator[](std::uint16_t number) const { return *sites_[number - 1u]; }

  void block_begins(std::size_t threads);
  /// One thread's access. `address` is an offset in shared memory.
  void record(Site& site, std::uint32_t thread, std::uint64_t address);
  /// Counts what is left: instructions that only some lanes of their warp have executed.
  void block_ends();
  /// Hands the counts of the launch to function(site) and forgets them.
  template <class Function>
  void launch_ends(Function&& function) {
    for (const auto& site : sites_) {
      if (site->counts.requests == 0) continue;
      function(static_cast<const Site&>(*site));
      site->counts = {};
    }
  }

 private:
  void start_using(Site& site);
  std::uint32_t take_slot(const Site& site);
  void count(Site& site, std::uint32_t slot);

  std::vector<std::unique_ptr<Site>> sites_;
  std::vector<Site*> in_block_;
  std::vector<WarpAccess> pool_;
  std::vector<std::uint32_t> free_slots_;
  std::size_t threads_ = 0;
};

}  // namespace simt::trace
