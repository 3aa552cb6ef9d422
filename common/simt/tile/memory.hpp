/// \file
/// Loading and storing through tiles of pointers, promises to the compiler, and which block this is.
#pragma once

#include "common/simt/device/thread_index.hpp"
#include "common/simt/tile/arithmetic.hpp"

namespace cuda::tiles {

namespace detail {

// Each ends the grid with a message.
[[noreturn]] void not_aligned(const void* address, unsigned long long alignment);
[[noreturn]] void not_divisible(long long number, long long divisor);
[[noreturn]] void sticks_out(const char* access);
[[noreturn]] void lies_outside(const char* access);

}  // namespace detail

inline uint3 bid() {
  return {blockIdx.x, blockIdx.y, blockIdx.z};
}
inline dim3 num_blocks() {
  return gridDim;
}

/// What all pointers of a tile point to.
template <class Pointers>
auto load(const Pointers& pointers) {
  return detail::for_each_element(pointers, [](auto pointer) { return *pointer; });
}

/// The same where the mask is true; elsewhere the padding, and nothing is read.
template <class Pointers, class Mask, class Padding = int>
auto load_masked(const Pointers& pointers, const Mask& mask, const Padding& padding = 0) {
  using Element = std::remove_cv_t<std::remove_pointer_t<detail::element_of<Pointers>>>;
  using Shape = detail::shape_of<Pointers>;
  tile<Element, Shape> result;
  for (size_t i = 0; i < result.size; ++i)
    result.values[i] = detail::stretched<Shape>(mask, i)
                           ? *pointers.values[i]
                           : static_cast<Element>(detail::stretched<Shape>(padding, i));
  return result;
}

template <class Pointers, class Value>
requires detail::widens<detail::element_of<Value>, std::remove_pointer_t<detail::element_of<Pointers>>>
void store(const Pointers& pointers, const Value& value) {
  using Shape = detail::shape_of<Pointers>;
  for (size_t i = 0; i < Pointers::size; ++i) *pointers.values[i] = detail::stretched<Shape>(value, i);
}

template <class Pointers, class Value, class Mask>
requires detail::widens<detail::element_of<Value>, std::remove_pointer_t<detail::element_of<Pointers>>>
void store_masked(const Pointers& pointers, const Value& value, const Mask& mask) {
  using Shape = detail::shape_of<Pointers>;
  for (size_t i = 0; i < Pointers::size; ++i)
    if (detail::stretched<Shape>(mask, i)) *pointers.values[i] = detail::stretched<Shape>(value, i);
}

// Promises. On a GPU a broken one is undefined behaviour; here it ends the program with a message.
template <auto Alignment, class T>
T* assume_aligned(T* pointer, integral_constant<Alignment> = {}) {
  if (reinterpret_cast<std::uintptr_t>(pointer) % Alignment != 0) detail::not_aligned(pointer, Alignment);
  return pointer;
}
template <auto Divisor, std::integral T>
T assume_divisible(T number, integral_constant<Divisor> = {}) {
  if (number % static_cast<T>(Divisor) != 0) detail::not_divisible(static_cast<long long>(number), Divisor);
  return number;
}

}  // namespace cuda::tiles
