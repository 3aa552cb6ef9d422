/// \file
/// The inputs a chapter is checked on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/harness/chapter.hpp"
#include "common/rope/schedules/schedule.hpp"

namespace ropewalk {

/// One set of inputs with all that is needed to know the right outputs.
struct Case {
  std::string name;
  Shape shape;
  Dtype dtype = Dtype::f32;
  Style style = Style::half;
  ScheduleSpec spec;
  Schedule schedule;
  std::vector<std::int32_t> positions;  // [batch, tokens]
  std::vector<float> q;                 // [batch, tokens, q_heads, head_dim], values of dtype
  std::vector<float> k;                 // [batch, tokens, kv_heads, head_dim]
  std::vector<double> given;  ///< expected q and k as a test vector gives them; empty: ask the oracle
  std::vector<double> given_f32_angle;  ///< the same with float32 angles
};

/// The case every kernel meets first: distinct values, few tokens in no order, heads that are only partly
/// rotated. It tells apart the mistakes of the fault list that random data at positions 0, 1, 2, 3 would let
/// pass.
Case small_case(const Chapter& chapter, const RunRequest& request, Style style);

/// Each sequence of a batch starts this many positions after the one before, so that none can borrow
/// another's row.
inline constexpr std::int64_t kSequenceStep = 13;

/// Random values in the request's shape. Positions count up from the request's offset, each sequence from its
/// own start.
Case random_case(const RunRequest& request, const Shape& shape, Style style, std::string name);

/// Name of the case in the request's shape.
inline constexpr const char* kRandomCase = "random";

/// Few tokens at positions around 131,071, in no order: where errors that grow with the position show.
Case far_case(const RunRequest& request, Style style);

/// A test vector; its x serves as q and as k.
Case vector_case(const TestVector& vector, Dtype dtype);

/// All checks of a request: small, the requested shape, far; or its test vectors.
std::vector<Case> make_cases(const Chapter& chapter, const RunRequest& request);

}  // namespace ropewalk
