/// \file
/// Atomics. Threads run one at a time, so that plain reads and writes are already indivisible.
#pragma once

#include <type_traits>

namespace simt {

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

// The value may be of another type than the memory (atomicAdd(&sum, 1)): it converts as in a call of the real
// overload.
template <class T>
T atomicAdd(T* address, std::type_identity_t<T> value) {
  simt::count_atomic();
  const T old = *address;
  *address = T(old + value);
  return old;
}
template <class T>
T atomicSub(T* address, std::type_identity_t<T> value) {
  simt::count_atomic();
  const T old = *address;
  *address = T(old - value);
  return old;
}
template <class T>
T atomicMin(T* address, std::type_identity_t<T> value) {
  simt::count_atomic();
  const T old = *address;
  if (value < old) *address = value;
  return old;
}
template <class T>
T atomicMax(T* address, std::type_identity_t<T> value) {
  simt::count_atomic();
  const T old = *address;
  if (old < value) *address = value;
  return old;
}
template <class T>
T atomicAnd(T* address, std::type_identity_t<T> value) {
  simt::count_atomic();
  const T old = *address;
  *address = T(old & value);
  return old;
}
template <class T>
T atomicOr(T* address, std::type_identity_t<T> value) {
  simt::count_atomic();
  const T old = *address;
  *address = T(old | value);
  return old;
}
template <class T>
T atomicXor(T* address, std::type_identity_t<T> value) {
  simt::count_atomic();
  const T old = *address;
  *address = T(old ^ value);
  return old;
}
template <class T>
T atomicExch(T* address, std::type_identity_t<T> value) {
  simt::count_atomic();
  const T old = *address;
  *address = value;
  return old;
}
template <class T>
T atomicCAS(T* address, std::type_identity_t<T> compare, std::type_identity_t<T> value) {
  simt::count_atomic();
  const T old = *address;
  if (old == compare) *address = value;
  return old;
}
/// Counts up and starts again at 0 after `limit`.
inline unsigned atomicInc(unsigned* address, unsigned limit) {
  simt::count_atomic();
  const unsigned old = *address;
  *address = old >= limit ? 0 : old + 1;
  return old;
}
/// Counts down and starts again at `limit` after 0.
inline unsigned atomicDec(unsigned* address, unsigned limit) {
  simt::count_atomic();
  const unsigned old = *address;
  *address = old == 0 || old > limit ? limit : old - 1;
  return old;
}
