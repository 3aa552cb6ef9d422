/// \file
/// Reads test vectors in the format rope-golden-1 (common/vectors/README.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/rope/schedules/schedule.hpp"
#include "common/rope/types.hpp"

namespace ropewalk {

/// One file of common/vectors: a configuration, inputs and the outputs they must give.
struct TestVector {
  std::string path, name;
  std::string op;      ///< empty: rotate x; else "kv_shift", "rmsnorm_rope"
  std::string layout;  ///< of the positions: "1d", "mrope_chunked", …
  Style style = Style::half;
  std::int64_t n_pos = 0, n_heads = 0, head_dim = 0;
  ScheduleSpec schedule;
  std::vector<std::int32_t> positions;  // [axes][n_pos]; one axis for "1d"
  std::vector<double> inv_freq;         // [rotary_dim/2]
  double attention_factor = 1.0;
  std::vector<double> x, y, y_f32_angle;  // [n_pos][n_heads][head_dim]; empty when `op` has none
};

/// Reads and validates one file: sizes of every array, finite numbers, known values of known fields.
/// Throws InputError "PATH: field: what is wrong and what is allowed". Whether a chapter implements the
/// file's op, layout, style and rope_type is the caller's question.
TestVector read_test_vector(const std::string& path);

}  // namespace ropewalk
