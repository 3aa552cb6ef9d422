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

__tile_global__ void rules(float* x, __half* h, __nv_bfloat16* b, const float* read_only) {
  [[maybe_unused]] ct::partition_view floats{ct::tensor_span{x, ct::extents{64_ic}}, ct::shape<64>{}};
  [[maybe_unused]] ct::partition_view halves{ct::tensor_span{h, ct::extents{64_ic}}, ct::shape<64>{}};
  [[maybe_unused]] ct::partition_view brains{ct::tensor_span{b, ct::extents{64_ic}}, ct::shape<64>{}};
  [[maybe_unused]] ct::partition_view constant{ct::tensor_span{read_only, ct::extents{64_ic}},
                                               ct::shape<64>{}};
#if CASE == 1  // a scalar takes the tile's type, and may not lose digits by it
  halves.store(halves.load(0) * WRONG_OR_RIGHT(2.0f, 2), 0);
#elif CASE == 2  // a store does not round by itself
  halves.store(WRONG_OR_RIGHT(floats.load(0), ct::element_cast<__half>(floats.load(0))), 0);
#elif CASE == 3  // every extent is a power of two
  floats.store(ct::broadcast(ct::full<Tile<float, 1>>(1.0f), ct::shape<64>{}), 0);
  [[maybe_unused]] const auto t = ct::full<Tile<float, WRONG_OR_RIGHT(48, 64)>>(1.0f);
#elif CASE == 4  // only an extent of 1 stretches
  floats.store(floats.load(0) + ct::full<Tile<float, WRONG_OR_RIGHT(32, 1)>>(1.0f), 0);
#elif CASE == 5  // reshape keeps the number of elements
  floats.store(
      ct::reshape(ct::reshape(floats.load(0), ct::shape<8, WRONG_OR_RIGHT(4, 8)>{}), ct::shape<64>{}), 0);
#elif CASE == 6  // what is const cannot be stored to
  WRONG_OR_RIGHT(constant, floats).store(floats.load(0), 0);
#elif CASE == 7  // one index for each axis
  floats.store(WRONG_OR_RIGHT((floats.load(0, 0)), floats.load(0)), 0);
#elif CASE == 8  // half and bfloat16 do not mix
  floats.store(
      ct::element_cast<float>(WRONG_OR_RIGHT(halves.load(0), ct::element_cast<float>(halves.load(0))) *
                              ct::element_cast<WRONG_OR_RIGHT(__nv_bfloat16, float)>(brains.load(0))),
      0);
#elif CASE == 9  // extents and strides have one integer type
  const ct::strides<WRONG_OR_RIGHT(int, long long), 1> strides;
  const ct::extents<long long, 64> extents;
  ct::partition_view view{ct::tensor_span{x, ct::layout_strided_mapping{extents, strides}}, ct::shape<64>{}};
  view.store(view.load(0), 0);
#else
#error "no such case"
#endif
}
