/// \file
/// Fiber backend on POSIX ucontext, for systems without Boost.Context. Each switch makes a system call, which
/// makes barriers 20 to 30 times slower.
#pragma once

#include <ucontext.h>

#include <cstddef>

namespace simt {

inline constexpr bool kDirectSwitch = true;

struct FiberContext {
  ucontext_t position{};
};

inline void switch_context(FiberContext& from, FiberContext& to) {
  swapcontext(&from.position, &to.position);
}

template <void (*entry)()>
void reset_context(FiberContext& context, char* stack, std::size_t size) {
  getcontext(&context.position);
  context.position.uc_stack.ss_sp = stack;
  context.position.uc_stack.ss_size = size;
  context.position.uc_link = nullptr;
  makecontext(&context.position, entry, 0);
}

}  // namespace simt
