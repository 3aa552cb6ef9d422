/// \file
/// Chapter 06 as the harness sees it: its description, its variants, and what it checks besides.
#pragma once

#include <vector>

#include "chapters/06_interleaved/kernels.cuh"
#include "chapters/06_interleaved/styles.cuh"
#include "common/harness/chapter.hpp"
#include "common/harness/dispatch.hpp"

namespace ropewalk::interleaved {

template <int kPairs>
void run(const RopeCall& call) {
  with_tensors(call, [&](const auto& a) { launch_interleaved(call.stream, a, table_of(call), kPairs); });
}

inline std::vector<CheckResult> show_and_check(const RunRequest& request) {
  if (!request.vectors.empty()) return {};
  show_wrong_style(request.schedule, request.seed);
  return check_conversion(request.schedule, request.seed);
}

inline Chapter chapter() {
  return {
      .name = "06_interleaved",
      .title = "The other style",
      .what = "Rotates q and k in place, pairs of neighbouring channels, one block per token.",
      .runs = Runs::on_device,
      .default_shape =
          {.batch = 2, .tokens = 48, .q_heads = 8, .kv_heads = 2, .head_dim = 128, .rotary_dim = 128},
      .options = kernel_options(),
      .styles = {Style::interleaved},
      .dtypes = {Dtype::f32, Dtype::f16, Dtype::bf16},
      .variants =
          {
              table_variant("stride_2", "a thread owns a pair and moves one channel at a time", run<0>),
              table_variant("one_pair", "the two channels of a pair with one access", run<1>),
              table_variant("two_pairs", "a thread owns two pairs and moves them together", run<2>),
              table_variant("four_pairs", "four pairs, 16 bytes an access", run<4>),
          },
      .own_checks = show_and_check,
  };
}

}  // namespace ropewalk::interleaved
