/// \file
/// The words every chapter shares: styles, element types and the sizes of one RoPE call.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace ropewalk {

/// Which two channels of a head form pair p. The checkpoint decides; mixing them up gives fluent nonsense.
enum class Style {
  half,         ///< (p, p + rotary_dim/2): GPT-NeoX, Hugging Face's rotate_half
  interleaved,  ///< (2p, 2p + 1): GPT-J, Meta's LLaMA files, GGUF LLaMA
};

/// Element type of q and k in memory. A kernel that says nothing else computes in float and rounds once, on
/// the store.
enum class Dtype { f32, f16, bf16 };

/// Sizes of one call. q is [batch, tokens, q_heads, head_dim], k is [batch, tokens, kv_heads, head_dim],
/// both contiguous unless said otherwise; positions are [batch, tokens]. In each head, rotary_dim channels
/// turn, from rotary_offset on.
struct Shape {
  std::int64_t batch = 1;
  std::int64_t tokens = 0;
  std::int64_t q_heads = 0;
  std::int64_t kv_heads = 0;  ///< 0: there is no k
  std::int64_t head_dim = 0;
  std::int64_t rotary_dim = 0;
  std::int64_t rotary_offset = 0;  ///< first channel that turns; even

  std::int64_t pairs() const { return rotary_dim / 2; }
  /// Tokens of all sequences of the batch: the number of positions.
  std::int64_t token_count() const { return batch * tokens; }
  std::int64_t q_size() const { return token_count() * q_heads * head_dim; }
  std::int64_t k_size() const { return token_count() * kv_heads * head_dim; }
};

/// Bad input from outside (an option, a file, a field). what() is one line: what is wrong, what is allowed.
struct InputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Input that is legal but not implemented, yet or in this chapter. what() names it and what is implemented.
struct NotSupported : InputError {
  using InputError::InputError;
};

/// The word for it, as on the command line.
std::string_view to_string(Style style);
std::string_view to_string(Dtype dtype);

/// The other way round. Throws InputError, naming `field` and the allowed words.
Style parse_style(std::string_view word, std::string_view field);
Dtype parse_dtype(std::string_view word, std::string_view field);

/// Bytes of one element.
std::int64_t size_in_bytes(Dtype dtype);

/// What is wrong with a shape, as "field: what is wrong; allowed: …", or empty: negative sizes, an odd or
/// zero rotary_dim, rotary_dim > head_dim, an odd rotary_offset or one from which the rotary channels would
/// leave the head, q_heads that are not a multiple of kv_heads, or sizes whose product in bytes (eight per
/// value, the oracle's double) does not fit int64. Zero tokens and zero kv_heads are fine.
std::string fault_of(const Shape& shape);

/// A number as messages show it: at most six digits, and a decimal point whatever the locale.
std::string shown(double value);

/// Throw InputError or NotSupported with this message. Defined in refuse.cpp, the only file of the
/// mathematics that says `throw`: a build without exceptions replaces that one.
[[noreturn]] void refuse(const std::string& message);
[[noreturn]] void refuse_as_not_supported(const std::string& message);

}  // namespace ropewalk
