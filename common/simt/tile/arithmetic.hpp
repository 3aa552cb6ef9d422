/// \file
/// Arithmetic on whole tiles, and tiles made of others.
#pragma once

#include <cmath>

#include "common/simt/tile/tile.hpp"

namespace cuda::tiles {

// The rules of operands. Behind a broken one nothing is compiled, so that the rule is all that is said.
#define SIMT_TILE_STRETCHES                                                                            \
  static_assert(detail::can_join<detail::shape_of<A>, detail::shape_of<B>>(),                          \
                "axes are compared from the last one on; they must be equal, or one of them 1, which " \
                "stretches")

#define SIMT_TILE_ARITHMETIC(OP)                                                                            \
  template <class A, class B>                                                                               \
  requires detail::number_operands<A, B>                                                                    \
  auto operator OP(const A& a, const B& b) {                                                                \
    SIMT_TILE_STRETCHES;                                                                                    \
    static_assert(detail::computable<A, B>,                                                                 \
                  "a scalar takes the tile's type, of two tiles the wider type is taken, and no number "    \
                  "may be narrowed by it: use element_cast");                                               \
    if constexpr (detail::can_join<detail::shape_of<A>, detail::shape_of<B>>() && detail::computable<A, B>) \
      return detail::for_each_pair(a, b, [](auto x, auto y) {                                               \
        using Element = detail::result_of<A, B>;                                                            \
        return static_cast<Element>(detail::computed(static_cast<Element>(x))                               \
                                        OP detail::computed(static_cast<Element>(y)));                      \
      });                                                                                                   \
    else                                                                                                    \
      return detail::tile_operand(a, b);                                                                    \
  }
SIMT_TILE_ARITHMETIC(+)
SIMT_TILE_ARITHMETIC(-)
SIMT_TILE_ARITHMETIC(*)
SIMT_TILE_ARITHMETIC(/)
#undef SIMT_TILE_ARITHMETIC

#define SIMT_TILE_COMPARISON(OP)                                                                            \
  template <class A, class B>                                                                               \
  requires detail::number_operands<A, B>                                                                    \
  auto operator OP(const A& a, const B& b) {                                                                \
    SIMT_TILE_STRETCHES;                                                                                    \
    static_assert(detail::comparable<A, B>,                                                                 \
                  "numbers are compared in the wider of their types: one of them must hold both");          \
    if constexpr (detail::can_join<detail::shape_of<A>, detail::shape_of<B>>() && detail::comparable<A, B>) \
      return detail::for_each_pair(a, b, [](auto x, auto y) {                                               \
        using Element = detail::compared_as<A, B>;                                                          \
        return detail::computed(static_cast<Element>(x)) OP detail::computed(static_cast<Element>(y));      \
      });                                                                                                   \
    else                                                                                                    \
      return detail::tile_operand(a, b);                                                                    \
  }
SIMT_TILE_COMPARISON(<)
SIMT_TILE_COMPARISON(<=)
SIMT_TILE_COMPARISON(>)
SIMT_TILE_COMPARISON(>=)
SIMT_TILE_COMPARISON(==)
SIMT_TILE_COMPARISON(!=)
#undef SIMT_TILE_COMPARISON

/// Of tiles of bool: both sides are there already, nothing is cut short.
template <class A, class B>
requires(detail::operands<A, B>&& std::is_same_v<detail::element_of<A>, bool>&&
             std::is_same_v<detail::element_of<B>, bool>) auto
operator&&(const A& a, const B& b) {
  SIMT_TILE_STRETCHES;
  if constexpr (detail::can_join<detail::shape_of<A>, detail::shape_of<B>>())
    return detail::for_each_pair(a, b, [](bool x, bool y) { return x && y; });
  else
    return detail::tile_operand(a, b);
}

/// A pointer, or a tile of them, and distances in elements.
template <class A, class B>
requires(detail::operands<A, B>&& std::is_pointer_v<detail::element_of<A>>&&
             std::is_integral_v<detail::element_of<B>>) auto
operator+(const A& a, const B& b) {
  SIMT_TILE_STRETCHES;
  if constexpr (detail::can_join<detail::shape_of<A>, detail::shape_of<B>>())
    return detail::for_each_pair(a, b, [](auto pointer, auto distance) { return pointer + distance; });
  else
    return detail::tile_operand(a, b);
}
#undef SIMT_TILE_STRETCHES

/// 0, 1, 2, ...
template <class Tile>
Tile iota() {
  Tile result;
  for (size_t i = 0; i < Tile::size; ++i) result.values[i] = static_cast<detail::element_of<Tile>>(i);
  return result;
}

template <class Tile>
Tile full(detail::element_of<Tile> value) {
  Tile result;
  result.values.fill(value);
  return result;
}

/// The same elements in the same order, with other axes.
template <class Shape, class Tile>
auto reshape(const Tile& t, Shape = {}) {
  static_assert(Tile::size == shape_size_v<Shape>, "reshape keeps the number of elements");
  return tile<detail::element_of<Tile>, Shape>{t.values};
}

template <class Shape, class Tile>
auto broadcast(const Tile& t, Shape = {}) {
  static_assert(std::is_same_v<detail::joined<detail::shape_of<Tile>, Shape>, Shape>,
                "it cannot be stretched to this shape");
  tile<detail::element_of<Tile>, Shape> result;
  for (size_t i = 0; i < result.size; ++i) result.values[i] = detail::stretched<Shape>(t, i);
  return result;
}

/// Every element converted, to a narrower type as well.
template <class Element, class T>
auto element_cast(const T& t) {
  if constexpr (detail::is_tile<T>)
    return detail::for_each_element(t, [](auto x) { return static_cast<Element>(detail::computed(x)); });
  else
    return static_cast<Element>(t);
}

}  // namespace cuda::tiles
