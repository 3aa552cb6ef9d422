/// \file
/// Reads the RoPE part of a model's config.json as published.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/rope/schedules/schedule.hpp"
#include "common/rope/types.hpp"

namespace ropewalk {

/// What a config.json says about RoPE.
struct ModelConfig {
  std::string name;        ///< file stem, or the file's own "name"
  std::string model_type;  ///< as in the file
  Style style = Style::half;
  std::string
      style_source;  ///< where the style comes from: "--style", "rope_interleave" or the table by model_type
  std::int64_t q_heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t head_dim = 0;
  ScheduleSpec schedule;  ///< rope_type, base, rotary_dim
};

/// Reads rope_theta, rope_scaling or rope_parameters ("type" read as "rope_type"), head_dim or hidden_size /
/// num_attention_heads, num_key_value_heads, partial_rotary_factor or rotary_pct with the model type's own
/// default, nested text_config, and per-layer-type rope_parameters (then `layer_type` picks one; empty throws
/// and lists them). The style is `style` where given, else the file's rope_interleave, else the table of
/// model_types.cpp. Throws InputError with one line "PATH: field: what is wrong; allowed: …" for anything
/// malformed: a directory, a file over 16 MiB, text that is not JSON, NaN, a number out of range, an odd
/// rotary width, a field that contradicts another. Throws NotSupported for what is legal but not implemented
/// yet: a rope_type make_schedule() does not have, and the fields of other techniques (M-RoPE, latent
/// attention, layers without RoPE), since ignoring one would be a wrong answer.
ModelConfig read_model_config(const std::string& path, const std::string& layer_type = "",
                              std::optional<Style> style = {});

}  // namespace ropewalk
