/// \file
/// A fiber is a function with a stack of its own that can be left in the middle and resumed later. One CUDA thread that waits
/// at a barrier keeps its place on one. This is the whole interface; a backend supplies FiberContext and the three functions
/// named in fiber_boost.hpp and fiber_ucontext.hpp.
///
/// Only the scheduler resumes fibers, and a fiber can only return to the scheduler: a backend that cannot switch between two
/// fibers directly (a web page cannot) is good enough.
#pragma once

#include <cstddef>

#include "common/simt/executor/sanitizer.hpp"

#if defined(SIMT_UCONTEXT)
#include "common/simt/executor/fiber_ucontext.hpp"
#else
#include "common/simt/executor/fiber_boost.hpp"
#endif

namespace simt {

class Fiber {
 public:
  Fiber();
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Forgets whatever was running on the stack; the next resume() calls entry(), which must never return.
  void restart(void (*entry)());

  /// For the scheduler: runs this fiber until it suspends itself.
  void resume();
  /// For code on a fiber: back to the scheduler, until it resumes this fiber.
  static void suspend();
  /// For code on a fiber: back to the scheduler for good. Its frames are dropped, not unwound: no destructor runs.
  [[noreturn]] static void abandon();

  /// The fiber that runs now, null while the scheduler does.
  static Fiber* current() { return current_; }

 private:
  static void first_steps();

  static inline Fiber* current_ = nullptr;
  static inline FiberContext scheduler_;
  static inline const void* scheduler_stack_ = nullptr;
  static inline std::size_t scheduler_stack_size_ = 0;

  FiberContext context_;
  void (*entry_)() = nullptr;
  char* stack_ = nullptr;
  std::size_t stack_size_ = 0;
  void* fake_stack_ = nullptr;  // AddressSanitizer's, while this fiber is suspended
};

inline void Fiber::resume() {
  void* fake_stack = nullptr;
  current_ = this;
  before_stack_switch(&fake_stack, stack_, stack_size_);
  switch_context(scheduler_, context_);
  after_stack_switch(fake_stack, nullptr, nullptr);
  current_ = nullptr;
}

inline void Fiber::suspend() {
  Fiber* self = current_;
  before_stack_switch(&self->fake_stack_, scheduler_stack_, scheduler_stack_size_);
  switch_context(self->context_, scheduler_);
  after_stack_switch(self->fake_stack_, &scheduler_stack_, &scheduler_stack_size_);
}

}  // namespace simt
