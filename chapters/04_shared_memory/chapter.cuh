/// \file
/// Chapter 04 as the harness sees it: its description and its variants.
#pragma once

#include <string>

#include "chapters/03_naive/kernels.cuh"
#include "chapters/04_shared_memory/kernels.cuh"
#include "common/harness/chapter.hpp"
#include "common/harness/dispatch.hpp"

namespace ropewalk::shared_memory {

/// Calls launch_one(tensors) with q and k as the call's element type.
template <class LaunchOne>
void with_tensors(const RopeCall& call, LaunchOne launch_one) {
  with_element_type(call.dtype, [&]<class T>(T*) {
    const Shape& s = call.shape;
    launch_one(Tensors<T>{.q = static_cast<T*>(call.q),
                          .k = static_cast<T*>(call.k),
                          .positions = call.positions,
                          .tokens = s.token_count(),
                          .q_heads = static_cast<int>(s.q_heads),
                          .kv_heads = static_cast<int>(s.kv_heads),
                          .head_dim = static_cast<int>(s.head_dim),
                          .rotary_dim = static_cast<int>(s.rotary_dim)});
  });
}

/// Chapter 03's table kernel, to compare with: one launch for q, one for k.
inline void run_naive(const RopeCall& call) {
  with_tensors(call, [&]<class T>(const Tensors<T>& a) {
    const auto rotate = [&](T* x, int heads) {
      const naive::Heads<T> h{x, a.positions, a.tokens, heads, a.head_dim, a.rotary_dim};
      naive::launch_per_pair(call.stream, naive::rope_table<T>, h, table_of(call));
    };
    rotate(a.q, a.q_heads);
    if (a.kv_heads > 0) rotate(a.k, a.kv_heads);
  });
}

inline void run_head_direct(const RopeCall& call) {
  with_tensors(call, [&]<class T>(const Tensors<T>& a) {
    launch_per_head(call.stream, rope_head_direct<T>, a, table_of(call), 0);
  });
}

inline void run_head_staged(const RopeCall& call) {
  with_tensors(call, [&]<class T>(const Tensors<T>& a) {
    launch_per_head(call.stream, rope_head_staged<T>, a, table_of(call), a.rotary_dim);
  });
}

inline void run_token_direct(const RopeCall& call) {
  with_tensors(call, [&]<class T>(const Tensors<T>& a) {
    launch_per_token(call.stream, rope_token_direct<T>, a, table_of(call));
  });
}

inline void run_token_registers(const RopeCall& call) {
  with_tensors(call, [&]<class T>(const Tensors<T>& a) {
    launch_per_token(call.stream, rope_token_registers<T>, a, table_of(call));
  });
}

template <int kTokens>
void run_token_staged(const RopeCall& call) {
  with_tensors(
      call, [&](const auto& a) { launch_token_staged(call.stream, a, FromTable{table_of(call)}, kTokens); });
}

inline void run_token_powf(const RopeCall& call) {
  with_tensors(call, [&](const auto& a) {
    launch_token_staged(call.stream, a, FromPowf{static_cast<float>(call.base)}, 1);
  });
}

/// What the chapter cannot do: rows that are longer than a block's shared memory.
inline std::string refusal(const Shape& shape) {
  if (shape.rotary_dim <= kMostSharedFloats) return "";
  return "rotary_dim: " + std::to_string(shape.rotary_dim) +
         " numbers of a row do not fit into the shared memory of a block; allowed: up to " +
         std::to_string(kMostSharedFloats);
}

inline Chapter chapter() {
  return {
      .name = "04_shared_memory",
      .title = "Sharing a row",
      .what =
          "Rotates q and k in place, one block per token: all heads of the token use one row of cosines and "
          "sines.",
      .runs = Runs::on_device,
      .default_shape =
          {.batch = 2, .tokens = 48, .q_heads = 8, .kv_heads = 2, .head_dim = 128, .rotary_dim = 128},
      .options = kernel_options(),
      .styles = {Style::half},
      .dtypes = {Dtype::f32, Dtype::f16, Dtype::bf16},
      .variants =
          {
              {.name = "naive",
               .what = "chapter 03's table kernel, to compare with",
               .angles = Angles::exact,
               .reads_table = true,
               .run = run_naive},
              {.name = "head_direct",
               .what = "a few heads per block, numbers straight from the table",
               .angles = Angles::exact,
               .reads_table = true,
               .run = run_head_direct},
              {.name = "head_staged",
               .what = "the same, a row in shared memory for each head: nothing is shared",
               .angles = Angles::exact,
               .reads_table = true,
               .run = run_head_staged},
              {.name = "token_direct",
               .what = "one token per block, numbers straight from the table",
               .angles = Angles::exact,
               .reads_table = true,
               .run = run_token_direct},
              {.name = "token_staged",
               .what = "one token per block, its row in shared memory for all heads",
               .angles = Angles::exact,
               .reads_table = true,
               .run = run_token_staged<1>},
              {.name = "four_tokens",
               .what = "the same with four tokens and four rows per block",
               .angles = Angles::exact,
               .reads_table = true,
               .run = run_token_staged<4>},
              {.name = "token_registers",
               .what = "one token per block, each thread keeps its two numbers in registers",
               .angles = Angles::exact,
               .reads_table = true,
               .run = run_token_registers},
              {.name = "token_powf",
               .what = "one token per block, the row computed with powf instead of copied",
               .angles = Angles::f32_powf,
               .run = run_token_powf},
          },
      .refusal = refusal,
  };
}

}  // namespace ropewalk::shared_memory
