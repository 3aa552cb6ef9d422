/// \file
/// Chapter 02: RoPE in plain C++. Nothing here is shared with the oracle it is compared with.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "common/harness/chapter.hpp"

namespace ropewalk::reference {

// [pair]
/// The two channels of pair p, counted from the start of a head.
struct Channels {
  std::int64_t first, second;
};

inline Channels channels_of(Style style, std::int64_t p, std::int64_t rotary_dim) {
  if (style == Style::interleaved) return {2 * p, 2 * p + 1};
  return {p, p + rotary_dim / 2};  // half of the channels that turn, not half of the head
}
// [pair]

// [rotate]
/// cos and sin of the angle by which one pair turns.
struct Rotation {
  float cosine, sine;
};

/// Turns the first 2 · row.size() channels of one head, in place. The others are not touched.
inline void rotate_head(float* head, Style style, const std::vector<Rotation>& row) {
  const auto pairs = static_cast<std::int64_t>(row.size());
  for (std::int64_t p = 0; p < pairs; ++p) {
    const auto [first, second] = channels_of(style, p, 2 * pairs);
    const auto [c, s] = row[static_cast<std::size_t>(p)];
    const float x0 = head[first];  // read both before either is written
    const float x1 = head[second];
    head[first] = x0 * c - x1 * s;
    head[second] = x0 * s + x1 * c;
  }
}
// [rotate]

// [call]
/// Rotates q and k. fill_row(call, position, row) computes cos and sin of every pair; that is done once per
/// token and serves all heads of q and of k, because the angle does not depend on the head.
template <class FillRow>
void rotate_q_and_k(const RopeCall& call, FillRow fill_row) {
  const Shape& s = call.shape;
  std::vector<Rotation> row(static_cast<std::size_t>(s.pairs()));
  float* q = static_cast<float*>(call.q);
  float* k = static_cast<float*>(call.k);
  for (std::int64_t token = 0; token < s.token_count(); ++token) {
    fill_row(call, call.positions[token], row);
    for (std::int64_t h = 0; h < s.q_heads; ++h, q += s.head_dim) rotate_head(q, call.style, row);
    for (std::int64_t h = 0; h < s.kv_heads; ++h, k += s.head_dim) rotate_head(k, call.style, row);
  }
}
// [call]

// [table]
/// From a table, [rows, pairs], computed in double and rounded to float once. Outside the table the answer is
/// NaN, never a stray read.
inline void row_from_table(const RopeCall& call, std::int32_t position, std::vector<Rotation>& row) {
  const std::int64_t r = std::int64_t{position} - call.first_position;
  if (r < 0 || r >= call.table_rows) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    std::fill(row.begin(), row.end(), Rotation{nan, nan});
    return;
  }
  const std::size_t start = static_cast<std::size_t>(r) * row.size();
  for (std::size_t p = 0; p < row.size(); ++p)
    row[p] = {call.cos_table[start + p], call.sin_table[start + p]};
}
// [table]

// [angles]
/// On the fly, from a list of frequencies: only the list was computed in double.
inline void row_from_angles(const RopeCall& call, std::int32_t position, std::vector<Rotation>& row) {
  for (std::size_t p = 0; p < row.size(); ++p) {
    const float angle = static_cast<float>(position) * call.inv_freq[p];
    row[p] = {std::cos(angle), std::sin(angle)};
  }
}
// [angles]

// [powf]
/// On the fly, frequencies too: everything in float.
inline void row_from_powf(const RopeCall& call, std::int32_t position, std::vector<Rotation>& row) {
  for (std::size_t p = 0; p < row.size(); ++p) {
    const float exponent = -2.0f * static_cast<float>(p) / static_cast<float>(call.shape.rotary_dim);
    const float angle = static_cast<float>(position) * std::pow(static_cast<float>(call.base), exponent);
    row[p] = {std::cos(angle), std::sin(angle)};
  }
}
// [powf]

// [product]
/// The factor between the frequencies of two neighbouring pairs.
inline float frequency_step(const RopeCall& call) {
  return std::pow(static_cast<float>(call.base), -2.0f / static_cast<float>(call.shape.rotary_dim));
}

/// On the fly, without a power per pair: every angle is the one before it times the same factor.
inline void row_from_product(const RopeCall& call, std::int32_t position, std::vector<Rotation>& row) {
  const float step = frequency_step(call);
  float angle = static_cast<float>(position);
  for (Rotation& entry : row) {
    entry = {std::cos(angle), std::sin(angle)};
    angle *= step;  // rounds: pair p carries the errors of all pairs before it
  }
}
// [product]

}  // namespace ropewalk::reference
