/// \file
/// The table of model types. Styles and defaults were read in Hugging Face transformers 5.17.0: the style in
/// models/NAME/modeling_NAME.py (rotate_half() splitting the last dimension in two is half, x[..., ::2] with
/// x[..., 1::2] is interleaved), the defaults in models/NAME/configuration_NAME.py. A type is listed only if
/// both were read.
#include "common/rope/model_types.hpp"

namespace ropewalk {
namespace {

constexpr Style kHalf = Style::half;
constexpr Style kInterleaved = Style::interleaved;

constexpr ModelType kModelTypes[] = {
    {.name = "llama", .style = kHalf},
    {.name = "mistral", .style = kHalf, .kv_heads = 8},
    {.name = "mixtral", .style = kHalf, .kv_heads = 8, .base = 1e6},
    {.name = "qwen2", .style = kHalf, .kv_heads = 32},
    {.name = "qwen3", .style = kHalf, .head_dim = 128, .kv_heads = 32},
    {.name = "gemma", .style = kHalf, .head_dim = 256, .kv_heads = 16},
    {.name = "gemma2", .style = kHalf, .head_dim = 256, .kv_heads = 4},
    {.name = "gemma3_text", .style = kHalf, .head_dim = 256, .kv_heads = 4, .base = 1e6},
    {.name = "falcon", .style = kHalf},
    {.name = "gpt_neox", .style = kHalf, .partial_rotary_factor = 0.25},
    {.name = "stablelm", .style = kHalf, .kv_heads = 32, .partial_rotary_factor = 0.25},
    {.name = "phi", .style = kHalf, .partial_rotary_factor = 0.5},
    {.name = "phi3", .style = kHalf},
    {.name = "nemotron", .style = kHalf, .partial_rotary_factor = 0.5},
    {.name = "persimmon", .style = kHalf, .partial_rotary_factor = 0.5, .base = 0},
    {.name = "olmo", .style = kHalf},
    {.name = "olmo2", .style = kHalf},
    {.name = "starcoder2", .style = kHalf, .kv_heads = 2},
    {.name = "granite", .style = kHalf},
    {.name = "gpt_oss", .style = kHalf, .head_dim = 64, .kv_heads = 8, .base = 150000.0, .rope_type = "yarn"},
    {.name = "gptj", .style = kInterleaved, .has_rotary_dim = true},
    {.name = "codegen", .style = kInterleaved, .has_rotary_dim = true},
    {.name = "glm", .style = kInterleaved, .head_dim = 128, .kv_heads = 2, .partial_rotary_factor = 0.5},
    {.name = "glm4", .style = kInterleaved, .head_dim = 128, .kv_heads = 2, .partial_rotary_factor = 0.5},
    {.name = "cohere", .style = kInterleaved, .base = 0},  // the default has changed between versions
    {.name = "cohere2", .style = kInterleaved},
    {.name = "helium", .style = kInterleaved, .head_dim = 128, .kv_heads = 20, .base = 100000.0},
    // Not in transformers: read in the code published with the models, modeling_internlm2.py and
    // modeling_chatglm.py.
    {.name = "internlm2", .style = kHalf, .base = 0},
    {.name = "chatglm", .style = kInterleaved, .partial_rotary_factor = 0.5},
};

}  // namespace

const ModelType* find_model_type(std::string_view name) {
  for (const ModelType& type : kModelTypes) {
    if (name == type.name) return &type;
  }
  return nullptr;
}

std::string known_model_types() {
  std::string list;
  for (const ModelType& type : kModelTypes) list += (list.empty() ? "" : ", ") + std::string(type.name);
  return list;
}

}  // namespace ropewalk
