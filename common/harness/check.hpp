/// \file
/// Runs a variant on a case and compares every value it must and must not write.
#pragma once

#include <cstddef>
#include <vector>

#include "common/harness/cases.hpp"
#include "common/harness/chapter.hpp"
#include "common/harness/element_bytes.hpp"
#include "common/harness/memory.hpp"
#include "common/harness/placement.hpp"

namespace ropewalk {

/// A case in the memory the chapter works on.
class LoadedCase {
 public:
  /// Uploads q, k, positions, frequencies and, if asked, the cos and sin tables. The tables span the
  /// positions in use; rows that no token asks for are NaN, so that a kernel that reads another token's row
  /// cannot pass.
  LoadedCase(const Case& c, Runs where, bool with_table, Placement placement = Placement::in_place);

  /// What a variant is called with. Pointers are valid as long as this object lives.
  RopeCall call(CUstream_st* stream);

  /// Puts the case's q and k back, as they were before any rotation.
  void restore();

  /// The present values of q, [batch, tokens, q_heads, head_dim].
  std::vector<float> q_values() const { return decode(case_.dtype, tensors_.q(tensors_.read())); }

  /// Compares everything after exactly one run of `variant` on fresh q and k: rotated channels with the exact
  /// result, the others and all inputs bit for bit with what they were, guard bytes with their pattern.
  CheckResult compare(const Variant& variant) const;

  /// The part of compare() that needs no exact result: inputs and guard bytes, after any number of runs.
  void compare_surroundings(CheckResult& result) const { compare_surroundings(tensors_.read(), result); }

 private:
  void compare_surroundings(const PlacedTensors::Snapshot& now, CheckResult& result) const;

  const Case& case_;
  std::int32_t first_position_ = 0;
  std::int64_t table_rows_ = 0;
  PlacedTensors tensors_;
  std::vector<std::byte> positions_before_, inv_freq_before_, cos_before_, sin_before_;
  GuardedBuffer positions_, inv_freq_, cos_, sin_;
};

/// Loads the case, runs the variant once and compares.
CheckResult check_variant(const Variant& variant, const Case& c, Runs where);

/// Bytes a variant must move at least: q and k read and written (in place only the channels that turn),
/// positions read, and once what it reads of the table or of the list of frequencies.
std::int64_t bytes_to_move(const Shape& shape, Dtype dtype, const Variant& variant);

}  // namespace ropewalk
