/// \file
/// From threads' accesses to warps' instructions.
#include "common/simt/trace/sites.hpp"

#include <cstdio>
#include <cstdlib>
#include <limits>
#include <utility>

#include "common/simt/trace/banks.hpp"
#include "common/simt/trace/coalescing.hpp"

namespace simt::trace {
namespace {

constexpr std::uint32_t kCounted = std::numeric_limits<std::uint32_t>::max();  // in place of a slot

// The lanes that warp number `warp` has.
std::uint32_t all_lanes(std::size_t warp, std::size_t threads) {
  const std::size_t left = threads - warp * kLanes;
  return left >= kLanes ? 0xffffffffu : (1u << left) - 1u;
}

}  // namespace

Place& Places::insert(const void* pc) {
  if (++used_ * 2 > table_.size()) {
    std::vector<Place> old(table_.size() * 2);
    old.swap(table_);
    for (const Place& place : old) {
      if (place.pc == nullptr) continue;
      std::size_t i = slot_of(place.pc);
      while (table_[i].pc != nullptr) i = (i + 1) & (table_.size() - 1);
      table_[i] = place;
    }
  }
  std::size_t i = slot_of(pc);
  while (table_[i].pc != nullptr) i = (i + 1) & (table_.size() - 1);
  table_[i].pc = pc;
  return table_[i];
}

void Places::forget_allocations() {
  for (Place& place : table_) place.last_allocation = nullptr;
}

Site& Sites::get(Place& place, Space space, Operation operation, std::uint32_t bytes) {
  Site*& site = place.site[std::size_t(space)];
  if (site != nullptr) return *site;
  if (sites_.size() == std::numeric_limits<std::uint16_t>::max()) {
    std::fprintf(stderr, "simt: more than %zu places access memory\n", sites_.size());
    std::abort();
  }
  sites_.push_back(std::make_unique<Site>());
  site = sites_.back().get();
  site->pc = place.pc;
  site->number = std::uint16_t(sites_.size());
  site->space = space;
  site->operation = operation;
  site->bytes = bytes;
  return *site;
}

void Sites::block_begins(std::size_t threads) {
  threads_ = threads;
}

void Sites::start_using(Site& site) {
  site.used = true;
  site.executed.assign(threads_, 0);
  site.warps.resize((threads_ + kLanes - 1) / kLanes);
  in_block_.push_back(&site);
}

std::uint32_t Sites::take_slot(const Site& site) {
  if (free_slots_.empty()) {
    free_slots_.push_back(std::uint32_t(pool_.size()));
    pool_.emplace_back();
  }
  const std::uint32_t slot = free_slots_.back();
  free_slots_.pop_back();
  pool_[slot].lanes = 0;
  pool_[slot].bytes = site.bytes;
  return slot;
}

void Sites::count(Site& site, std::uint32_t slot) {
  site.counts += site.space == Space::kShared ? count_wavefronts(pool_[slot], site.operation)
                                              : count_sectors(pool_[slot]);
  free_slots_.push_back(slot);
}

void Sites::record(Site& site, std::uint32_t thread, std::uint64_t address) {
  if (!site.used) start_using(site);
  const std::size_t warp = thread / kLanes;
  Site::Unfinished& unfinished = site.warps[warp];
  const std::size_t i = unfinished.head + (site.executed[thread]++ - unfinished.first);
  if (i == unfinished.slots.size()) unfinished.slots.push_back(take_slot(site));
  std::uint32_t& slot = unfinished.slots[i];
  WarpAccess& access = pool_[slot];
  access.address[thread % kLanes] = address;
  access.lanes |= 1u << (thread % kLanes);
  if (access.lanes != all_lanes(warp, threads_)) return;

  count(site, slot);
  slot = kCounted;
  while (unfinished.head < unfinished.slots.size() && unfinished.slots[unfinished.head] == kCounted) {
    ++unfinished.head;
    ++unfinished.first;
  }
  if (unfinished.head == unfinished.slots.size()) {
    unfinished.slots.clear();
    unfinished.head = 0;
  }
}

void Sites::block_ends() {
  for (Site* site : in_block_) {
    for (Site::Unfinished& unfinished : site->warps) {
      for (std::size_t i = unfinished.head; i < unfinished.slots.size(); ++i) {
        if (unfinished.slots[i] != kCounted) count(*site, unfinished.slots[i]);
      }
      unfinished.first = 0;
      unfinished.head = 0;
      unfinished.slots.clear();
    }
    site->used = false;
  }
  in_block_.clear();
}

}  // namespace simt::trace
