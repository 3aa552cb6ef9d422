/// \file
/// Operations on the bits of half and bfloat16, and a list of numbers. Compiled twice, against NVIDIA's own
/// headers and against the stand-ins, into two tables that the test compares.
#pragma once

#include <cstddef>
#include <cstdint>

namespace simt_tests {

/// One function of each shape; arguments and results are bit patterns, pairs have the first element in the
/// low half.
struct FromFloat {
  const char* name;
  std::uint16_t (*function)(float);
};
struct ToFloat {
  const char* name;
  float (*function)(std::uint16_t);
};
struct FromDouble {
  const char* name;
  std::uint16_t (*function)(double);
};
struct FromInteger {
  const char* name;
  std::uint16_t (*function)(long long);
};
struct ToInteger {
  const char* name;
  long long (*function)(std::uint16_t);
};
struct Unary {
  const char* name;
  std::uint32_t (*function)(std::uint32_t);
};
struct Binary {
  const char* name;
  std::uint32_t (*function)(std::uint32_t, std::uint32_t);
};

/// The end of each list has a null function.
struct OperationTable {
  const FromFloat* from_float;
  const ToFloat* to_float;
  const FromDouble* from_double;
  const FromInteger* from_integer;
  const ToInteger* to_integer;
  const Unary* unary;
  const Binary* binary;
  const long long* constants;  ///< enumerators and type sizes
  std::size_t constant_count;
};

OperationTable toolkit_operations();
OperationTable stand_in_operations();

}  // namespace simt_tests
