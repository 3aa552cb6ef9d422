/// \file
/// Converting a checkpoint from one pairing style to the other: the rows of the projections that make q and k
/// change places, nothing else.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/rope/types.hpp"

namespace ropewalk {

/// A projection onto q or k: its weight is [heads · head_dim, columns], row after row. A bias is one with a
/// single column. k has kv_heads heads.
struct Projection {
  std::int64_t heads;
  std::int64_t head_dim;
  std::int64_t rotary_dim;
  std::int64_t columns;

  std::int64_t rows() const { return heads * head_dim; }
};

/// For each row of the converted weight, the row of the original that belongs there. Rows beyond rotary_dim
/// stay where they are.
std::vector<std::int64_t> rows_in_other_style(const Projection& projection, Style from, Style to);

/// The weight for style `to` of a weight for style `from`. q and k then come out with their channels permuted
/// alike, so that q · k is the same. Throws InputError if the weight has another size, or rotary_dim is odd,
/// zero or larger than head_dim.
template <class T>
std::vector<T> in_other_style(std::span<const T> weight, const Projection& projection, Style from, Style to);

}  // namespace ropewalk
