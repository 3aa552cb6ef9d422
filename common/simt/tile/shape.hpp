/// \file
/// Numbers that the compiler knows, and lists of sizes of which it knows some.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>

namespace cuda::tiles {

template <std::integral auto Value>
struct integral_constant {
  using value_type = decltype(Value);
  static constexpr value_type value = Value;
  constexpr operator value_type() const { return Value; }
  constexpr value_type operator()() const { return Value; }
};

namespace literals {

/// 16_ic is integral_constant<16>.
template <char... Digits>
constexpr auto operator""_ic() {
  constexpr long long value = [] {
    long long sum = 0;
    ((sum = Digits == '\'' ? sum : sum * 10 + (Digits - '0')), ...);
    return sum;
  }();
  if constexpr (value <= 2147483647)
    return integral_constant<static_cast<int>(value)>{};
  else
    return integral_constant<value>{};
}

}  // namespace literals

inline constexpr size_t dynamic_extent = static_cast<size_t>(-1);
inline constexpr size_t dynamic_stride = dynamic_extent;

namespace detail {

/// Numbers of which those that are dynamic_extent are given at run time.
template <class Index, size_t... Known>
class sizes {
 public:
  static constexpr size_t rank() { return sizeof...(Known); }
  static constexpr size_t rank_dynamic() { return (size_t{0} + ... + size_t{Known == dynamic_extent}); }
  static constexpr size_t known(size_t i) {
    constexpr size_t all[] = {Known..., 0};
    return all[i];
  }
  constexpr Index at(size_t i) const { return values_[i]; }

  constexpr sizes() = default;
  /// All of them, or those that are not known.
  template <class... Given>
  requires(sizeof...(Given) == sizeof...(Known) ||
           sizeof...(Given) ==
               (size_t{0} + ... + size_t{Known == dynamic_extent})) constexpr explicit sizes(Given... given) {
    const std::array<Index, sizeof...(Given)> in = {static_cast<Index>(given)...};
    size_t next = 0;
    for (size_t i = 0; i < rank(); ++i) {
      if (sizeof...(Given) == rank())
        values_[i] = in[i];
      else if (known(i) == dynamic_extent)
        values_[i] = in[next++];
    }
  }

 private:
  std::array<Index, sizeof...(Known)> values_ = {static_cast<Index>(Known)...};
};

template <class T>
inline constexpr size_t known_value = dynamic_extent;
template <auto Value>
inline constexpr size_t known_value<integral_constant<Value>> = static_cast<size_t>(Value);

}  // namespace detail

template <std::integral Index, size_t... Extents>
struct extents : detail::sizes<Index, Extents...> {
  using index_type = Index;
  using detail::sizes<Index, Extents...>::sizes;
  static constexpr size_t static_extent(size_t i) { return extents::known(i); }
  constexpr Index extent(size_t i) const { return this->at(i); }
};
template <class... Given>
extents(Given...) -> extents<std::uint32_t, detail::known_value<Given>...>;

template <std::integral Index, size_t... Strides>
struct strides : detail::sizes<Index, Strides...> {
  using stride_type = Index;
  using detail::sizes<Index, Strides...>::sizes;
  static constexpr size_t static_stride(size_t i) { return strides::known(i); }
  constexpr Index stride(size_t i) const { return this->at(i); }
};

/// The shape of a tile: all extents are known.
template <size_t... Extents>
using shape = extents<std::uint32_t, Extents...>;

template <class Shape>
inline constexpr size_t shape_size_v = [] {
  size_t product = 1;
  for (size_t i = 0; i < Shape::rank(); ++i) product *= Shape::static_extent(i);
  return product;
}();

}  // namespace cuda::tiles
