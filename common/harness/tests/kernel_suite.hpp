/// \file
/// What every chapter's variants must do. A chapter's tests call check_kernels() and add what is special to
/// them.
#pragma once

#include <cstdint>
#include <vector>

#include "common/harness/cases.hpp"
#include "common/harness/chapter.hpp"

namespace ropewalk::suite {

/// Everything below, as sections of the test case that calls it: every variant in every dtype and style of
/// the chapter. At least `fewest_vectors` files of common/vectors must apply.
void check_kernels(const Chapter& chapter, int fewest_vectors);

/// Runs every variant on the case; all values must be compared and right.
void check_every_variant(const Chapter& chapter, const Case& c);

/// The test vectors that the chapter implements: no op, and its layouts, rope_types and styles.
std::vector<TestVector> vectors_of(const Chapter& chapter);

/// One head of floats, rotated by a variant.
struct OneHead {
  std::vector<float> x;  ///< head_dim values
  std::int64_t rotary_dim = 0;
  std::int32_t position = 0;
  Style style = Style::half;
  double base = 10000.0;
};
std::vector<float> rotate_one(const Variant& variant, Runs where, const OneHead& head);

/// CHECKs each value within 2e-6: a few roundings of a float of single-digit size.
void check_close(const std::vector<float>& got, const std::vector<double>& expected);

}  // namespace ropewalk::suite
