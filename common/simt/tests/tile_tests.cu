/// \file
/// The stand-in for CUDA Tile C++: shapes, arithmetic, masks, views, and what it refuses at run time.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_tile.h>

#include <cmath>
#include <string>
#include <vector>

#include "common/simt/simt.hpp"
#include "common/simt/tests/launch.hpp"
#include "common/testing/catch.hpp"

namespace ct = cuda::tiles;
using namespace ct::literals;
using simt_tests::Buffer;
using simt_tests::run;

namespace {

template <class T, size_t... Extents>
using Tile = ct::tile<T, ct::shape<Extents...>>;

__tile_global__ void add_column_to_rows(const float* in, const float* column, float* out) {
  ct::partition_view from{ct::tensor_span{in, ct::extents{4_ic, 8_ic}}, ct::shape<2, 8>{}};
  ct::partition_view each{ct::tensor_span{column, ct::extents{4_ic, 1_ic}}, ct::shape<2, 1>{}};
  ct::partition_view to{ct::tensor_span{out, ct::extents{4_ic, 8_ic}}, ct::shape<2, 8>{}};
  const int row = static_cast<int>(ct::bid().x);
  to.store(from.load(row, 0) + each.load(row, 0) * 2, row, 0);
}

// 5 x 3 numbers that lie 4 apart in a row and 20 from row to row, in tiles of 2 x 2: both ends stick out.
__tile_global__ void double_strided(float* x) {
  const ct::extents<long long, ct::dynamic_extent, 3> extents{5};
  const ct::strides<long long, ct::dynamic_stride, 4> strides{20};
  ct::partition_view view{ct::tensor_span{x, ct::layout_strided_mapping{extents, strides}},
                          ct::shape<2, 2>{}};
  for (int row = 0; row < 3; ++row)
    for (int column = 0; column < 2; ++column)
      view.store_masked(view.load_masked<ct::view_padding::nan>(row, column) * 2.0f, row, column);
}

__tile_global__ void paddings(const float* x, float* out) {
  ct::partition_view from{ct::tensor_span{x, ct::extents{1_ic}}, ct::shape<2>{}};
  ct::partition_view to{ct::tensor_span{out, ct::extents{10_ic}}, ct::shape<2>{}};
  to.store(from.load_masked(0), 0);
  to.store(from.load_masked<ct::view_padding::negative_zero>(0), 1);
  to.store(from.load_masked<ct::view_padding::positive_inf>(0), 2);
  to.store(from.load_masked<ct::view_padding::negative_inf>(0), 3);
  to.store(from.load_masked<ct::view_padding::nan>(0), 4);
}

// The same through pointers: every third of n numbers, backwards, where there is one.
__tile_global__ void gather(const int* x, int n, int* out) {
  const auto i = ct::iota<Tile<int, 8>>();
  const auto from = i * -3 + (n - 1);
  const auto inside = from >= 0 && from < n;
  ct::store(out + i, ct::load_masked(x + from, inside, -7));
  ct::store_masked(out + (i + 8), ct::full<Tile<int, 8>>(5), i != 3);
}

__tile_global__ void halves(const __half* x, __half* out, float* wide) {
  ct::partition_view from{ct::tensor_span{x, ct::extents{4_ic}}, ct::shape<4>{}};
  const auto t = from.load(0);
  ct::partition_view{ct::tensor_span{out, ct::extents{4_ic}}, ct::shape<4>{}}.store(t * t - t, 0);
  const auto sum = t + ct::element_cast<float>(t) * 1e-3f;  // half and float: float
  ct::partition_view{ct::tensor_span{wide, ct::extents{4_ic}}, ct::shape<4>{}}.store(sum, 0);
}

__tile_global__ void sticks_out(float* x, int kind) {
  ct::partition_view view{ct::tensor_span{x, ct::extents{12_ic}}, ct::shape<8>{}};
  if (kind == 0) view.store(ct::full<Tile<float, 8>>(1.0f), 1);
  if (kind == 1) (void)view.load(1);
  if (kind == 2) view.store_masked(ct::full<Tile<float, 8>>(1.0f), 2);
  if (kind == 3) (void)view.load_masked(-1);
  if (kind == 4) (void)ct::assume_aligned(x + 1, 16_ic);
  if (kind == 5) (void)ct::assume_divisible(12, 8_ic);
  if (kind == 6) (void)ct::assume_divisible(16, 8_ic);
  if (kind == 7) view.store_masked(ct::full<Tile<float, 8>>(1.0f), 1);
  ct::partition_view fits{ct::tensor_span{x, ct::extents{16_ic}}, ct::shape<8>{}};
  if (kind == 8) fits.store_masked(ct::full<Tile<float, 8>>(1.0f), 2);
  if (kind == 9) (void)fits.load_masked(2);
}

}  // namespace

TEST_CASE("tiles: an extent of 1 stretches, a whole scalar becomes a fraction") {
  std::vector<float> in(32), column = {10, 20, 30, 40};
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i);
  const Buffer<float> from(in), each(column), out(32);
  REQUIRE(run(2, 1, add_column_to_rows, static_cast<const float*>(from.data()),
              static_cast<const float*>(each.data()), out.data()) == cudaSuccess);
  const std::vector<float> got = out.download();
  for (std::size_t i = 0; i < 32; ++i) CHECK(got[i] == in[i] + 2 * column[i / 8]);
}

TEST_CASE("tiles: strides and masks") {
  std::vector<float> in(100);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i + 1);
  const Buffer<float> x(in);
  REQUIRE(run(1, 1, double_strided, x.data()) == cudaSuccess);
  const std::vector<float> got = x.download();
  for (std::size_t i = 0; i < 100; ++i) {
    const bool in_view = i % 20 % 4 == 0 && i % 20 < 12;
    CHECK(got[i] == in[i] * (in_view ? 2.0f : 1.0f));
  }
}

TEST_CASE("tiles: what stands outside of the tensor") {
  const Buffer<float> x(std::vector<float>{3}), out(10);
  REQUIRE(run(1, 1, paddings, static_cast<const float*>(x.data()), out.data()) == cudaSuccess);
  const std::vector<float> got = out.download();
  for (std::size_t i = 0; i < 10; i += 2) CHECK(got[i] == 3);
  CHECK((got[1] == 0 && !std::signbit(got[1])));
  CHECK((got[3] == 0 && std::signbit(got[3])));
  CHECK((std::isinf(got[5]) && got[5] > 0));
  CHECK((std::isinf(got[7]) && got[7] < 0));
  CHECK(std::isnan(got[9]));
}

TEST_CASE("tiles: pointers and masks") {
  const Buffer<int> x(std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}), out(std::vector<int>(16));
  REQUIRE(run(1, 1, gather, static_cast<const int*>(x.data()), 10, out.data()) == cudaSuccess);
  CHECK(out.download() == std::vector<int>{9, 6, 3, 0, -7, -7, -7, -7, 5, 5, 5, 0, 5, 5, 5, 5});
}

TEST_CASE("tiles: half arithmetic rounds after every operation") {
  const float value = 1.0009765625f;  // 1 + 2⁻¹⁰, the next half after 1
  const Buffer<__half> x(std::vector<__half>(4, __float2half(value))), out(4);
  const Buffer<float> wide(4);
  REQUIRE(run(1, 1, halves, static_cast<const __half*>(x.data()), out.data(), wide.data()) == cudaSuccess);
  // The product, 1 + 2⁻⁹ + 2⁻²⁰, becomes 1 + 2⁻⁹; in float the difference would be 2⁻¹⁰ + 2⁻²⁰.
  CHECK(__half2float(out.download()[0]) == 0x1p-10f);
  CHECK(wide.download()[0] == value + value * 1e-3f);
}

TEST_CASE("tiles: shapes are known to the compiler") {
  static_assert(ct::shape<1, 8, 64>::rank() == 3);
  static_assert(Tile<float, 2, 8>::size == 16);
  static_assert(decltype(16_ic)::value == 16 && decltype(1'024_ic)::value == 1024);
  using Sum = decltype(Tile<float, 4, 1>{} + Tile<float, 8>{});
  static_assert(std::is_same_v<Sum, Tile<float, 4, 8>>);
  static_assert(std::is_same_v<decltype(Tile<__half, 4>{} * Tile<float, 1>{}), Tile<float, 4>>);
  const ct::extents<long long, ct::dynamic_extent, 3> extents{5};
  CHECK(extents.extent(0) == 5);
  CHECK(extents.extent(1) == 3);
}

TEST_CASE("tiles: what a GPU would not notice ends the kernel here") {
  const auto report = [](int kind) {
    const Buffer<float> x(std::vector<float>(16));
    CHECK(run(1, 1, sticks_out, x.data(), kind) != cudaSuccess);
    const std::string text = simt::last_report();
    simt::clear_error();
    return text;
  };
  const auto contains = [](const std::string& text, const char* part) {
    INFO(text);
    CHECK(text.find(part) != std::string::npos);
  };
  contains(report(0), "tile out of bounds: a store in block (0,0,0) sticks out of its tensor; store_masked");
  contains(report(1), "tile out of bounds: a load in block (0,0,0) sticks out of its tensor; load_masked");
  contains(report(2), "a store in block (0,0,0) is of a tile that lies outside of its tensor altogether");
  contains(report(3), "a load in block (0,0,0) is of a tile that lies outside of its tensor altogether");
  contains(report(8), "a store in block (0,0,0) is of a tile that lies outside of its tensor altogether");
  contains(report(9), "a load in block (0,0,0) is of a tile that lies outside of its tensor altogether");
  contains(report(4), "broken promise: assume_aligned of ");
  contains(report(5), "broken promise: assume_divisible of 12 in block (0,0,0), which is no multiple of 8");
  const Buffer<float> x(std::vector<float>(16));
  CHECK(run(1, 1, sticks_out, x.data(), 6) == cudaSuccess);
  CHECK(run(1, 1, sticks_out, x.data(), 7) == cudaSuccess);
  CHECK(x.download() == std::vector<float>{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0});
}
