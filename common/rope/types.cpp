/// \file
/// The words of types.hpp as text, and the rules a shape must keep.
#include "common/rope/types.hpp"

#include <charconv>
#include <limits>

namespace ropewalk {
namespace {

/// a·b, or false when it does not fit. Both are ≥ 0.
bool multiply(std::int64_t& a, std::int64_t b) {
  if (b != 0 && a > std::numeric_limits<std::int64_t>::max() / b) return false;
  a *= b;
  return true;
}

bool tensor_fits(const Shape& shape, std::int64_t heads) {
  std::int64_t bytes = static_cast<std::int64_t>(sizeof(double));
  return multiply(bytes, shape.batch) && multiply(bytes, shape.tokens) && multiply(bytes, heads) &&
         multiply(bytes, shape.head_dim);
}

}  // namespace

std::string_view to_string(Style style) {
  return style == Style::half ? "half" : "interleaved";
}

std::string_view to_string(Dtype dtype) {
  switch (dtype) {
    case Dtype::f16:
      return "f16";
    case Dtype::bf16:
      return "bf16";
    case Dtype::f32:
      break;
  }
  return "f32";
}

Style parse_style(std::string_view word, std::string_view field) {
  if (word == "half") return Style::half;
  if (word == "interleaved") return Style::interleaved;
  refuse(std::string(field) + ": unknown style '" + std::string(word) + "'; allowed: half, interleaved");
}

Dtype parse_dtype(std::string_view word, std::string_view field) {
  if (word == "f32") return Dtype::f32;
  if (word == "f16") return Dtype::f16;
  if (word == "bf16") return Dtype::bf16;
  refuse(std::string(field) + ": unknown dtype '" + std::string(word) + "'; allowed: f32, f16, bf16");
}

std::int64_t size_in_bytes(Dtype dtype) {
  return dtype == Dtype::f32 ? 4 : 2;
}

std::string shown(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::general, 6).ptr;
  return {text, end};
}

std::string fault_of(const Shape& shape) {
  const struct {
    const char* name;
    std::int64_t value, least;
  } fields[] = {{"batch", shape.batch, 0},       {"tokens", shape.tokens, 0},
                {"q_heads", shape.q_heads, 1},   {"kv_heads", shape.kv_heads, 0},
                {"head_dim", shape.head_dim, 2}, {"rotary_dim", shape.rotary_dim, 2}};
  for (const auto& field : fields) {
    if (field.value < field.least) {
      return std::string(field.name) + ": " + std::to_string(field.value) +
             " is too small; allowed: " + std::to_string(field.least) + " and up";
    }
  }
  if (shape.rotary_dim % 2 != 0) {
    return "rotary_dim: " + std::to_string(shape.rotary_dim) +
           " is odd, and channels turn in pairs; allowed: an even number from 2 to head_dim";
  }
  if (shape.rotary_dim > shape.head_dim) {
    return "rotary_dim: " + std::to_string(shape.rotary_dim) + " is larger than head_dim " +
           std::to_string(shape.head_dim) + "; allowed: an even number from 2 to head_dim";
  }
  if (shape.rotary_offset < 0 || shape.rotary_offset % 2 != 0 ||
      shape.rotary_offset > shape.head_dim - shape.rotary_dim) {
    return "rotary_offset: " + std::to_string(shape.rotary_offset) +
           (shape.rotary_offset % 2 != 0 ? " is odd" : " moves rotary channels out of the head") +
           "; allowed: an even number from 0 to head_dim - rotary_dim = " +
           std::to_string(shape.head_dim - shape.rotary_dim);
  }
  if (shape.kv_heads > 0 && shape.q_heads % shape.kv_heads != 0) {
    return "kv_heads: " + std::to_string(shape.kv_heads) + " does not divide the " +
           std::to_string(shape.q_heads) + " q heads; allowed: 0 (no k) or a divisor of q_heads";
  }
  // The product without a heads factor, too: a tensor without k must still have countable rows.
  if (!tensor_fits(shape, 1) || !tensor_fits(shape, shape.q_heads) || !tensor_fits(shape, shape.kv_heads)) {
    return "tokens: batch * tokens * heads * head_dim does not fit; allowed: tensors of less than 2^60 "
           "values";
  }
  return {};
}

}  // namespace ropewalk
