/// \file
/// Where accesses go, and what the executor tells about launches and blocks.
#include "common/simt/trace/recorder.hpp"

#include <algorithm>
#include <bit>
#include <span>

#include "common/simt/executor/guarded_memory.hpp"
#include "common/simt/executor/scheduler.hpp"
#include "common/simt/runtime/device_memory.hpp"

namespace simt::trace {

void Recorder::allocated(const void* memory, std::size_t bytes, bool written) {
  memory_.add(static_cast<const char*>(memory), bytes, written);
}

void Recorder::released(const void* memory) {
  places_.forget_allocations();
  memory_.remove(static_cast<const char*>(memory));
}

void Recorder::filled(const void* memory, std::size_t bytes) {
  memory_.filled(static_cast<const char*>(memory), bytes);
}

void Recorder::copied(const void* to, const void* from, std::size_t bytes) {
  memory_.copied(static_cast<const char*>(to), static_cast<const char*>(from), bytes);
}

void Recorder::launch_begins(const Launch& launch, bool has_early_successor) {
  launch_ = &launch;
  arguments_ = reinterpret_cast<const char*>(launch.kernel.get());
  argument_bytes_ = launch.kernel->size();
  races_.launch_begins();
  chain_.launch_begins(has_early_successor);
  block_left_without_waiting_ = false;
  const std::span<const char> shared = static_shared_memory();
  static_shared_ = shared.data();
  static_bytes_ = shared.size();
  dynamic_offset_ = round_up(static_bytes_, kDynamicSharedAlignment);
  const std::size_t bytes = dynamic_offset_ + launch.shared_bytes;
  if (shared_.bytes() < bytes) shared_ = Shadow(bytes);
}

void Recorder::launch_ends() {
  listening_ = false;
  chain_.launch_ends(block_left_without_waiting_);
  LaunchRecord record{label_,         launch_->kernel->function(), launch_->grid,
                      launch_->block, launch_->shared_bytes,       {}};
  sites_.launch_ends([&](const Site& site) {
    record.rows.push_back({site.pc, site.space, site.operation, site.bytes, site.counts});
  });
  if (!label_.empty()) launches_.push_back(std::move(record));
  launch_ = nullptr;
}

void Recorder::block_begins(const Block& block) {
  races_.block_begins(unsigned(block.warps.size()));
  sites_.block_begins(block.threads.size());
  dynamic_shared_ = static_cast<const char*>(block.dynamic_shared.data());
  dynamic_bytes_ = block.dynamic_shared.size();
  if (chain_.active()) has_waited_.assign(block.threads.size(), false);
  block_has_waited_ = false;
  listening_ = true;
}

void Recorder::block_ends() {
  listening_ = false;
  sites_.block_ends();
  if (!block_has_waited_) block_left_without_waiting_ = true;
}

// What one thread has waited for, all have behind a barrier.
void Recorder::block_met() {
  races_.block_met();
  if (block_has_waited_ && chain_.active()) has_waited_.assign(has_waited_.size(), true);
}

// What one thread has waited for, all that it meets have waited for.
void Recorder::warp_met(unsigned warp, unsigned lanes) {
  races_.warp_met(warp, lanes);
  if (!block_has_waited_ || !chain_.active()) return;
  const auto for_each_lane = [&](auto&& function) {
    for (unsigned rest = lanes; rest != 0; rest &= rest - 1) {
      function(warp * kLanes + unsigned(std::countr_zero(rest)));
    }
  };
  bool any = false;
  for_each_lane([&](unsigned thread) { any = any || has_waited_[thread]; });
  if (any) for_each_lane([&](unsigned thread) { has_waited_[thread] = true; });
}

void Recorder::awaits_dependency() {
  block_has_waited_ = true;
  if (!chain_.active()) return;
  has_waited_[scheduler.thread->linear] = true;
  chain_.waited();
}

void Recorder::triggers_dependents() {
  if (chain_.active() && !has_waited_[scheduler.thread->linear]) chain_.triggered_without_waiting();
}

void Recorder::crashed() {
  listening_ = false;
  print_report("The trace ends here: the kernel has crashed.");
}

// As a GPU makes the copy of a struct: in the largest pieces that divide it. Where the size is known only at
// run time nvcc's code differs, so that these counts are a guess (docs/trace.md); what is wrong is found all
// the same.
void Recorder::library_access(const void* address, std::size_t bytes, Operation operation, const void* pc) {
  if (!listening_ || bytes == 0) return;
  const char* first = static_cast<const char*>(address);
  const bool shared = std::size_t(first - static_shared_) < static_bytes_ ||
                      std::size_t(first - dynamic_shared_) < dynamic_bytes_;
  if (shared || (!on_stack(first) && memory_.find(first) != nullptr)) {
    access_in_pieces(first, bytes, operation, pc);
  }
}

void Recorder::access_in_pieces(const char* address, std::size_t bytes, Operation operation, const void* pc) {
  constexpr std::size_t kLargest = 16;
  const std::size_t piece = std::min(bytes & (~bytes + 1), kLargest);  // a power of two
  for (std::size_t i = 0; i < bytes; i += piece) access(address + i, std::uint32_t(piece), operation, pc);
}

void Recorder::judge(const char* address, std::uint32_t bytes, Operation operation, const void* pc) {
  if (std::size_t(address - arguments_) < argument_bytes_) return;
  Place& place = places_.at(pc);
  if (const auto offset = std::size_t(address - static_shared_); offset < static_bytes_) {
    access_shared(place, offset, bytes, operation);
  } else if (const auto further = std::size_t(address - dynamic_shared_); further < dynamic_bytes_) {
    access_shared(place, dynamic_offset_ + further, bytes, operation);
  } else if (find_allocation(place, address)) {
    access_global(place, address, bytes, operation);
  } else {
    access_elsewhere(place, address, bytes, operation);
  }
}

// A place keeps to one array as a rule.
bool Recorder::find_allocation(Place& place, const char* address) {
  if (place.last_allocation != nullptr && place.last_allocation->holds(address, 1)) {
    allocation_ = const_cast<Allocation*>(place.last_allocation);
    return true;
  }
  allocation_ = memory_.find(address);
  if (allocation_ == nullptr) {  // there before the tracer was: nobody knows who has written it
    const std::span<const char> known = allocation_at(address);
    if (known.empty()) return false;
    memory_.add(known.data(), known.size(), true);
    allocation_ = memory_.find(address);
  }
  place.last_allocation = allocation_;
  return true;
}

void Recorder::access_shared(Place& place, std::size_t offset, std::uint32_t bytes, Operation operation) {
  if (bytes == 1 && offset < static_bytes_ && guards_.holds(offset)) return;
  Site& site = sites_.get(place, Space::kShared, operation, bytes);
  const auto thread = std::uint16_t(scheduler.thread->linear);
  const std::size_t end = offset < static_bytes_ ? static_bytes_ : dynamic_offset_ + dynamic_bytes_;
  if (bytes > end - offset) {
    report_out_of_bounds(place.pc, true, bytes, operation, "across the end of the block's shared memory");
    return;
  }
  bool written = true;
  Conflict conflict;
  for (Cell& cell : shared_.cells(offset, bytes)) {
    written = written && races_.written_by_block(cell);
    const Conflict found = races_.touch_shared(cell, {thread, site.number, operation});
    if (!conflict) conflict = found;
  }
  if (!written && operation != Operation::kStore) report_uninitialised(site, offset);
  if (conflict) report_race(site, conflict);
  sites_.record(site, thread, offset);
}

void Recorder::access_global(Place& place, const char* address, std::uint32_t bytes, Operation operation) {
  Allocation& allocation = *allocation_;
  if (!allocation.holds(address, bytes)) {
    report_out_of_bounds(place.pc, false, bytes, operation, memory_.place_of(address + bytes - 1));
    return;
  }
  Site& site = sites_.get(place, Space::kGlobal, operation, bytes);
  const auto thread = std::uint16_t(scheduler.thread->linear);
  const auto offset = std::size_t(address - allocation.begin);
  const bool uninitialised = operation != Operation::kStore && allocation.uninitialised(offset, bytes);
  Conflict conflict;
  for (Cell& cell : allocation.shadow.cells(offset, bytes)) {
    const Conflict found = races_.touch_global(cell, {thread, site.number, operation});
    if (!conflict) conflict = found;
  }
  if (uninitialised) report_uninitialised(site, offset);
  if (conflict) report_race(site, conflict);
  if (chain_.active()) {
    const ChainConflict early = chain_.touch(allocation.number, allocation.bytes, offset, bytes, operation,
                                             site.number, has_waited_[thread]);
    if (early) report_chain(site, early);
  }
  sites_.record(site, thread, reinterpret_cast<std::uint64_t>(address));
}

// Neither shared nor device memory: a stray pointer.
void Recorder::access_elsewhere(const Place& place, const char* address, std::uint32_t bytes,
                                Operation operation) {
  constexpr std::size_t kNear = 4096;
  const bool cannot_go_on = !can_be_touched(address);
  const char* end = dynamic_shared_ + dynamic_bytes_;
  if (dynamic_bytes_ > 0 &&
      (std::size_t(address - end) < kNear || std::size_t(dynamic_shared_ - address) <= kNear)) {
    return report_out_of_bounds(
        place.pc, true, bytes, operation,
        "outside the block's " + std::to_string(dynamic_bytes_) + " bytes of dynamic shared memory",
        cannot_go_on);
  }
  // What the C library needs to go on lies directly behind the __shared__ variables.
  if (std::size_t(address - (static_shared_ + static_bytes_)) < kNear) {
    return report_out_of_bounds(place.pc, true, bytes, operation,
                                "behind the end of the __shared__ variables", operation != Operation::kLoad);
  }
  report_out_of_bounds(place.pc, false, bytes, operation, memory_.place_of(address), cannot_go_on);
}

}  // namespace simt::trace
