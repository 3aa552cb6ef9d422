/// \file
/// The only file that knows the JSON library.
#include "common/rope/json_file.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "common/rope/types.hpp"

namespace ropewalk {

using Json = nlohmann::json;

struct JsonObject::Node {
  std::shared_ptr<const Json> file;  // keeps `json` alive: a part of a file is looked at, not copied
  const Json& json;

  /// The field's value; `allowed` completes the error line where there is none.
  const Json& require(const JsonObject& object, const std::string& field, const std::string& allowed) const {
    const auto found = json.find(field);
    if (found == json.end()) object.fail(field, "is missing; allowed: " + allowed);
    return *found;
  }
};

namespace {

constexpr std::size_t kLargestFile = std::size_t{16} << 20;

std::string read_text(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) refuse(path + ": is a directory; allowed: a JSON file");
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse(path + ": cannot be opened; allowed: a readable JSON file");
  std::string text;
  char buffer[1 << 14];
  while (file.read(buffer, sizeof buffer) || file.gcount() > 0) {
    text.append(buffer, static_cast<std::size_t>(file.gcount()));
    if (text.size() > kLargestFile) refuse(path + ": is too large; allowed: up to 16 MiB");
  }
  if (file.bad()) refuse(path + ": cannot be read; allowed: a readable JSON file");
  return text;
}

/// A value as it stands in the file, short enough for an error line.
std::string quoted(const Json& value) {
  if (value.is_array()) return "an array";  // of any depth: dump() would recurse into it
  if (value.is_object()) return "an object";
  std::string text = value.dump(-1, ' ', true, Json::error_handler_t::replace);
  constexpr std::size_t kLongest = 40;
  if (text.size() > kLongest) text = text.substr(0, kLongest) + "...";
  return text;
}

/// Appends the numbers of nested arrays. Returns what is wrong, or nothing.
std::string flatten(const Json& value, const std::vector<std::int64_t>& shape, std::size_t depth,
                    std::vector<double>& out) {
  if (depth == shape.size()) {
    if (!value.is_number() || !std::isfinite(value.get<double>()))
      return "holds " + quoted(value) + ", no number";
    out.push_back(value.get<double>());
    return {};
  }
  if (!value.is_array()) return "holds " + quoted(value) + " where an array belongs";
  if (static_cast<std::int64_t>(value.size()) != shape[depth]) {
    return "holds " + std::to_string(value.size()) + " entries where " + std::to_string(shape[depth]) +
           " belong";
  }
  for (const Json& element : value) {
    if (std::string fault = flatten(element, shape, depth + 1, out); !fault.empty()) return fault;
  }
  return {};
}

/// "[3][5]"
std::string in_brackets(const std::vector<std::int64_t>& shape) {
  std::string text;
  for (const std::int64_t size : shape) text.append("[").append(std::to_string(size)).append("]");
  return text;
}

}  // namespace

JsonObject::JsonObject(std::string path, std::string prefix, std::shared_ptr<const Node> node)
    : path_(std::move(path)), prefix_(std::move(prefix)), node_(std::move(node)) {}

JsonObject JsonObject::read(const std::string& path) {
  const std::string text = read_text(path);
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::parse_error& error) {
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(error.byte, text.size()));
    refuse(path + ": is not JSON (line " + std::to_string(1 + std::count(text.begin(), end, '\n')) +
           "); allowed: a JSON object");
  } catch (const Json::exception&) {  // a number like 1e999
    refuse(path + ": holds a number out of range; allowed: numbers of double precision");
  }
  if (!json.is_object()) refuse(path + ": holds " + quoted(json) + "; allowed: a JSON object");
  const auto file = std::make_shared<const Json>(std::move(json));
  return JsonObject(path, "", std::make_shared<Node>(Node{file, *file}));
}

bool JsonObject::has(const std::string& field) const {
  const auto found = node_->json.find(field);
  return found != node_->json.end() && !found->is_null();
}

bool JsonObject::is_object(const std::string& field) const {
  return has(field) && node_->json[field].is_object();
}

std::vector<std::string> JsonObject::fields() const {
  std::vector<std::string> names;
  for (const auto& entry : node_->json.items()) names.push_back(entry.key());
  return names;
}

std::int64_t JsonObject::integer(const std::string& field, std::int64_t least, std::int64_t most) const {
  const std::string allowed = "a whole number from " + std::to_string(least) + " to " + std::to_string(most);
  const Json& value = node_->require(*this, field, allowed);
  const bool fits = value.is_number_integer() &&
                    (!value.is_number_unsigned() || value.get<std::uint64_t>() <= std::uint64_t{INT64_MAX}) &&
                    value.get<std::int64_t>() >= least && value.get<std::int64_t>() <= most;
  if (!fits) fail(field, "is " + quoted(value) + "; allowed: " + allowed);
  return value.get<std::int64_t>();
}

double JsonObject::number(const std::string& field, double least, double most) const {
  const std::string allowed = "a number from " + shown(least) + " to " + shown(most);
  const Json& value = node_->require(*this, field, allowed);
  if (!value.is_number() || !(value.get<double>() >= least && value.get<double>() <= most)) {
    fail(field, "is " + quoted(value) + "; allowed: " + allowed);
  }
  return value.get<double>();
}

bool JsonObject::boolean(const std::string& field) const {
  const Json& value = node_->require(*this, field, "true or false");
  if (!value.is_boolean()) fail(field, "is " + quoted(value) + "; allowed: true or false");
  return value.get<bool>();
}

std::string JsonObject::text(const std::string& field) const {
  const Json& value = node_->require(*this, field, "a text");
  if (!value.is_string()) fail(field, "is " + quoted(value) + "; allowed: a text");
  return value.get<std::string>();
}

JsonObject JsonObject::object(const std::string& field) const {
  const Json& value = node_->require(*this, field, "an object");
  if (!value.is_object()) fail(field, "is " + quoted(value) + "; allowed: an object");
  return JsonObject(path_, prefix_ + field + ".", std::make_shared<Node>(Node{node_->file, value}));
}

std::vector<double> JsonObject::numbers(const std::string& field,
                                        const std::vector<std::int64_t>& shape) const {
  const std::string allowed = "finite numbers" + in_brackets(shape);
  const Json& value = node_->require(*this, field, allowed);
  std::vector<double> result;
  if (const std::string fault = flatten(value, shape, 0, result); !fault.empty()) {
    fail(field, fault + "; allowed: " + allowed);
  }
  return result;
}

std::vector<std::int32_t> JsonObject::int32s(const std::string& field,
                                             const std::vector<std::int64_t>& shape) const {
  std::vector<std::int32_t> result;
  for (const double value : numbers(field, shape)) {
    if (value != std::floor(value) || std::abs(value) > INT32_MAX) {
      fail(field, "holds " + shown(value) + "; allowed: whole numbers of 32 bits");
    }
    result.push_back(static_cast<std::int32_t>(value));
  }
  return result;
}

void JsonObject::fail_as_not_supported(const std::string& field, const std::string& what) const {
  refuse_as_not_supported(path_ + ": " + prefix_ + field + ": " + what);
}

void JsonObject::fail(const std::string& field, const std::string& what_and_allowed) const {
  refuse(path_ + ": " + prefix_ + field + ": " + what_and_allowed);
}

}  // namespace ropewalk
