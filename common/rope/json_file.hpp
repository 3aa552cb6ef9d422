/// \file
/// A JSON object from a file, read field by field; every error names the file and the field. Keeps the JSON
/// library out of all headers.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ropewalk {

/// One object of a file. All functions throw InputError "PATH: field: what is wrong; allowed: …".
class JsonObject {
 public:
  /// Reads a file whose top level is an object. Refuses directories, files over 16 MiB and text that is not
  /// JSON (NaN is not).
  static JsonObject read(const std::string& path);

  const std::string& path() const { return path_; }

  /// Present and not null.
  bool has(const std::string& field) const;
  bool is_object(const std::string& field) const;
  std::vector<std::string> fields() const;

  std::int64_t integer(const std::string& field, std::int64_t least, std::int64_t most) const;
  double number(const std::string& field, double least, double most) const;
  bool boolean(const std::string& field) const;
  std::string text(const std::string& field) const;
  JsonObject object(const std::string& field) const;

  /// Nested arrays of this shape, flattened: {3, 5} is 3 arrays of 5 numbers. Every number must be finite.
  std::vector<double> numbers(const std::string& field, const std::vector<std::int64_t>& shape) const;
  /// The same for whole numbers that fit int32.
  std::vector<std::int32_t> int32s(const std::string& field, const std::vector<std::int64_t>& shape) const;

  [[noreturn]] void fail(const std::string& field, const std::string& what_and_allowed) const;
  [[noreturn]] void fail_as_not_supported(const std::string& field, const std::string& what) const;

 private:
  struct Node;  // wraps the library's value type
  JsonObject(std::string path, std::string prefix, std::shared_ptr<const Node> node);

  std::string path_;
  std::string prefix_;  // "text_config." inside that object
  std::shared_ptr<const Node> node_;
};

}  // namespace ropewalk
