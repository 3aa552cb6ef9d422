/// \file
/// Atomics. Threads run one at a time, so that plain reads and writes are already indivisible.
#pragma once

#include <type_traits>

// The value may be of another type than the memory (atomicAdd(&sum, 1)): it converts as in a call of the real
// overload.
template <class T>
T atomicAdd(T* address, std::type_identity_t<T> value) {
  const T old = *address;
  *address = T(old + value);
  return old;
}
template <class T>
T atomicSub(T* address, std::type_identity_t<T> value) {
  const T old = *address;
  *address = T(old - value);
  return old;
}
template <class T>
T atomicMin(T* address, std::type_identity_t<T> value) {
  const T old = *address;
  if (value < old) *address = value;
  return old;
}
template <class T>
T atomicMax(T* address, std::type_identity_t<T> value) {
  const T old = *address;
  if (old < value) *address = value;
  return old;
}
template <class T>
T atomicAnd(T* address, std::type_identity_t<T> value) {
  const T old = *address;
  *address = T(old & value);
  return old;
}
template <class T>
T atomicOr(T* address, std::type_identity_t<T> value) {
  const T old = *address;
  *address = T(old | value);
  return old;
}
template <class T>
T atomicXor(T* address, std::type_identity_t<T> value) {
  const T old = *address;
  *address = T(old ^ value);
  return old;
}
template <class T>
T atomicExch(T* address, std::type_identity_t<T> value) {
  const T old = *address;
  *address = value;
  return old;
}
template <class T>
T atomicCAS(T* address, std::type_identity_t<T> compare, std::type_identity_t<T> value) {
  const T old = *address;
  if (old == compare) *address = value;
  return old;
}
/// Counts up and starts again at 0 after `limit`.
inline unsigned atomicInc(unsigned* address, unsigned limit) {
  const unsigned old = *address;
  *address = old >= limit ? 0 : old + 1;
  return old;
}
/// Counts down and starts again at `limit` after 0.
inline unsigned atomicDec(unsigned* address, unsigned limit) {
  const unsigned old = *address;
  *address = old == 0 || old > limit ? limit : old - 1;
  return old;
}
