/// \file
/// A tensor in memory, and the same cut into tiles.
#pragma once

#include <limits>

#include "common/simt/tile/memory.hpp"

namespace cuda::tiles {

/// Row after row, without gaps.
template <class Extents>
struct layout_right_mapping {
  Extents sizes;
  const Extents& extents() const { return sizes; }
  typename Extents::index_type stride(size_t axis) const {
    typename Extents::index_type product = 1;
    for (size_t i = axis + 1; i < Extents::rank(); ++i) product *= sizes.extent(i);
    return product;
  }
};

/// Any strides, in elements.
template <class Extents, class Strides>
struct layout_strided_mapping {
  static_assert(std::is_same_v<typename Extents::index_type, typename Strides::stride_type>,
                "extents and strides have the same integer type");
  static_assert(Extents::rank() == Strides::rank(), "as many strides as extents");
  layout_strided_mapping(const Extents& extents, const Strides& strides) : sizes(extents), steps(strides) {}
  Extents sizes;
  Strides steps;
  const Extents& extents() const { return sizes; }
  typename Extents::index_type stride(size_t axis) const { return steps.stride(axis); }
};

namespace detail {

template <class T>
inline constexpr bool is_extents = false;
template <class Index, size_t... Extents>
inline constexpr bool is_extents<extents<Index, Extents...>> = true;
template <class T>
struct mapping_of {
  using type = T;
};
template <class T>
requires is_extents<T>
struct mapping_of<T> {
  using type = layout_right_mapping<T>;
};

}  // namespace detail

/// A pointer with extents and strides.
template <class Element, class Mapping>
struct tensor_span {
  using element_type = Element;
  using mapping_type = Mapping;
  using extents_type = std::remove_cvref_t<decltype(std::declval<Mapping>().extents())>;
  template <class Layout>
  tensor_span(Element* pointer, const Layout& layout) : data(pointer), mapping{layout} {}
  Element* data;
  Mapping mapping;
};
template <class Element, class Layout>
tensor_span(Element*, const Layout&) -> tensor_span<Element, typename detail::mapping_of<Layout>::type>;

enum class view_padding : unsigned char { zero, negative_zero, positive_inf, negative_inf, nan };

/// A tensor cut into tiles of one shape. Tile (i, j) begins at element (i · extent 0, j · extent 1). At the
/// ends of the tensor tiles may stick out: then only the masked functions may be used. A tile that lies
/// outside altogether may not be used at all, masked or not: on a GPU we assume that to be undefined.
template <class Span, class Shape>
struct partition_view {
  static_assert(detail::all_powers_of_two<Shape>, "every extent of a tile is a power of two");
  static_assert(Shape::rank() == Span::extents_type::rank(), "a tile has as many axes as the tensor");
  using element_type = std::remove_cv_t<typename Span::element_type>;
  using view_tile_type = tile<element_type, Shape>;

  partition_view(Span tensor, Shape) : span(tensor) {}

  template <class... Indices>
  view_tile_type load(Indices... indices) const {
    view_tile_type result;
    for_each<false>(
        "load", [&](size_t i, auto* element) { result.values[i] = *element; }, indices...);
    return result;
  }
  /// Elements outside of the tensor are the padding.
  template <view_padding Padding = view_padding::zero, class... Indices>
  view_tile_type load_masked(Indices... indices) const {
    view_tile_type result;
    for_each<true>(
        "load", [&](size_t i, auto* element) { result.values[i] = element ? *element : padding(Padding); },
        indices...);
    return result;
  }
  template <class Tile, class... Indices>
  void store(const Tile& value, Indices... indices) const {
    store_as<false>(value, indices...);
  }
  /// Elements outside of the tensor are not stored.
  template <class Tile, class... Indices>
  void store_masked(const Tile& value, Indices... indices) const {
    store_as<true>(value, indices...);
  }

  Span span;

 private:
  static element_type padding(view_padding which) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    const float values[] = {0.0f, -0.0f, infinity, -infinity, std::numeric_limits<float>::quiet_NaN()};
    return static_cast<element_type>(values[static_cast<size_t>(which)]);
  }

  template <bool kMasked, class Tile, class... Indices>
  void store_as(const Tile& value, Indices... indices) const {
    constexpr bool is_const = std::is_const_v<typename Span::element_type>;
    constexpr bool rounds = !detail::widens<detail::element_of<Tile>, element_type>;
    constexpr bool fits = std::is_same_v<detail::shape_of<Tile>, Shape>;
    static_assert(!is_const, SIMT_TILE_CONST);
    static_assert(!rounds, SIMT_TILE_ROUNDS);
    static_assert(fits, "a stored tile has the shape of the view's tiles");
    if constexpr (!is_const && !rounds && fits)
      for_each<kMasked>(
          "store",
          [&](size_t i, auto* element) {
            if (element) *element = detail::stretched<Shape>(value, i);
          },
          indices...);
  }

  /// Calls f(number in the tile, address or null) for each element of a tile.
  template <bool kMasked, class F, class... Indices>
  void for_each(const char* access, F f, Indices... indices) const {
    static_assert(sizeof...(Indices) == Shape::rank(), "one index for each axis");
    const long long index[] = {static_cast<long long>(indices)...};
    for (size_t axis = 0; axis < Shape::rank(); ++axis) {
      const long long begin = index[axis] * static_cast<long long>(Shape::static_extent(axis));
      if (begin < 0 || begin >= static_cast<long long>(span.mapping.extents().extent(axis)))
        detail::lies_outside(access);
    }
    for (size_t flat = 0; flat < view_tile_type::size; ++flat) {
      size_t rest = flat;
      long long offset = 0;
      bool inside = true;
      for (size_t axis = Shape::rank(); axis-- > 0;) {
        const auto extent = static_cast<long long>(Shape::static_extent(axis));
        const long long i = index[axis] * extent + static_cast<long long>(rest) % extent;
        rest /= Shape::static_extent(axis);
        inside = inside && i < static_cast<long long>(span.mapping.extents().extent(axis));
        offset += i * static_cast<long long>(span.mapping.stride(axis));
      }
      if (!inside && !kMasked) detail::sticks_out(access);
      f(flat, inside ? span.data + offset : nullptr);
    }
  }
};

}  // namespace cuda::tiles
