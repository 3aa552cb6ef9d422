/// \file
/// Loading and storing through tiles of pointers, promises to the compiler, and which block this is.
#pragma once

#include "common/simt/device/thread_index.hpp"
#include "common/simt/tile/arithmetic.hpp"

#define SIMT_TILE_CONST "what is const cannot be stored to"
#define SIMT_TILE_ROUNDS "a store does not round: cast the tile with element_cast to the type that is stored"

namespace cuda::tiles {

namespace detail {

// Each ends the grid with a message.
[[noreturn]] void not_aligned(const void* address, unsigned long long alignment);
[[noreturn]] void not_divisible(long long number, long long divisor);
[[noreturn]] void sticks_out(const char* access);
[[noreturn]] void lies_outside(const char* access);

template <class Pointers>
using pointed_to = std::remove_cv_t<std::remove_pointer_t<element_of<Pointers>>>;

}  // namespace detail

inline uint3 bid() {
  return {blockIdx.x, blockIdx.y, blockIdx.z};
}

/// What all pointers of a tile point to.
template <class Pointers>
auto load(const Pointers& pointers) {
  return detail::for_each_element(pointers, [](auto pointer) { return *pointer; });
}

/// The same where the mask is true; elsewhere the padding, and nothing is read.
template <class Pointers, class Mask, class Padding>
auto load_masked(const Pointers& pointers, const Mask& mask, const Padding& padding) {
  using Element = detail::pointed_to<Pointers>;
  using Shape = detail::shape_of<Pointers>;
  constexpr bool mask_fits = detail::stretches<Mask, Shape>(),
                 padding_fits = detail::stretches<Padding, Shape>();
  static_assert(mask_fits, "a mask stretches to the shape of the pointers");
  static_assert(padding_fits, "a padding stretches to the shape of the pointers");
  static_assert(detail::widens<detail::element_of<Padding>, Element>,
                "a padding is a number of the type that is loaded: it may not be narrowed");
  tile<Element, Shape> result;
  if constexpr (mask_fits && padding_fits)
    for (size_t i = 0; i < result.size; ++i)
      result.values[i] = detail::stretched<Shape>(mask, i)
                             ? *pointers.values[i]
                             : static_cast<Element>(detail::stretched<Shape>(padding, i));
  return result;
}
template <class Pointers, class Mask>
auto load_masked(const Pointers& pointers, const Mask& mask) {
  return load_masked(pointers, mask, static_cast<detail::pointed_to<Pointers>>(0));
}

/// Stores where the mask is true.
template <class Pointers, class Value, class Mask>
void store_masked(const Pointers& pointers, const Value& value, const Mask& mask) {
  using Element = std::remove_pointer_t<detail::element_of<Pointers>>;
  using Shape = detail::shape_of<Pointers>;
  constexpr bool value_fits = std::is_same_v<detail::shape_of<Value>, Shape>,
                 mask_fits = detail::stretches<Mask, Shape>();
  static_assert(!std::is_const_v<Element>, SIMT_TILE_CONST);
  static_assert(value_fits, "a stored tile has the shape of the pointers");
  static_assert(mask_fits, "a mask stretches to the shape of the pointers");
  static_assert(detail::widens<detail::element_of<Value>, std::remove_const_t<Element>>, SIMT_TILE_ROUNDS);
  if constexpr (value_fits && mask_fits && !std::is_const_v<Element>)
    for (size_t i = 0; i < Pointers::size; ++i)
      if (detail::stretched<Shape>(mask, i)) *pointers.values[i] = static_cast<Element>(value.values[i]);
}
template <class Pointers, class Value>
void store(const Pointers& pointers, const Value& value) {
  store_masked(pointers, value, true);
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
