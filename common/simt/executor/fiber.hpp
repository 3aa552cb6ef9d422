/// \file
/// A fiber is a function with a stack of its own that can be left in the middle and resumed later. One CUDA
/// thread that waits at a barrier keeps its place on one. This is the whole interface; a backend supplies
/// FiberContext, switch_context(), reset_context() and kDirectSwitch, as fiber_boost.hpp and
/// fiber_ucontext.hpp do.
///
/// A backend must be able to switch between the scheduler and a fiber. Switching from one fiber to another is
/// a shortcut that it may do without (a web page cannot do it).
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
  /// For code on a fiber: back to the scheduler, until this fiber is resumed.
  static void suspend();
  /// For code on a fiber, where kDirectSwitch: the same, but goes on with `next` instead of the scheduler.
  static void switch_to(Fiber& next);
  /// For code on a fiber: back to the scheduler for good. Its frames are dropped, not unwound: no destructor
  /// runs.
  [[noreturn]] static void abandon();

  bool has_on_stack(const void* address) const {
    return std::size_t(static_cast<const char*>(address) - stack_) < stack_size_;
  }
  /// Does the address lie in the guard below this fiber's stack?
  bool overflowed_to(const void* address) const;

  /// The fiber that runs now, null while the scheduler does.
  static Fiber* current() { return current_; }

 private:
  static void first_steps();
  static void arrive(void* fake_stack);

  static inline Fiber* current_ = nullptr;
  static inline bool from_scheduler_ = false;  // where the switch under way comes from
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
  from_scheduler_ = true;
  before_stack_switch(&fake_stack, stack_, stack_size_);
  switch_context(scheduler_, context_);
  after_stack_switch(fake_stack, nullptr, nullptr);
  current_ = nullptr;
}

inline void Fiber::suspend() {
  Fiber* self = current_;
  before_stack_switch(&self->fake_stack_, scheduler_stack_, scheduler_stack_size_);
  switch_context(self->context_, scheduler_);
  arrive(self->fake_stack_);
}

inline void Fiber::switch_to(Fiber& next) {
  Fiber* self = current_;
  current_ = &next;
  before_stack_switch(&self->fake_stack_, next.stack_, next.stack_size_);
  switch_context(self->context_, next.context_);
  arrive(self->fake_stack_);
}

// AddressSanitizer wants to be told where the scheduler's stack is; it only says so itself, after a switch
// from there.
inline void Fiber::arrive(void* fake_stack) {
  if (from_scheduler_) {
    after_stack_switch(fake_stack, &scheduler_stack_, &scheduler_stack_size_);
  } else {
    after_stack_switch(fake_stack, nullptr, nullptr);
  }
  from_scheduler_ = false;
}

}  // namespace simt
