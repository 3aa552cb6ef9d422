/// \file
/// Rules of CUDA Tile C++ that a compiler must enforce: for each CASE a wrong line and, with RIGHT, what to
/// write instead. compile_rules.sh compiles both.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_tile.h>

#include <cstddef>

namespace ct = cuda::tiles;
using namespace ct::literals;

#ifdef RIGHT
#define WRONG_OR_RIGHT(wrong, ...) __VA_ARGS__
#else
#define WRONG_OR_RIGHT(wrong, ...) wrong
#endif

template <class T, std::size_t... Extents>
using Tile = ct::tile<T, ct::shape<Extents...>>;

__tile_global__ void rules(float* x, __half* h, __nv_bfloat16* b, int* n, const float* read_only) {
  [[maybe_unused]] const auto eight = ct::iota<Tile<int, 8>>();
  [[maybe_unused]] ct::partition_view floats{ct::tensor_span{x, ct::extents{64_ic}}, ct::shape<64>{}};
  [[maybe_unused]] ct::partition_view halves{ct::tensor_span{h, ct::extents{64_ic}}, ct::shape<64>{}};
  [[maybe_unused]] ct::partition_view brains{ct::tensor_span{b, ct::extents{64_ic}}, ct::shape<64>{}};
  [[maybe_unused]] ct::partition_view constant{ct::tensor_span{read_only, ct::extents{64_ic}},
                                               ct::shape<64>{}};
#if CASE == 1  // a scalar takes the tile's type, and may not lose digits by it
               // stand-in: a scalar takes the tile's type
               // toolkit: arithmetic_tile_convertible
  halves.store(halves.load(0) * WRONG_OR_RIGHT(2.0f, 2), 0);
#elif CASE == 2   // a store does not round by itself
  // stand-in: a store does not round: cast the tile with element_cast
  // toolkit: non_narrowing_scalar_convertible_to
  halves.store(WRONG_OR_RIGHT(floats.load(0), ct::element_cast<__half>(floats.load(0))), 0);
#elif CASE == 3   // every extent is a power of two
  // stand-in: every extent of a tile is a power of two
  // toolkit: tile_shape<Shape>
  floats.store(ct::broadcast(ct::full<Tile<float, 1>>(1.0f), ct::shape<64>{}), 0);
  [[maybe_unused]] const auto t = ct::full<Tile<float, WRONG_OR_RIGHT(48, 64)>>(1.0f);
#elif CASE == 4   // only an extent of 1 stretches
  // stand-in: they must be equal, or one of them 1
  // toolkit: broadcast_compatible
  floats.store(floats.load(0) + ct::full<Tile<float, WRONG_OR_RIGHT(32, 1)>>(1.0f), 0);
#elif CASE == 5   // reshape keeps the number of elements
  // stand-in: reshape keeps the number of elements
  // toolkit: tile_size_v<Tile> == shape_size_v<Shape>
  floats.store(
      ct::reshape(ct::reshape(floats.load(0), ct::shape<8, WRONG_OR_RIGHT(4, 8)>{}), ct::shape<64>{}), 0);
#elif CASE == 6   // what is const cannot be stored to
  // stand-in: what is const cannot be stored to
  // toolkit: storeable_tensor_span
  WRONG_OR_RIGHT(constant, floats).store(floats.load(0), 0);
#elif CASE == 7   // one index for each axis
  // stand-in: one index for each axis
  // toolkit: compatible_indices_v
  floats.store(WRONG_OR_RIGHT((floats.load(0, 0)), floats.load(0)), 0);
#elif CASE == 8   // half and bfloat16 do not mix
  // stand-in: of two tiles the wider type is taken
  // toolkit: arithmetic_tile_convertible
  floats.store(
      ct::element_cast<float>(WRONG_OR_RIGHT(halves.load(0), ct::element_cast<float>(halves.load(0))) *
                              ct::element_cast<WRONG_OR_RIGHT(__nv_bfloat16, float)>(brains.load(0))),
      0);
#elif CASE == 9   // extents and strides have one integer type
  // stand-in: extents and strides have the same integer type
  // toolkit: layout_strided_mapping" matches the argument list
  const ct::strides<WRONG_OR_RIGHT(int, long long), 1> strides;
  const ct::extents<long long, 64> extents;
  ct::partition_view view{ct::tensor_span{x, ct::layout_strided_mapping{extents, strides}}, ct::shape<64>{}};
  view.store(view.load(0), 0);
#elif CASE == 10  // a stored tile has the shape of the pointers, and no more elements
  // stand-in: a stored tile has the shape of the pointers
  // toolkit: same_shape
  ct::store(n + eight, ct::iota<Tile<int, WRONG_OR_RIGHT(16, 8)>>());
#elif CASE == 11  // ... and no fewer
  // stand-in: a stored tile has the shape of the pointers
  // toolkit: same_shape
  ct::store(n + eight, ct::iota<Tile<int, WRONG_OR_RIGHT(4, 8)>>());
#elif CASE == 12  // a stored tile has the shape of the view's tiles
  // stand-in: a stored tile has the shape of the view's tiles
  // toolkit: same_shape
  floats.store(ct::full<Tile<float, WRONG_OR_RIGHT(1, 64)>>(1.0f), 0);
#elif CASE == 13  // the mask of a store stretches to the pointers
  // stand-in: a mask stretches to the shape of the pointers
  // toolkit: broadcastable_to
  ct::store_masked(n + eight, eight, ct::iota<Tile<int, WRONG_OR_RIGHT(16, 8)>>() < 3);
#elif CASE == 14  // the mask of a load stretches to the pointers
  // stand-in: a mask stretches to the shape of the pointers
  // toolkit: broadcastable_to
  ct::store(n + eight, ct::load_masked(n + eight, ct::iota<Tile<int, WRONG_OR_RIGHT(16, 8)>>() < 3, 0));
#elif CASE == 15  // a padding is no fraction where whole numbers are loaded
  // stand-in: a padding is a number of the type that is loaded
  // toolkit: non_narrowing_scalar_convertible_to
  ct::store(n + eight, ct::load_masked(n + eight, eight < 3, WRONG_OR_RIGHT(1.5f, 1)));
#elif CASE == 16  // a padding is no float where half is loaded
  // stand-in: a padding is a number of the type that is loaded
  // toolkit: non_narrowing_scalar_convertible_to
  ct::store(h + eight, ct::load_masked(h + eight, eight < 3, WRONG_OR_RIGHT(1.5f, __half(1.5f))));
#elif CASE == 17  // an unsigned scalar does not become int
  // stand-in: a scalar takes the tile's type
  // toolkit: arithmetic_tile_convertible
  ct::store(n + eight, eight + WRONG_OR_RIGHT(3u, 3));
#elif CASE == 18  // a long long scalar does not become int
  // stand-in: a scalar takes the tile's type
  // toolkit: arithmetic_tile_convertible
  ct::store(n + eight, eight + WRONG_OR_RIGHT(3LL, 3));
#elif CASE == 19  // a view's tiles are tiles
  // stand-in: every extent of a tile is a power of two
  // toolkit: partition_view" matches the argument list
  [[maybe_unused]] const ct::partition_view view{ct::tensor_span{x, ct::extents{64_ic}},
                                                 ct::shape<WRONG_OR_RIGHT(12, 16)>{}};
#elif CASE == 20  // numbers are compared in a type that holds both
  // stand-in: numbers are compared in the wider of their types
  // toolkit: arithmetic_tile_comparable
  ct::store_masked(n + eight, eight, eight < WRONG_OR_RIGHT(3u, 3LL));
#elif CASE == 21  // half and bfloat16 are as wide as each other, and neither holds the other
  // stand-in: a store does not round: cast the tile with element_cast
  // toolkit: non_narrowing_scalar_convertible_to
  halves.store(WRONG_OR_RIGHT(brains.load(0), ct::element_cast<__half>(brains.load(0))), 0);
#else
#error "no such case"
#endif
}
