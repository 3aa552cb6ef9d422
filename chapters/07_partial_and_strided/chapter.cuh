/// \file
/// Chapter 07 as the harness sees it: its description and its variants.
#pragma once

#include <string>
#include <type_traits>
#include <vector>

#include "chapters/07_partial_and_strided/kernels.cuh"
#include "common/harness/chapter.hpp"
#include "common/harness/dispatch.hpp"

namespace ropewalk::strided {

template <class T>
View<T> view_of(const PlacedTensor& tensor) {
  return {static_cast<T*>(tensor.data), tensor.batch_stride, tensor.token_stride, tensor.head_stride};
}

template <class From, class To>
Rotation<From, To> rotation_of(const RopeCall& call) {
  const Shape& s = call.shape;
  return {.q_from = view_of<const From>(call.q_from),
          .k_from = view_of<const From>(call.k_from),
          .q_to = view_of<To>(call.q_to),
          .k_to = view_of<To>(call.k_to),
          .positions = call.positions,
          .batch = s.batch,
          .tokens = s.tokens,
          .q_heads = static_cast<int>(s.q_heads),
          .kv_heads = static_cast<int>(s.kv_heads),
          .head_dim = static_cast<int>(s.head_dim),
          .rotary_dim = static_cast<int>(s.rotary_dim),
          .rotary_offset = static_cast<int>(s.rotary_offset),
          .interleaved = call.style == Style::interleaved};
}

/// Accesses of up to kBytes.
template <int kBytes>
void run(const RopeCall& call) {
  with_element_type(call.q_to.dtype, [&]<class T>(T*) {
    if (call.q_from.dtype == call.q_to.dtype) {
      launch_window(call.stream, rotation_of<T, T>(call), table_of(call), kBytes);
    } else {
      launch_window(call.stream, rotation_of<float, T>(call), table_of(call), kBytes);
    }
  });
}

inline Variant placed(Placement placement, std::string name, std::string what) {
  Variant variant = table_variant(std::move(name), std::move(what), run<16>);
  variant.placement = placement;
  return variant;
}

inline std::vector<std::string> options() {
  std::vector<std::string> names = kernel_options();
  names.push_back("rotary-offset");
  return names;
}

inline Chapter chapter() {
  return {
      .name = "07_partial_and_strided",
      .title = "Part of the head, anywhere in memory",
      .what = "Turns a window of each head of q and k, on the way from one place to another or in place.",
      .runs = Runs::on_device,
      .default_shape =
          {.batch = 2, .tokens = 24, .q_heads = 8, .kv_heads = 1, .head_dim = 128, .rotary_dim = 64},
      .small_shape = {.batch = 1,
                      .tokens = 5,
                      .q_heads = 3,
                      .kv_heads = 1,
                      .head_dim = 20,
                      .rotary_dim = 12,
                      .rotary_offset = 4},
      .options = options(),
      .styles = {Style::half, Style::interleaved},
      .dtypes = {Dtype::bf16, Dtype::f16, Dtype::f32},  // the first is the default: `converted` has work
      .variants =
          {
              table_variant("by_channel", "in place, one channel an access", run<2>),
              table_variant("by_8_bytes", "in place, up to 8 bytes an access", run<8>),
              placed(Placement::in_place, "in_place", "in place, up to 16 bytes, as all that follow"),
              placed(Placement::out_of_place, "out_of_place", "from one tensor to another"),
              placed(Placement::packed_qkv, "packed_qkv", "in place in packed rows of q, k and v"),
              placed(Placement::heads_first, "heads_first", "to [batch, heads, tokens, head_dim]"),
              placed(Placement::odd_strides, "odd_strides", "useless strides where a dimension is 1"),
              placed(Placement::misaligned, "misaligned", "one element behind an aligned address"),
              placed(Placement::converted, "converted", "from float to the element type"),
          },
  };
}

}  // namespace ropewalk::strided
