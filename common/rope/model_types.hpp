/// \file
/// What a config.json leaves unsaid: the pairing style and the defaults that belong to its model_type.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/rope/types.hpp"

namespace ropewalk {

/// One model_type. The numbers hold where the file lacks the field.
struct ModelType {
  const char* name;
  Style style;
  std::int64_t head_dim = 0;           ///< 0: hidden_size / num_attention_heads
  std::int64_t kv_heads = 0;           ///< 0: as many as q heads
  double partial_rotary_factor = 1.0;  ///< share of head_dim that turns
  double base = 10000.0;               ///< 0: the file must say
  const char* rope_type = "default";
  bool has_rotary_dim = false;  ///< the file gives the width that turns, and no share of head_dim
};

/// The entry of a model_type, or null.
const ModelType* find_model_type(std::string_view name);

/// All model_types, as one readable list.
std::string known_model_types();

}  // namespace ropewalk
