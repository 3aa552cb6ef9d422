/// \file
/// Chapter 01 as the harness sees it: its description, what it shows and what it checks.
#pragma once

#include "chapters/01_rotation/properties.hpp"
#include "chapters/01_rotation/show.hpp"
#include "common/harness/chapter.hpp"

namespace ropewalk::rotation {

inline std::vector<CheckResult> show_and_check(const RunRequest& request) {
  show_example();
  show_frequencies(request);
  return check_properties(request.schedule, request.seed);
}

inline Chapter chapter() {
  return {
      .name = "01_rotation",
      .title = "Rotation is relative position",
      .what =
          "Turns pairs of numbers by an angle that grows with the position, and checks what makes that "
          "useful.",
      .runs = Runs::on_host,
      // tokens is the length of the context; there is nothing here that has heads or a batch.
      .default_shape =
          {.batch = 1, .tokens = 4096, .q_heads = 1, .kv_heads = 1, .head_dim = 128, .rotary_dim = 128},
      .options = {"tokens", "head-dim", "rotary-dim", "base", "seed", "config", "layer-type", "schedule"},
      .styles = {Style::half, Style::interleaved},
      .own_checks = show_and_check,
  };
}

}  // namespace ropewalk::rotation
