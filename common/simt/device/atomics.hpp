/// \file
/// Atomics. Threads run one at a time, so that plain reads and writes are already indivisible.
#pragma once

#include <cstddef>
#include <type_traits>

namespace simt {

/// Tells the tracer (common/simt/trace) that the code before `pc` is about to do an atomic operation.
void note_atomic(const void* address, std::size_t bytes, const void* pc);

/// After so many atomics the executor looks whether one thread executes them all: it may be waiting in a loop
/// for another thread's write.
inline constexpr unsigned kAtomicsPerCheck = 50'000;
inline unsigned atomics_since_check = 0;

/// Lets other threads run if the running one seems to spin.
void check_for_spinning();

inline void count_atomic() {
  if (++atomics_since_check >= kAtomicsPerCheck) check_for_spinning();
}

}  // namespace simt

// In a trace build an atomic is one access, not the load and the store that it is made of: these functions
// are not instrumented, and not inlined, so that the place they return to is the kernel's line.
#if defined(__SANITIZE_THREAD__)
#define SIMT_ATOMIC [[gnu::noinline, gnu::no_sanitize_thread]]
#define SIMT_COUNT_ATOMIC(address) \
  simt::note_atomic(address, sizeof *(address), __builtin_return_address(0)), simt::count_atomic()
#else
#define SIMT_ATOMIC
#define SIMT_COUNT_ATOMIC(address) simt::count_atomic()
#endif

// The value may be of another type than the memory (atomicAdd(&sum, 1)): it converts as in a call of the real
// overload.
template <class T>
SIMT_ATOMIC T atomicAdd(T* address, std::type_identity_t<T> value) {
  SIMT_COUNT_ATOMIC(address);
  const T old = *address;
  *address = T(old + value);
  return old;
}
template <class T>
SIMT_ATOMIC T atomicSub(T* address, std::type_identity_t<T> value) {
  SIMT_COUNT_ATOMIC(address);
  const T old = *address;
  *address = T(old - value);
  return old;
}
template <class T>
SIMT_ATOMIC T atomicMin(T* address, std::type_identity_t<T> value) {
  SIMT_COUNT_ATOMIC(address);
  const T old = *address;
  if (value < old) *address = value;
  return old;
}
template <class T>
SIMT_ATOMIC T atomicMax(T* address, std::type_identity_t<T> value) {
  SIMT_COUNT_ATOMIC(address);
  const T old = *address;
  if (old < value) *address = value;
  return old;
}
template <class T>
SIMT_ATOMIC T atomicAnd(T* address, std::type_identity_t<T> value) {
  SIMT_COUNT_ATOMIC(address);
  const T old = *address;
  *address = T(old & value);
  return old;
}
template <class T>
SIMT_ATOMIC T atomicOr(T* address, std::type_identity_t<T> value) {
  SIMT_COUNT_ATOMIC(address);
  const T old = *address;
  *address = T(old | value);
  return old;
}
template <class T>
SIMT_ATOMIC T atomicXor(T* address, std::type_identity_t<T> value) {
  SIMT_COUNT_ATOMIC(address);
  const T old = *address;
  *address = T(old ^ value);
  return old;
}
template <class T>
SIMT_ATOMIC T atomicExch(T* address, std::type_identity_t<T> value) {
  SIMT_COUNT_ATOMIC(address);
  const T old = *address;
  *address = value;
  return old;
}
template <class T>
SIMT_ATOMIC T atomicCAS(T* address, std::type_identity_t<T> compare, std::type_identity_t<T> value) {
  SIMT_COUNT_ATOMIC(address);
  const T old = *address;
  if (old == compare) *address = value;
  return old;
}
/// Counts up and starts again at 0 after `limit`.
SIMT_ATOMIC inline unsigned atomicInc(unsigned* address, unsigned limit) {
  SIMT_COUNT_ATOMIC(address);
  const unsigned old = *address;
  *address = old >= limit ? 0 : old + 1;
  return old;
}
/// Counts down and starts again at `limit` after 0.
SIMT_ATOMIC inline unsigned atomicDec(unsigned* address, unsigned limit) {
  SIMT_COUNT_ATOMIC(address);
  const unsigned old = *address;
  *address = old == 0 || old > limit ? limit : old - 1;
  return old;
}
#undef SIMT_COUNT_ATOMIC
#undef SIMT_ATOMIC
