/// \file
/// Chapter 02 as the harness sees it: its description, its variants and what it shows before they are
/// checked.
#pragma once

#include <vector>

#include "chapters/02_cpu_reference/accuracy.hpp"
#include "chapters/02_cpu_reference/reference.hpp"
#include "common/harness/chapter.hpp"

namespace ropewalk::reference {

inline std::vector<CheckResult> show_and_check(const RunRequest& request) {
  std::vector<CheckResult> results;
  for (const TestVector& vector : request.vectors) results.push_back(check_oracle(vector));
  if (!request.vectors.empty()) return results;
  show_wrong_places();
  return show_accuracy(request.schedule);
}

inline Chapter chapter() {
  return {
      .name = "02_cpu_reference",
      .title = "An oracle you can trust",
      .what =
          "Rotates q and k in plain C++, with float arithmetic, and compares every value with the same "
          "computed in double.",
      .runs = Runs::on_host,
      .default_shape =
          {.batch = 2, .tokens = 48, .q_heads = 8, .kv_heads = 2, .head_dim = 128, .rotary_dim = 128},
      .options = tensor_options(),
      .styles = {Style::half, Style::interleaved},
      .dtypes = {Dtype::f32},
      .variants =
          {
              table_variant("table", "cos and sin from a table computed in double",
                            [](const RopeCall& call) { rotate_q_and_k(call, row_from_table); }),
              list_variant("angles", "angle = position · frequency in float, then cos and sin",
                           [](const RopeCall& call) { rotate_q_and_k(call, row_from_angles); }),
              powf_variant("powf", "the frequency in float as well",
                           [](const RopeCall& call) { rotate_q_and_k(call, row_from_powf); }),
          },
      .own_checks = show_and_check,
  };
}

}  // namespace ropewalk::reference
