/// \file
/// The variants of chapter 02 as the harness calls them.
#pragma once

#include <vector>

#include "chapters/02_cpu_reference/reference.hpp"

namespace ropewalk::reference {

inline std::vector<Variant> variants() {
  return {
      {.name = "table",
       .what = "cos and sin from a table computed in double",
       .angles = Angles::exact,
       .reads_table = true,
       .run = [](const RopeCall& call) { rotate_q_and_k(call, row_from_table); }},
      {.name = "angles",
       .what = "angle = position · frequency in float, then cos and sin",
       .angles = Angles::f32_list,
       .run = [](const RopeCall& call) { rotate_q_and_k(call, row_from_angles); }},
      {.name = "powf",
       .what = "the frequency in float as well",
       .angles = Angles::f32_powf,
       .run = [](const RopeCall& call) { rotate_q_and_k(call, row_from_powf); }},
  };
}

}  // namespace ropewalk::reference
