/// \file
/// Chapter 05 as the harness sees it: its description and its variants.
#pragma once

#include <string>
#include <type_traits>

#include "chapters/05_tile_api/kernels.cuh"
#include "common/gpu/pack.cuh"
#include "common/gpu/tensors.cuh"
#include "common/harness/chapter.hpp"
#include "common/harness/dispatch.hpp"

namespace ropewalk::tiles {

/// Ends with InputError if there are tokens and no table: even a masked load may not ask for a tile of it.
inline void check_table(const RopeCall& call, long long tokens) {
  if (tokens > 0 && call.table_rows == 0) refuse("table: 0 rows; allowed: 1 or more");
}

/// Starts a kernel that takes any sizes, with kTokens tokens per tile.
template <int kTokens = 1, class T, class... Parameters>
void launch_any(const RopeCall& call, const Tensors<T>& a, void (*kernel)(Parameters...)) {
  check_table(call, a.tokens);
  launch_tiles(call.stream, kernel, (a.tokens + kTokens - 1) / kTokens, a.q, a.k, a.positions, call.cos_table,
               call.sin_table, static_cast<int>(a.tokens), a.q_heads, a.kv_heads, a.head_dim, a.rotary_dim,
               call.first_position, static_cast<unsigned>(call.table_rows));
}

/// Calls f with a number of pairs for a tile as a constant: 16 or 64, whatever the tensor has.
template <class F>
void with_tile_width(int pairs, F f) {
  if (pairs <= 16)
    f(std::integral_constant<int, 16>{});
  else
    f(std::integral_constant<int, 64>{});
}

template <bool kInElementType>
void run_masked(const RopeCall& call) {
  with_tensors(call, [&]<class T>(const Tensors<T>& a) {
    using A = std::conditional_t<kInElementType, T, float>;
    with_tile_width(a.pairs(), [&](auto width) { launch_any(call, a, rope_masked<A, T, 8, width>); });
  });
}

inline void run_split(const RopeCall& call) {
  with_tensors(call, [&]<class T>(const Tensors<T>& a) { launch_any(call, a, rope_split<T, 8>); });
}

template <class T>
bool all_aligned(const RopeCall& call, const Tensors<T>& a) {
  return is_aligned(a.q, 0, 16) && is_aligned(a.k, 0, 16) && is_aligned(call.cos_table, 0, 16) &&
         is_aligned(call.sin_table, 0, 16);
}

/// The masked kernel with promises, where they hold.
inline void run_promised(const RopeCall& call) {
  with_tensors(call, [&]<class T>(const Tensors<T>& a) {
    if (!all_aligned(call, a) || a.head_dim % 8 != 0 || a.pairs() % 8 != 0) return run_masked<false>(call);
    with_tile_width(a.pairs(), [&](auto width) { launch_any(call, a, rope_promised<T, 8, width>); });
  });
}

// [fits]
/// Does nothing stick out? Then the kernels without masks may be taken.
template <class T>
bool is_whole(const RopeCall& call, const Tensors<T>& a, int q_tile, int k_tile) {
  return a.head_dim == a.rotary_dim && (a.pairs() == 32 || a.pairs() == 64) && a.q_heads % q_tile == 0 &&
         a.kv_heads % k_tile == 0 && all_aligned(call, a);
}
// [fits]

/// Starts a kernel for tensors of which nothing sticks out.
template <class T, class... Parameters>
void launch_whole(const RopeCall& call, const Tensors<T>& a, long long blocks,
                  void (*kernel)(Parameters...)) {
  check_table(call, a.tokens);
  launch_tiles(call.stream, kernel, blocks, a.q, a.k, a.positions, call.cos_table, call.sin_table,
               static_cast<int>(a.tokens), a.q_heads, a.kv_heads, call.first_position,
               static_cast<unsigned>(call.table_rows));
}

/// Who does the tiles of a token, kQ heads of q or kK of k each: one block, one of two warps, or as many as
/// there are tiles.
enum class Blocks { one, of_two_warps, many };

/// A kernel without masks if nothing sticks out, else the masked one.
template <int kQ, int kK, Blocks kBlocks = Blocks::one>
void run_whole(const RopeCall& call) {
  with_tensors(call, [&]<class T>(const Tensors<T>& a) {
    if (!is_whole(call, a, kQ, kK)) return run_masked<false>(call);
    const auto start = [&](auto pairs) {
      if constexpr (kBlocks == Blocks::many)
        launch_whole(call, a, a.tokens * (a.q_heads / kQ + a.kv_heads / kK), rope_spread<T, kQ, kK, pairs>);
      else if constexpr (kBlocks == Blocks::of_two_warps)
        launch_whole(call, a, a.tokens, rope_two_warps<T, kQ, kK, pairs>);
      else
        launch_whole(call, a, a.tokens, rope_whole<T, kQ, kK, pairs>);
    };
    if (a.pairs() == 32)
      start(std::integral_constant<int, 32>{});
    else
      start(std::integral_constant<int, 64>{});
  });
}

/// Two tokens in a tile.
inline void run_two_tokens(const RopeCall& call) {
  with_tensors(call, [&]<class T>(const Tensors<T>& a) {
    if (is_whole(call, a, 8, 8) && a.tokens % 2 == 0)
      return launch_whole(call, a, a.tokens / 2,
                          a.pairs() == 32 ? rope_tokens_whole<T, 2, 8, 32> : rope_tokens_whole<T, 2, 8, 64>);
    with_tile_width(a.pairs(), [&](auto width) { launch_any<2>(call, a, rope_tokens<T, 2, 8, width>); });
  });
}

/// What the chapter cannot do: its kernels count tokens and sizes with int.
inline std::string refusal(const Shape& shape) {
  if (shape.token_count() <= 0x7FFFFFFF && shape.head_dim <= 65536) return "";
  return shape.head_dim > 65536
             ? "head_dim: " + std::to_string(shape.head_dim) + " channels; allowed: up to 65536"
             : "tokens: " + std::to_string(shape.token_count()) +
                   " in all sequences; allowed: up to 2147483647";
}

inline Chapter chapter() {
  Variant in_element_type = table_variant(
      "half", "the same with arithmetic in the element type, as in NVIDIA's sample", run_masked<true>);
  in_element_type.arithmetic = Arithmetic::in_element_type;
  return {
      .name = "05_tile_api",
      .title = "Thinking in tiles",
      .what =
          "Rotates q and k in place with CUDA Tile C++: a block works on whole arrays. Where something "
          "sticks out, the last five variants use masks.",
      .runs = Runs::on_device,
      .default_shape =
          {.batch = 2, .tokens = 20, .q_heads = 32, .kv_heads = 8, .head_dim = 128, .rotary_dim = 128},
      .options = kernel_options(),
      .styles = {Style::half},
      .dtypes = {Dtype::f32, Dtype::f16, Dtype::bf16},
      .variants =
          {
              table_variant("masked", "tiles of 8 heads, masked: any sizes", run_masked<false>),
              in_element_type,
              table_variant("promised", "masked, with promises about alignment and sizes", run_promised),
              table_variant("split", "pairs cut into powers of two, no masks along them", run_split),
              table_variant("whole", "tiles of 8 heads, no masks", run_whole<8, 8>),
              table_variant("whole_32", "the same, tiles of 32 heads of q", run_whole<32, 8>),
              table_variant("two_warps", "whole, with a hint: two warps per block",
                            run_whole<8, 8, Blocks::of_two_warps>),
              table_variant("spread", "whole, with a block for each tile", run_whole<8, 8, Blocks::many>),
              table_variant("two_tokens", "whole, with two tokens in a tile: their rows are gathered",
                            run_two_tokens),
          },
      .not_traced = "a tile kernel does not say which thread accesses what",
      .refusal = refusal,
  };
}

}  // namespace ropewalk::tiles
