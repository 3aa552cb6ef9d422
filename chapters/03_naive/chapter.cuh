/// \file
/// Chapter 03 as the harness sees it: its description and its variants.
#pragma once

#include <vector>

#include "chapters/03_naive/kernels.cuh"
#include "common/harness/chapter.hpp"
#include "common/harness/dispatch.hpp"

namespace ropewalk::naive {

/// Calls launch_one(stream, heads) for q and, if there is one, for k.
template <class LaunchOne>
void for_q_and_k(const RopeCall& call, LaunchOne launch_one) {
  with_element_type(call.dtype, [&]<class T>(T*) {
    const Shape& s = call.shape;
    const auto heads = [&](void* x, std::int64_t count) {
      return Heads<T>{static_cast<T*>(x),
                      call.positions,
                      s.token_count(),
                      static_cast<int>(count),
                      static_cast<int>(s.head_dim),
                      static_cast<int>(s.rotary_dim)};
    };
    launch_one(heads(call.q, s.q_heads));
    if (s.kv_heads > 0) launch_one(heads(call.k, s.kv_heads));
  });
}

inline void run_table(const RopeCall& call) {
  const Table table = table_of(call);
  for_q_and_k(call,
              [&]<class T>(const Heads<T>& h) { launch_per_pair(call.stream, rope_table<T>, h, table); });
}

inline void run_angles(const RopeCall& call) {
  for_q_and_k(call, [&]<class T>(const Heads<T>& h) {
    launch_per_pair(call.stream, rope_angles<T>, h, call.inv_freq);
  });
}

inline void run_powf(const RopeCall& call) {
  const float base = static_cast<float>(call.base);
  for_q_and_k(call, [&]<class T>(const Heads<T>& h) { launch_per_pair(call.stream, rope_powf<T>, h, base); });
}

inline void run_row_per_block(const RopeCall& call) {
  const Table table = table_of(call);
  for_q_and_k(call, [&]<class T>(const Heads<T>& h) { launch_per_row(call.stream, h, table); });
}

inline Chapter chapter() {
  return {
      .name = "03_naive",
      .title = "One thread per pair",
      .what =
          "Rotates q and k in place with the simplest kernel there is: every CUDA thread owns one pair of "
          "channels.",
      .runs = Runs::on_device,
      .default_shape =
          {.batch = 2, .tokens = 48, .q_heads = 8, .kv_heads = 2, .head_dim = 128, .rotary_dim = 128},
      .options = kernel_options(),
      .styles = {Style::half},
      .dtypes = {Dtype::f32, Dtype::f16, Dtype::bf16},
      .variants =
          {
              table_variant("table", "cos and sin from a table computed in double", run_table),
              list_variant("angles", "angle = position * frequency, then sincosf", run_angles),
              powf_variant("powf", "every thread computes its frequency too", run_powf),
              table_variant("row_per_block",
                            "the table again, one block of 256 threads per head: most have nothing to do",
                            run_row_per_block),
          },
  };
}

}  // namespace ropewalk::naive
