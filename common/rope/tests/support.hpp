/// \file
/// What the tests of common/rope share: files, error messages, rounding, and float code written without the
/// library.
#pragma once

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "common/rope/types.hpp"

namespace ropewalk::testing {

/// The message of the exception of type E that `call` throws; another type's is marked, none gives "nothing
/// thrown".
template <class E, class Call>
std::string message_of(Call&& call) {
  try {
    call();
  } catch (const E& error) {
    return error.what();
  } catch (const std::exception& error) {
    return std::string("another exception: ") + error.what();
  }
  return "nothing thrown";
}

/// A file in the temporary folder that goes when it goes out of scope.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text) {
    path_ =
        std::filesystem::temp_directory_path() /
        ("ropewalk_test_" + std::to_string(std::random_device{}()) + std::to_string(std::random_device{}()));
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

inline std::vector<std::filesystem::path> json_files(const std::string& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(ROPEWALK_SOURCE_DIR) + "/" + folder)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  return files;
}

inline std::string read_whole(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// value rounded to `digits` significant bits, ties to even, with subnormals that are multiples of
/// 2^smallest_exponent.
inline double rounded(double value, int digits, int smallest_exponent) {
  if (value == 0.0) return value;
  const int exponent = std::max(std::ilogb(value) - digits + 1, smallest_exponent);
  return std::ldexp(std::nearbyint(std::ldexp(value, -exponent)), exponent);
}
inline double to_f16(double value) {
  return rounded(value, 11, -24);
}
inline double to_bf16(double value) {
  return rounded(value, 8, -133);
}
inline double stored(double value, Dtype dtype) {
  switch (dtype) {
    case Dtype::f16:
      return to_f16(value);
    case Dtype::bf16:
      return to_bf16(value);
    case Dtype::f32:
      break;
  }
  return value;
}

/// A small generator of its own, so that the numbers are the same everywhere.
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return state_ >> 33;
  }
  /// A multiple of 1/16 in [−2, 2): exact in every dtype.
  double sixteenth() { return static_cast<double>(next() % 64) / 16.0 - 2.0; }

 private:
  std::uint64_t state_;
};

}  // namespace ropewalk::testing
