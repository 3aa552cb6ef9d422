/// \file
/// Chapter 04 as the harness sees it: its description and its variants.
#pragma once

#include <string>
#include <type_traits>

#include "chapters/03_naive/kernels.cuh"
#include "chapters/04_shared_memory/kernels.cuh"
#include "common/harness/chapter.hpp"
#include "common/harness/dispatch.hpp"

namespace ropewalk::shared_memory {

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

template <class Source>
Source source_of(const RopeCall& call) {
  if constexpr (std::is_same_v<Source, FromTable>)
    return {table_of(call)};
  else
    return {static_cast<float>(call.base)};
}

template <class Source>
void run_token_direct(const RopeCall& call) {
  with_tensors(call, [&]<class T>(const Tensors<T>& a) {
    launch_per_token(call.stream, rope_token_direct<T, Source>, a, source_of<Source>(call));
  });
}

template <class Source>
void run_token_registers(const RopeCall& call) {
  with_tensors(call, [&]<class T>(const Tensors<T>& a) {
    launch_per_token(call.stream, rope_token_registers<T, Source>, a, source_of<Source>(call));
  });
}

template <class Source, int kTokens = 1>
void run_token_staged(const RopeCall& call) {
  with_tensors(call,
               [&](const auto& a) { launch_token_staged(call.stream, a, source_of<Source>(call), kTokens); });
}

/// What the chapter cannot do: cosines and sines of a token that do not fit into a block's shared memory.
inline std::string refusal(const Shape& shape) {
  if (shape.rotary_dim <= kMostSharedFloats) return "";
  return "rotary_dim: " + std::to_string(shape.rotary_dim) +
         " cosines and sines do not fit into the shared memory of a block; allowed: up to " +
         std::to_string(kMostSharedFloats);
}

inline Chapter chapter() {
  return {
      .name = "04_shared_memory",
      .title = "Sharing a row",
      .what =
          "Rotates q and k in place, one block per token: all of its heads use the same cosines and sines.",
      .runs = Runs::on_device,
      .default_shape =
          {.batch = 2, .tokens = 48, .q_heads = 8, .kv_heads = 2, .head_dim = 128, .rotary_dim = 128},
      .options = kernel_options(),
      .styles = {Style::half},
      .dtypes = {Dtype::f32, Dtype::f16, Dtype::bf16},
      .variants =
          {
              table_variant("naive", "chapter 03's table kernel, to compare with", run_naive),
              table_variant("head_direct", "four heads per block (of 128 channels), numbers from the table",
                            run_head_direct),
              table_variant("head_staged",
                            "the same, each head with a copy in shared memory: nothing is shared",
                            run_head_staged),
              table_variant("token_direct", "a token per block, each head reads the table again",
                            run_token_direct<FromTable>),
              table_variant("token_staged", "a token per block, its heads share a copy in shared memory",
                            run_token_staged<FromTable>),
              table_variant("four_tokens", "the same with four tokens per block",
                            run_token_staged<FromTable, 4>),
              table_variant("token_registers", "a token per block, each thread keeps its two numbers",
                            run_token_registers<FromTable>),
              powf_variant("powf_direct", "token_direct, but computed with powf instead of read",
                           run_token_direct<FromPowf>),
              powf_variant("powf_staged", "token_staged, computed", run_token_staged<FromPowf>),
              powf_variant("powf_registers", "token_registers, computed", run_token_registers<FromPowf>),
          },
      .refusal = refusal,
  };
}

}  // namespace ropewalk::shared_memory
