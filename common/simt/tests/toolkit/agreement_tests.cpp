/// \file
/// The stand-in's half and bfloat16 against NVIDIA's own headers, bit for bit, and the numbers of enumerators
/// and types. Runs where a CUDA toolkit's headers are; no GPU is needed.
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "common/simt/executor/random.hpp"
#include "common/simt/tests/toolkit/operations.hpp"
#include "common/testing/catch.hpp"

using namespace simt_tests;

namespace {

const OperationTable theirs = toolkit_operations();
const OperationTable ours = stand_in_operations();

// Counts inputs for which `differ` is true and shows the first.
template <class Input, class Differ>
void check_all(const char* name, const std::vector<Input>& inputs, Differ&& differ) {
  std::size_t different = 0;
  Input first{};
  for (const Input& input : inputs) {
    if (!differ(input)) continue;
    if (different++ == 0) first = input;
  }
  CAPTURE(name, first);
  CHECK(different == 0);
}

std::vector<std::uint16_t> all_16_bits() {
  std::vector<std::uint16_t> all;
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) all.push_back(std::uint16_t(bits));
  return all;
}

std::uint32_t bits_of(float value) {
  return std::bit_cast<std::uint32_t>(value);
}

// Every half and bfloat16 value, the midpoints between neighbours, and the floats next to all of these; then
// a sweep over all exponents and random patterns.
std::vector<std::uint32_t> interesting_floats() {
  std::vector<std::uint32_t> bits;
  const auto add = [&](std::uint32_t center) {
    for (const std::uint32_t step : {0u, 1u, 2u, 0xffffffffu, 0xfffffffeu}) bits.push_back(center + step);
  };
  for (std::uint32_t i = 0; i < 0x10000; ++i) {
    const float half = ours.to_float[0].function(std::uint16_t(i));
    const float next = ours.to_float[0].function(std::uint16_t(i + 1));
    add(bits_of(half));
    add(bits_of(float((double(half) + double(next)) / 2)));
    add(i << 16);
    add(i << 16 | 0x8000);
  }
  for (std::uint64_t i = 0; i < 0x100000000; i += 1021) bits.push_back(std::uint32_t(i));
  simt::Random random(1);
  for (int i = 0; i < 4'000'000; ++i) bits.push_back(std::uint32_t(random.next()));
  return bits;
}

}  // namespace

TEST_CASE("all 65,536 patterns to float") {
  const auto patterns = all_16_bits();
  for (std::size_t k = 0; ours.to_float[k].function != nullptr; ++k) {
    check_all(ours.to_float[k].name, patterns, [&](std::uint16_t bits) {
      const float a = ours.to_float[k].function(bits), b = theirs.to_float[k].function(bits);
      return bits_of(a) != bits_of(b);
    });
  }
}

TEST_CASE("float to half and bfloat16, in every rounding") {
  const auto patterns = interesting_floats();
  for (std::size_t k = 0; ours.from_float[k].function != nullptr; ++k) {
    check_all(ours.from_float[k].name, patterns, [&](std::uint32_t bits) {
      const float x = std::bit_cast<float>(bits);
      return ours.from_float[k].function(x) != theirs.from_float[k].function(x);
    });
  }
}

TEST_CASE("double to half and bfloat16: no double rounding") {
  std::vector<double> values;
  simt::Random random(2);
  for (int i = 0; i < 1'000'000; ++i) values.push_back(std::bit_cast<double>(random.next()));
  for (std::uint32_t i = 0; i < 0x10000; ++i) {  // around the midpoints
    for (const double center : {(double(ours.to_float[0].function(std::uint16_t(i))) +
                                 double(ours.to_float[0].function(std::uint16_t(i + 1)))) /
                                    2,
                                double(std::bit_cast<float>(i << 16 | 0x8000u))}) {
      values.insert(values.end(), {center, std::nextafter(center, -1e300), std::nextafter(center, 1e300)});
    }
  }
  for (std::size_t k = 0; ours.from_double[k].function != nullptr; ++k) {
    check_all(ours.from_double[k].name, values,
              [&](double x) { return ours.from_double[k].function(x) != theirs.from_double[k].function(x); });
  }
}

TEST_CASE("integers to half and bfloat16 and back") {
  std::vector<long long> values;
  simt::Random random(3);
  for (int i = 0; i < 300'000; ++i)
    values.push_back(static_cast<long long>(random.next()) >> random.below(64));
  for (long long i = -70'000; i < 70'000; ++i) values.push_back(i);
  for (std::size_t k = 0; ours.from_integer[k].function != nullptr; ++k) {
    check_all(ours.from_integer[k].name, values, [&](long long x) {
      return ours.from_integer[k].function(x) != theirs.from_integer[k].function(x);
    });
  }
  const auto patterns = all_16_bits();
  for (std::size_t k = 0; ours.to_integer[k].function != nullptr; ++k) {
    check_all(ours.to_integer[k].name, patterns, [&](std::uint16_t x) {
      return ours.to_integer[k].function(x) != theirs.to_integer[k].function(x);
    });
  }
}

TEST_CASE("functions of one and of two values, and of pairs") {
  for (std::size_t k = 0; ours.unary[k].function != nullptr; ++k) {
    check_all(ours.unary[k].name, all_16_bits(), [&](std::uint16_t low) {
      const std::uint32_t x = std::uint32_t(low) << 16 | std::uint16_t(low * 40503u);
      return ours.unary[k].function(x) != theirs.unary[k].function(x);
    });
  }
  // Random patterns, and numbers of similar size, where sums cancel and products meet ties.
  std::vector<std::uint64_t> pairs;
  simt::Random random(4);
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t bits = random.next();
    pairs.push_back(bits);
    pairs.push_back((bits & 0x87ff87ff87ff87ff) | 0x3800380038003800);
    pairs.push_back((bits & 0xffffffff00000000) | (bits >> 32));
  }
  const std::uint64_t special[] = {0,      0x8000, 1,      0x8001, 0x3c00, 0x3f80, 0x7bff, 0x7c00,
                                   0xfc00, 0x7e00, 0x7fff, 0x7f80, 0xff80, 0x7f7f, 0xffff};
  for (const std::uint64_t a : special) {
    for (const std::uint64_t b : special) pairs.push_back((a << 16 | b) << 32 | (b << 16 | a));
  }
  for (std::size_t k = 0; ours.binary[k].function != nullptr; ++k) {
    check_all(ours.binary[k].name, pairs, [&](std::uint64_t xy) {
      const auto x = std::uint32_t(xy), y = std::uint32_t(xy >> 32);
      return ours.binary[k].function(x, y) != theirs.binary[k].function(x, y);
    });
  }
}

TEST_CASE("enumerators, flags, sizes and alignments") {
  REQUIRE(ours.constant_count == theirs.constant_count);
  for (std::size_t i = 0; i < ours.constant_count; ++i) {
    CAPTURE(i);
    CHECK(ours.constants[i] == theirs.constants[i]);
  }
}
