/// \file
/// Stacks for fibers, and a fiber's first and last moments.
#include "common/simt/executor/fiber.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace simt {
namespace {

// Address space only: pages become real when a kernel touches them. AddressSanitizer's frames are several
// times larger.
constexpr std::size_t kStackSize = kAddressSanitizer ? 512 * 1024 : 128 * 1024;

constexpr std::size_t kCacheLine = 64, kCacheSets = 64;
constexpr std::size_t kLinesPerSwitch =
    5;  // touched by a typical park; odd, so that all sets are used in turn

// A page below each stack that cannot be touched. A larger guard would spread the stacks over more of the
// page table, which makes barriers slower. -fstack-clash-protection (see CMakeLists.txt) sees to it that a
// function with large arrays does not jump over the page.
std::size_t guard_size() {
  static const std::size_t page = std::size_t(sysconf(_SC_PAGESIZE));
  return page;
}

}  // namespace

Fiber::Fiber() {
  void* memory = mmap(nullptr, guard_size() + kStackSize, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    std::fprintf(stderr, "simt: no memory for the stack of a thread\n");
    std::abort();
  }
  // A thread that overflows its stack must crash instead of writing into its neighbour's.
  mprotect(memory, guard_size(), PROT_NONE);
  stack_ = static_cast<char*>(memory) + guard_size();
  // Stacks that all began at the same place in a page would compete for the same few lines of the cache.
  static std::size_t fiber_count = 0;
  stack_size_ = kStackSize - fiber_count++ * kLinesPerSwitch % kCacheSets * kCacheLine;
}

Fiber::~Fiber() {
  unpoison(stack_, kStackSize);
  munmap(stack_ - guard_size(), guard_size() + kStackSize);
}

void Fiber::restart(void (*entry)()) {
  unpoison(stack_, stack_size_);  // frames that were dropped have left their red zones
  entry_ = entry;
  fake_stack_ = nullptr;
  reset_context<first_steps>(context_, stack_, stack_size_);
}

bool Fiber::overflowed_to(const void* address) const {
  const char* place = static_cast<const char*>(address);
  return place < stack_ && stack_ - place <= std::ptrdiff_t(guard_size());
}

void Fiber::first_steps() {
  arrive(nullptr);
  current_->entry_();
  std::abort();
}

void Fiber::abandon() {
  before_stack_switch(nullptr, scheduler_stack_, scheduler_stack_size_);
  switch_context(current_->context_, scheduler_);
  std::abort();
}

}  // namespace simt
