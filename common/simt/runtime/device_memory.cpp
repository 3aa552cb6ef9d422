/// \file
/// Allocations, each between guard pages.
#include "common/simt/runtime/device_memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>

#include "common/simt/executor/guarded_memory.hpp"
#include "common/simt/executor/observer.hpp"
#include "common/simt/executor/sanitizer.hpp"

namespace simt {
namespace {

struct Allocation {
  std::size_t bytes;
  MemoryKind kind;
  bool release_enqueued = false;  // cudaFreeAsync() has been called, but has not run yet
};
using Allocations = std::map<const char*, Allocation, std::less<>>;

// cudaMalloc() promises 256; wider types than 16 bytes do not exist.
constexpr std::size_t kAlignment = 256;

// Never destroyed: a DeviceArray of static duration is freed after this file's statics would be gone.
Allocations& allocations() {
  static Allocations& map = *new Allocations;
  return map;
}
std::size_t bytes_in_use = 0;

Allocations::iterator find(const void* memory) {
  const char* address = static_cast<const char*>(memory);
  auto next = allocations().upper_bound(address);
  if (next == allocations().begin()) return allocations().end();
  const auto found = std::prev(next);
  const auto offset = std::size_t(address - found->first);
  return offset < std::max<std::size_t>(found->second.bytes, 1) ? found : allocations().end();
}

void for_each_device_allocation(void (*function)(const void*, std::size_t)) {
  if (!kAddressSanitizer) return;
  for (const auto& [address, allocation] : allocations()) {
    if (allocation.kind == MemoryKind::kDevice) function(address, allocation.bytes);
  }
}

}  // namespace

MemoryKind kind_of(const void* memory) {
  const auto found = find(memory);
  return found == allocations().end() ? MemoryKind::kHost : found->second.kind;
}

std::span<const char> allocation_at(const void* memory) {
  const auto found = find(memory);
  if (found == allocations().end()) return {};
  return {found->first, found->second.bytes};
}

bool inside_allocation(const void* memory, std::size_t bytes) {
  const auto found = find(memory);
  if (found == allocations().end()) return false;
  const auto offset = std::size_t(static_cast<const char*>(memory) - found->first);
  return bytes <= found->second.bytes - offset;
}

bool valid_copy(const void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  const auto on_device = [&](const void* memory) { return inside_allocation(memory, bytes); };
  // Pinned and managed memory are of both sides, but have to be long enough as well.
  const auto on_host = [&](const void* memory) {
    const MemoryKind memory_kind = kind_of(memory);
    return memory_kind == MemoryKind::kHost || (memory_kind != MemoryKind::kDevice && on_device(memory));
  };
  switch (kind) {
    case cudaMemcpyHostToHost:
      return on_host(to) && on_host(from);
    case cudaMemcpyHostToDevice:
      return on_device(to) && on_host(from);
    case cudaMemcpyDeviceToHost:
      return on_host(to) && on_device(from);
    case cudaMemcpyDeviceToDevice:
      return on_device(to) && on_device(from);
    case cudaMemcpyDefault:
      return (on_host(to) || on_device(to)) && (on_host(from) || on_device(from));
  }
  return false;
}

void* allocate(std::size_t bytes, MemoryKind kind) {
  if (bytes > device_bytes_free()) return nullptr;
  void* const memory = take_guarded(std::max<std::size_t>(bytes, 1), kAlignment);
  if (memory == nullptr) return nullptr;
  std::memset(memory, 0xff, bytes);
  allocations()[static_cast<char*>(memory)] = {bytes, kind, false};
  bytes_in_use += bytes;
  if (kind == MemoryKind::kDevice) poison(memory, bytes);
  if (observer != nullptr) observer->allocated(memory, bytes, kind != MemoryKind::kDevice);
  return memory;
}

bool begin_release(const void* memory) {
  const auto found = find(memory);
  if (found == allocations().end() || found->first != memory) return false;
  Allocation& allocation = found->second;
  if (allocation.kind == MemoryKind::kPinned || allocation.release_enqueued) return false;
  allocation.release_enqueued = true;
  return true;
}

bool release(void* memory, bool pinned) {
  const auto found = find(memory);
  if (found == allocations().end() || found->first != memory) return false;
  if (pinned != (found->second.kind == MemoryKind::kPinned)) return false;
  const std::size_t bytes = found->second.bytes;
  bytes_in_use -= bytes;
  if (observer != nullptr) observer->released(memory);
  allocations().erase(found);
  give_back_guarded(memory, std::max<std::size_t>(bytes, 1), kAlignment);
  return true;
}

void retire_all_memory() {
  static Allocations& retired = *new Allocations;  // keeps the addresses taken
  for (const auto& [address, allocation] : allocations()) poison(address, allocation.bytes);
  retired.merge(allocations());
  allocations().clear();
  bytes_in_use = 0;
}

// Half of the machine's memory, so that an absurd request fails as on a GPU instead of exhausting the
// machine.
std::size_t device_bytes_total() {
  static const std::size_t total =
      std::size_t(sysconf(_SC_PHYS_PAGES)) / 2 * std::size_t(sysconf(_SC_PAGESIZE));
  return total;
}
std::size_t device_bytes_free() {
  return device_bytes_total() - bytes_in_use;
}

DeviceMemoryOpen::DeviceMemoryOpen() {
  for_each_device_allocation(unpoison);
}
DeviceMemoryOpen::~DeviceMemoryOpen() {
  for_each_device_allocation(poison);
}

}  // namespace simt
