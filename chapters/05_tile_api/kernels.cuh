/// \file
/// Chapter 05: RoPE in CUDA Tile C++. The text says what a block does with whole arrays; the compiler hands
/// the elements out to threads.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_tile.h>

#include <cmath>

#include "common/gpu/launch.hpp"

namespace ropewalk::tiles {

namespace ct = cuda::tiles;
using namespace ct::literals;

// [views]
inline constexpr auto kAnySize = ct::dynamic_extent;

/// The first or the second channels of all pairs, [tokens, heads, pairs], cut into tiles of kTokens tokens,
/// kHeads heads and kPairs channels. x points to the first of them. Tiles at the ends may stick out. load and
/// store take the number of a tile along each axis: token_tile, head_tile, pair_tile.
template <int kHeads, int kPairs, int kTokens = 1, class T>
__tile__ auto channels_of(T* x, long long tokens, long long heads, long long head_dim, long long pairs) {
  const ct::extents<long long, kAnySize, kAnySize, kAnySize> extents{tokens, heads, pairs};
  const ct::strides<long long, kAnySize, kAnySize, 1> strides{heads * head_dim, head_dim};
  return ct::partition_view{ct::tensor_span{x, ct::layout_strided_mapping{extents, strides}},
                            ct::shape<kTokens, kHeads, kPairs>{}};
}

/// A table of cosines or sines, [rows, pairs], cut into tiles of kPairs numbers of one row.
template <int kPairs>
__tile__ auto rows_of(const float* table, long long rows, long long pairs) {
  const ct::extents<long long, kAnySize, kAnySize> extents{rows, pairs};
  return ct::partition_view{ct::tensor_span{table, extents}, ct::shape<1, kPairs>{}};
}

/// The table's row for a position. Unsigned: a position before the table becomes a huge row.
__tile__ inline long long row_of(int position, int first_position) {
  return static_cast<unsigned>(position) - static_cast<unsigned>(first_position);
}

/// kPairs numbers of a row, with an axis for heads. For a row that the table has not: NaN. A mask would not
/// do: it is for tiles that stick out. We assume that a tile which lies outside altogether may not be asked
/// for.
template <int kPairs, class View>
__tile__ auto read_row(const View& table, long long row, long long rows, int pair_tile) {
  const bool inside = row < rows;
  const auto numbers = table.load_masked(inside ? row : 0LL, pair_tile) * (inside ? 1.0f : NAN);
  return ct::reshape(numbers, ct::shape<1, 1, kPairs>{});
}
// [views]

// [masked]
/// Turns one tile of pairs in arithmetic of type A. Channels and heads that stick out are left alone.
template <class A, class T, class View, class Row>
__tile__ void turn_masked(const View& first, const View& second, Row c, Row s, long long token_tile,
                          int head_tile, int pair_tile) {
  const auto x = ct::element_cast<A>(first.load_masked(token_tile, head_tile, pair_tile));
  const auto y = ct::element_cast<A>(second.load_masked(token_tile, head_tile, pair_tile));
  const auto cosines = ct::element_cast<A>(c), sines = ct::element_cast<A>(s);
  first.store_masked(ct::element_cast<T>(x * cosines - y * sines), token_tile, head_tile, pair_tile);
  second.store_masked(ct::element_cast<T>(x * sines + y * cosines), token_tile, head_tile, pair_tile);
}

template <class A, class T, int kHeads, int kPairs>
__tile__ void rotate_masked(T* q, T* k, const int* positions, const float* cosines, const float* sines,
                            int tokens, int q_heads, int kv_heads, int head_dim, int pairs,
                            int first_position, unsigned rows) {
  const long long token = ct::bid().x, row = row_of(positions[token], first_position);
  const auto c_view = rows_of<kPairs>(cosines, rows, pairs), s_view = rows_of<kPairs>(sines, rows, pairs);
  const auto q1 = channels_of<kHeads, kPairs>(q, tokens, q_heads, head_dim, pairs);
  const auto q2 = channels_of<kHeads, kPairs>(q + pairs, tokens, q_heads, head_dim, pairs);
  const auto k1 = channels_of<kHeads, kPairs>(k, tokens, kv_heads, head_dim, pairs);
  const auto k2 = channels_of<kHeads, kPairs>(k + pairs, tokens, kv_heads, head_dim, pairs);
  for (int p = 0; p * kPairs < pairs; ++p) {
    const auto c = read_row<kPairs>(c_view, row, rows, p), s = read_row<kPairs>(s_view, row, rows, p);
    for (int h = 0; h * kHeads < q_heads; ++h) turn_masked<A, T>(q1, q2, c, s, token, h, p);
    for (int h = 0; h * kHeads < kv_heads; ++h) turn_masked<A, T>(k1, k2, c, s, token, h, p);
  }
}

/// One tile block: one token with all heads of q, [tokens, q_heads, head_dim], and k. Any sizes. Reads and
/// writes each rotary channel once, reads one row of the table. Any alignment.
/// Parameters of a tile kernel are numbers and pointers: nvcc takes no structs.
template <class A, class T, int kHeads, int kPairs>
__tile_global__ void rope_masked(T* q, T* k, const int* positions, const float* cosines, const float* sines,
                                 int tokens, int q_heads, int kv_heads, int head_dim, int rotary_dim,
                                 int first_position, unsigned rows) {
  rotate_masked<A, T, kHeads, kPairs>(q, k, positions, cosines, sines, tokens, q_heads, kv_heads, head_dim,
                                      rotary_dim / 2, first_position, rows);
}
// [masked]

// [promised]
/// The same, with promises: all pointers are multiples of 16 bytes, head_dim and the number of pairs
/// multiples of 8.
template <class T, int kHeads, int kPairs>
__tile_global__ void rope_promised(T* q, T* k, const int* positions, const float* cosines, const float* sines,
                                   int tokens, int q_heads, int kv_heads, int head_dim, int rotary_dim,
                                   int first_position, unsigned rows) {
  rotate_masked<float, T, kHeads, kPairs>(
      ct::assume_aligned(q, 16_ic), ct::assume_aligned(k, 16_ic), positions,
      ct::assume_aligned(cosines, 16_ic), ct::assume_aligned(sines, 16_ic), tokens, q_heads, kv_heads,
      ct::assume_divisible(head_dim, 8_ic), ct::assume_divisible(rotary_dim / 2, 8_ic), first_position, rows);
}
// [promised]

// [whole]
/// The heads of a tensor [tokens, heads, 2 * kPairs], cut into tiles of kTokens tokens, kHeads heads and half
/// of the channels: tile 0 has the first channels of all pairs, tile 1 the second.
template <int kHeads, int kPairs, int kTokens = 1, class T>
__tile__ auto heads_of(T* x, long long tokens, long long heads) {
  const ct::extents<long long, kAnySize, kAnySize, 2 * kPairs> extents{tokens, heads};
  return ct::partition_view{ct::tensor_span{ct::assume_aligned(x, 16_ic), extents},
                            ct::shape<kTokens, kHeads, kPairs>{}};
}

template <class T, class View, class Row>
__tile__ void turn_whole(const View& heads, Row cosines, Row sines, long long token_tile, int head_tile) {
  const auto x = ct::element_cast<float>(heads.load(token_tile, head_tile, 0));
  const auto y = ct::element_cast<float>(heads.load(token_tile, head_tile, 1));
  heads.store(ct::element_cast<T>(x * cosines - y * sines), token_tile, head_tile, 0);
  heads.store(ct::element_cast<T>(x * sines + y * cosines), token_tile, head_tile, 1);
}

/// NaN in all channels of a tile of heads.
template <class T, int kHeads, int kPairs, class View>
__tile__ void fill_with_nan(const View& heads, long long token_tile, int head_tile) {
  const auto nan = ct::element_cast<T>(ct::full<ct::tile<float, ct::shape<1, kHeads, kPairs>>>(NAN));
  heads.store(nan, token_tile, head_tile, 0);
  heads.store(nan, token_tile, head_tile, 1);
}

/// A row that the table has, with an axis for heads.
template <int kPairs>
__tile__ auto whole_row(const float* table, long long row, long long rows) {
  const auto numbers = rows_of<kPairs>(ct::assume_aligned(table, 16_ic), rows, kPairs).load(row, 0);
  return ct::reshape(numbers, ct::shape<1, 1, kPairs>{});
}

/// Some tiles of one token: those of q from q_first to q_last - 1, and the same for k.
struct Tiles {
  int q_first, q_last, k_first, k_last;
};

/// As rope_masked, but nothing sticks out: the numbers of heads are multiples of kQ and kK, all 2 * kPairs
/// channels turn. All pointers are multiples of 16 bytes.
template <class T, int kQ, int kK, int kPairs>
__tile__ void rotate_whole(T* q, T* k, const int* positions, const float* cosines, const float* sines,
                           int tokens, int q_heads, int kv_heads, int first_position, unsigned rows,
                           long long token, Tiles tiles) {
  const long long row = row_of(positions[token], first_position);
  const auto q_view = heads_of<kQ, kPairs>(q, tokens, q_heads);
  const auto k_view = heads_of<kK, kPairs>(k, tokens, kv_heads);
  if (row < rows) {  // the whole block goes one way
    const auto c = whole_row<kPairs>(cosines, row, rows), s = whole_row<kPairs>(sines, row, rows);
    for (int h = tiles.q_first; h < tiles.q_last; ++h) turn_whole<T>(q_view, c, s, token, h);
    for (int h = tiles.k_first; h < tiles.k_last; ++h) turn_whole<T>(k_view, c, s, token, h);
  } else {
    for (int h = tiles.q_first; h < tiles.q_last; ++h) fill_with_nan<T, kQ, kPairs>(q_view, token, h);
    for (int h = tiles.k_first; h < tiles.k_last; ++h) fill_with_nan<T, kK, kPairs>(k_view, token, h);
  }
}

/// One tile block: one token.
template <class T, int kQ, int kK, int kPairs>
__tile_global__ void rope_whole(T* q, T* k, const int* positions, const float* cosines, const float* sines,
                                int tokens, int q_heads, int kv_heads, int first_position, unsigned rows) {
  rotate_whole<T, kQ, kK, kPairs>(q, k, positions, cosines, sines, tokens, q_heads, kv_heads, first_position,
                                  rows, ct::bid().x, {0, q_heads / kQ, 0, kv_heads / kK});
}

/// The same, with a hint: two warps for each block.
template <class T, int kQ, int kK, int kPairs>
[[cutile::hint(0, num_worker_warps_per_cta = 2)]] __tile_global__ void rope_two_warps(
    T* q, T* k, const int* positions, const float* cosines, const float* sines, int tokens, int q_heads,
    int kv_heads, int first_position, unsigned rows) {
  rotate_whole<T, kQ, kK, kPairs>(q, k, positions, cosines, sines, tokens, q_heads, kv_heads, first_position,
                                  rows, ct::bid().x, {0, q_heads / kQ, 0, kv_heads / kK});
}

/// One tile block: one tile of one token. Each reads the row of the table again.
template <class T, int kQ, int kK, int kPairs>
__tile_global__ void rope_spread(T* q, T* k, const int* positions, const float* cosines, const float* sines,
                                 int tokens, int q_heads, int kv_heads, int first_position, unsigned rows) {
  const int block = static_cast<int>(ct::bid().x), q_tiles = q_heads / kQ, tiles = q_tiles + kv_heads / kK;
  const int tile = block % tiles;
  const bool in_q = tile < q_tiles;
  rotate_whole<T, kQ, kK, kPairs>(
      q, k, positions, cosines, sines, tokens, q_heads, kv_heads, first_position, rows, block / tiles,
      {tile, in_q ? tile + 1 : tile, tile - q_tiles, in_q ? tile - q_tiles : tile - q_tiles + 1});
}
// [whole]

// [split]
/// Turns kPairs pairs of all heads of x, those from pair `from` on. No channel sticks out; heads may.
template <int kHeads, int kPairs, class T>
__tile__ void turn_part(T* x, const float* cosines, const float* sines, long long row, long long rows,
                        long long tokens, int heads, int head_dim, int pairs, long long token, int from) {
  const ct::extents<long long, kAnySize, kPairs> part_of_row{rows};
  const ct::strides<long long, kAnySize, 1> apart{pairs};
  const ct::layout_strided_mapping layout{part_of_row, apart};
  const ct::partition_view c_view{ct::tensor_span{cosines + from, layout}, ct::shape<1, kPairs>{}};
  const ct::partition_view s_view{ct::tensor_span{sines + from, layout}, ct::shape<1, kPairs>{}};
  const auto c = read_row<kPairs>(c_view, row, rows, 0), s = read_row<kPairs>(s_view, row, rows, 0);
  const auto first = channels_of<kHeads, kPairs>(x + from, tokens, heads, head_dim, kPairs);
  const auto second = channels_of<kHeads, kPairs>(x + pairs + from, tokens, heads, head_dim, kPairs);
  for (int h = 0; h * kHeads < heads; ++h) turn_masked<float, T>(first, second, c, s, token, h, 0);
}

/// As rope_masked, but the pairs are cut into powers of two: 40 are 32 and 8.
template <class T, int kHeads>
__tile_global__ void rope_split(T* q, T* k, const int* positions, const float* cosines, const float* sines,
                                int tokens, int q_heads, int kv_heads, int head_dim, int rotary_dim,
                                int first_position, unsigned rows) {
  const long long token = ct::bid().x, row = row_of(positions[token], first_position);
  const int pairs = rotary_dim / 2;
  int from = 0;
  const auto turn = [&](auto part) {
    constexpr int kPairs = decltype(part)::value;
    turn_part<kHeads, kPairs>(q, cosines, sines, row, rows, tokens, q_heads, head_dim, pairs, token, from);
    if (kv_heads > 0)
      turn_part<kHeads, kPairs>(k, cosines, sines, row, rows, tokens, kv_heads, head_dim, pairs, token, from);
    from += kPairs;
  };
  while (pairs - from >= 64) turn(64_ic);
  if ((pairs & 32) != 0) turn(32_ic);
  if ((pairs & 16) != 0) turn(16_ic);
  if ((pairs & 8) != 0) turn(8_ic);
  if ((pairs & 4) != 0) turn(4_ic);
  if ((pairs & 2) != 0) turn(2_ic);
  if ((pairs & 1) != 0) turn(1_ic);
}
// [split]

// [tokens]
/// kTokens rows of a table that need not be neighbours: a tile of pointers. Outside of the table, and beyond
/// the last pair: NaN.
template <int kTokens, int kPairs, class Rows>
__tile__ auto gather_rows(const float* table, Rows row, long long rows, long long pairs, long long from) {
  const auto lane = ct::element_cast<long long>(ct::iota<ct::tile<int, ct::shape<kPairs>>>()) + from;
  const auto pair = ct::reshape(lane, ct::shape<1, 1, kPairs>{});
  const auto wide_row = ct::reshape(row, ct::shape<kTokens, 1, 1>{});
  const auto inside = (wide_row >= 0LL) && (wide_row < rows) && (pair < pairs);
  return ct::load_masked(table + (wide_row * pairs + pair), inside, NAN);
}

/// As rope_masked, but a tile has kTokens tokens.
template <class T, int kTokens, int kHeads, int kPairs>
__tile_global__ void rope_tokens(T* q, T* k, const int* positions, const float* cosines, const float* sines,
                                 int tokens, int q_heads, int kv_heads, int head_dim, int rotary_dim,
                                 int first_position, unsigned rows) {
  const int pairs = rotary_dim / 2, tile = static_cast<int>(ct::bid().x);
  const auto token = ct::iota<ct::tile<int, ct::shape<kTokens>>>() + tile * kTokens;
  const auto position = ct::load_masked(positions + token, token < tokens, 0);
  const auto row = ct::element_cast<long long>(position) - static_cast<long long>(first_position);
  const auto q1 = channels_of<kHeads, kPairs, kTokens>(q, tokens, q_heads, head_dim, pairs);
  const auto q2 = channels_of<kHeads, kPairs, kTokens>(q + pairs, tokens, q_heads, head_dim, pairs);
  const auto k1 = channels_of<kHeads, kPairs, kTokens>(k, tokens, kv_heads, head_dim, pairs);
  const auto k2 = channels_of<kHeads, kPairs, kTokens>(k + pairs, tokens, kv_heads, head_dim, pairs);
  for (int p = 0; p * kPairs < pairs; ++p) {
    const auto c = gather_rows<kTokens, kPairs>(cosines, row, rows, pairs, p * kPairs);
    const auto s = gather_rows<kTokens, kPairs>(sines, row, rows, pairs, p * kPairs);
    for (int h = 0; h * kHeads < q_heads; ++h) turn_masked<float, T>(q1, q2, c, s, tile, h, p);
    for (int h = 0; h * kHeads < kv_heads; ++h) turn_masked<float, T>(k1, k2, c, s, tile, h, p);
  }
}

/// The same where nothing sticks out: an even number of tokens, and heads and channels as rope_whole wants
/// them.
template <class T, int kTokens, int kHeads, int kPairs>
__tile_global__ void rope_tokens_whole(T* q, T* k, const int* positions, const float* cosines,
                                       const float* sines, int tokens, int q_heads, int kv_heads,
                                       int first_position, unsigned rows) {
  const int tile = static_cast<int>(ct::bid().x);
  const auto token = ct::iota<ct::tile<int, ct::shape<kTokens>>>() + tile * kTokens;
  const auto row =
      ct::element_cast<long long>(ct::load(positions + token)) - static_cast<long long>(first_position);
  const auto c = gather_rows<kTokens, kPairs>(ct::assume_aligned(cosines, 16_ic), row, rows, kPairs, 0);
  const auto s = gather_rows<kTokens, kPairs>(ct::assume_aligned(sines, 16_ic), row, rows, kPairs, 0);
  const auto q_view = heads_of<kHeads, kPairs, kTokens>(q, tokens, q_heads);
  const auto k_view = heads_of<kHeads, kPairs, kTokens>(k, tokens, kv_heads);
  for (int h = 0; h < q_heads / kHeads; ++h) turn_whole<T>(q_view, c, s, tile, h);
  for (int h = 0; h < kv_heads / kHeads; ++h) turn_whole<T>(k_view, c, s, tile, h);
}
// [tokens]

// [launch]
/// Starts a tile kernel: `blocks` tile blocks. The compiler chose how many threads each has; the block of the
/// launch must be 1.
template <class... Parameters, class... Arguments>
void launch_tiles(cudaStream_t stream, void (*kernel)(Parameters...), long long blocks,
                  Arguments... arguments) {
  if (blocks == 0) return;
  launch({.grid = grid_for(blocks, 1), .block = dim3(1), .stream = stream}, kernel, arguments...);
}
// [launch]

}  // namespace ropewalk::tiles
