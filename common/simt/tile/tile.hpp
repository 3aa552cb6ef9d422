/// \file
/// The tile itself, and how the shapes and element types of two of them go together.
#pragma once

#include <algorithm>
#include <type_traits>
#include <utility>

#include "common/simt/tile/shape.hpp"

// As with the real header, who uses them includes cuda_fp16.h or cuda_bf16.h.
struct __half;
struct __nv_bfloat16;

namespace cuda::tiles {

namespace detail {

template <class Shape>
inline constexpr bool all_powers_of_two = [] {
  for (size_t i = 0; i < Shape::rank(); ++i) {
    const size_t extent = Shape::static_extent(i);
    if (extent == 0 || extent == dynamic_extent || (extent & (extent - 1)) != 0) return false;
  }
  return true;
}();

}  // namespace detail

/// An array that has no address: on a GPU its elements lie in the registers of a block's threads. Here it is
/// an ordinary array.
template <class Element, class Shape>
struct tile {
  static_assert(detail::all_powers_of_two<Shape>, "every extent of a tile is a power of two");
  using element_type = Element;
  using shape_type = Shape;
  static constexpr size_t size = shape_size_v<Shape>;
  std::array<Element, size> values;
};

namespace detail {

template <class T>
struct parts {  // a scalar is a tile without axes
  using element = T;
  using shape_type = shape<>;
  static constexpr bool is_tile = false;
};
template <class Element, class Shape>
struct parts<tile<Element, Shape>> {
  using element = Element;
  using shape_type = Shape;
  static constexpr bool is_tile = true;
};
template <class T>
using element_of = typename parts<std::remove_cvref_t<T>>::element;
template <class T>
using shape_of = typename parts<std::remove_cvref_t<T>>::shape_type;
template <class T>
inline constexpr bool is_tile = parts<std::remove_cvref_t<T>>::is_tile;
template <class T>
inline constexpr bool is_floating =
    std::is_floating_point_v<T> || std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16>;
template <class T>
inline constexpr bool is_number = std::is_arithmetic_v<T> || is_floating<T>;

/// Extent `axis` of the shape that two shapes are stretched to. Axes are compared from the last one on; an
/// extent of 1, or a missing one, stretches.
template <class A, class B>
constexpr size_t joined_extent(size_t axis) {
  const size_t rank = std::max(A::rank(), B::rank());
  const size_t missing_a = rank - A::rank(), missing_b = rank - B::rank();
  const size_t a = axis < missing_a ? 1 : A::static_extent(axis - missing_a);
  const size_t b = axis < missing_b ? 1 : B::static_extent(axis - missing_b);
  return a == 1 ? b : a;
}
template <class A, class B>
constexpr bool can_join() {
  for (size_t axis = 0; axis < std::max(A::rank(), B::rank()); ++axis) {
    const size_t extent = joined_extent<A, B>(axis);
    const auto fits = [&](size_t rank, auto extent_of) {
      const size_t missing = std::max(A::rank(), B::rank()) - rank;
      return axis < missing || extent_of(axis - missing) == 1 || extent_of(axis - missing) == extent;
    };
    if (!fits(A::rank(), A::static_extent) || !fits(B::rank(), B::static_extent)) return false;
  }
  return true;
}
template <class A, class B, size_t... Axes>
auto join(std::index_sequence<Axes...>) -> shape<joined_extent<A, B>(Axes)...>;
template <class A, class B>
using joined = decltype(join<A, B>(std::make_index_sequence<std::max(A::rank(), B::rank())>{}));

/// Which element of a tile of shape From comes to place `flat` when it is stretched to shape To.
template <class From, class To>
constexpr size_t source_of(size_t flat) {
  size_t source = 0, step = 1;
  constexpr size_t missing = To::rank() - From::rank();
  for (size_t axis = To::rank(); axis-- > missing;) {
    const size_t i = flat % To::static_extent(axis), extent = From::static_extent(axis - missing);
    flat /= To::static_extent(axis);
    if (extent != 1) source += i * step;
    step *= extent;
  }
  return source;
}

/// Element `flat` of a tile or a scalar that is stretched to shape To.
template <class To, class T>
auto stretched(const T& t, size_t flat) {
  if constexpr (!is_tile<T>)
    return t;
  else if constexpr (std::is_same_v<shape_of<T>, To>)
    return t.values[flat];
  else
    return t.values[source_of<shape_of<T>, To>(flat)];
}

/// May a number be converted without a cast? Not from wider to narrower, not from a fraction to a whole
/// number, not between half and bfloat16.
template <class From, class To>
inline constexpr bool widens = std::is_same_v<From, To> ||
                               (is_floating<From> && is_floating<To> && sizeof(From) < sizeof(To)) ||
                               (std::is_integral_v<From> && std::is_integral_v<To> &&
                                requires(From x) { To{x}; });

/// The type that numbers of two types are computed in: the wider one; a fraction, if only one is whole.
template <class A, class B>
struct common_element {};
template <class A>
struct common_element<A, A> {
  using type = A;
};
template <class A, class B>
requires(!std::is_same_v<A, B> && (widens<A, B> || (std::is_integral_v<A> && is_floating<B>)))  //
    struct common_element<A, B> {
  using type = B;
};
template <class A, class B>
requires(!std::is_same_v<A, B> && (widens<B, A> || (std::is_integral_v<B> && is_floating<A>)))  //
    struct common_element<A, B> {
  using type = A;
};

// The element type of a result. Tiles: the common one. Tile and scalar: the tile's.
template <class A, class B>
struct result_element : common_element<element_of<A>, element_of<B>> {};
template <class A, class B>
requires(is_tile<A> && !is_tile<B>) struct result_element<A, B> {
  using type = element_of<A>;
};
template <class A, class B>
requires(!is_tile<A> && is_tile<B>) struct result_element<A, B> {
  using type = element_of<B>;
};
template <class A, class B>
using result_of = typename result_element<A, B>::type;
template <class A, class B>
using compared_as = typename common_element<element_of<A>, element_of<B>>::type;

/// Two operands of which at least one is a tile.
template <class A, class B>
concept operands = is_tile<A> || is_tile<B>;
/// ... of numbers.
template <class A, class B>
concept number_operands = operands<A, B> && is_number<element_of<A>> && is_number<element_of<B>>;

/// Does a number become one of another type without a cast? Whole numbers may become fractions.
template <class From, class To>
inline constexpr bool becomes = widens<From, To> || (std::is_integral_v<From> && is_floating<To>);
template <class A, class B>
concept computable = requires {
  typename result_of<A, B>;
}
&&becomes<element_of<A>, result_of<A, B>>&& becomes<element_of<B>, result_of<A, B>>;
template <class A, class B>
concept comparable = requires {
  typename compared_as<A, B>;
};

/// Does a tile or a scalar stretch to this shape?
template <class T, class Shape>
constexpr bool stretches() {
  if constexpr (can_join<shape_of<T>, Shape>())
    return std::is_same_v<joined<shape_of<T>, Shape>, Shape>;
  else
    return false;
}

/// What a number is computed in: 16-bit types in float, rounded after every operation.
template <class T>
auto computed(T x) {
  if constexpr (is_floating<T> && sizeof(T) == 2)
    return static_cast<float>(x);
  else
    return x;
}

template <class A, class B, class F>
auto for_each_pair(const A& a, const B& b, F f) {
  using Shape = joined<shape_of<A>, shape_of<B>>;
  tile<decltype(f(stretched<Shape>(a, 0), stretched<Shape>(b, 0))), Shape> result;
  for (size_t i = 0; i < result.size; ++i)
    result.values[i] = f(stretched<Shape>(a, i), stretched<Shape>(b, i));
  return result;
}
/// The operand that is a tile: what an operator returns after a broken rule, so that nothing else is said.
template <class A, class B>
auto tile_operand(const A& a, const B& b) {
  if constexpr (is_tile<A>)
    return a;
  else
    return b;
}
template <class T, class F>
auto for_each_element(const T& t, F f) {
  tile<decltype(f(t.values[0])), shape_of<T>> result;
  for (size_t i = 0; i < result.size; ++i) result.values[i] = f(t.values[i]);
  return result;
}

}  // namespace detail
}  // namespace cuda::tiles
