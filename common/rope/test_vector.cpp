/// \file
/// Reader of rope-golden-1. It checks everything a later reader would otherwise have to trust.
#include "common/rope/test_vector.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>

#include "common/rope/json_file.hpp"

namespace ropewalk {
namespace {

constexpr double kLargest = 1e30;             // of any value: products of two stay far inside double
constexpr std::int64_t kLargestSize = 65536;  // of any one dimension

/// How positions are laid out and what that means for the file's frequencies.
struct Layout {
  const char* name;
  std::int64_t axes;             // rows of `positions`
  const char* rope_type;         // vision layouts come with their own; null: any text schedule
  std::int64_t pairs_per_entry;  // of inv_freq: 2 where both axes use the same list
};
constexpr std::array<Layout, 6> kLayouts = {{{"1d", 1, nullptr, 1},
                                             {"mrope_chunked", 3, nullptr, 1},
                                             {"mrope_interleaved", 3, nullptr, 1},
                                             {"vision_hw", 2, "axial_qwen", 2},
                                             {"vision_pixtral", 2, "axial_pixtral", 1},
                                             {"vision_llama4", 2, "axial_llama4", 2}}};

const Layout& read_layout(const JsonObject& file, const std::string& rope_type) {
  const std::string name = file.text("layout");
  const auto layout =
      std::find_if(kLayouts.begin(), kLayouts.end(), [&](const Layout& l) { return name == l.name; });
  if (layout == kLayouts.end()) {
    std::string allowed;
    for (const Layout& known : kLayouts) allowed += (allowed.empty() ? "" : ", ") + std::string(known.name);
    file.fail("layout", "unknown layout '" + name + "'; allowed: " + allowed);
  }
  const bool axial = rope_type.starts_with("axial_");
  if (layout->rope_type != nullptr ? rope_type != layout->rope_type : axial) {
    file.fail("layout",
              "'" + name + "' does not go with rope_type '" + rope_type +
                  "'; allowed: the vision layouts with their own axial rope_type, the others without");
  }
  return *layout;
}

std::string read_rope_type(const JsonObject& file) {
  const std::string rope_type = file.text("rope_type");
  if (!is_known_rope_type(rope_type)) {
    file.fail("rope_type", "unknown rope_type '" + rope_type + "'; allowed: " + known_rope_types());
  }
  return rope_type;
}

std::string read_op(const JsonObject& file) {
  if (!file.has("op")) return {};
  const std::string op = file.text("op");
  if (op != "kv_shift" && op != "rmsnorm_rope") {
    file.fail("op", "unknown op '" + op + "'; allowed: kv_shift, rmsnorm_rope, or none");
  }
  return op;
}

void read_sizes(const JsonObject& file, TestVector& vector) {
  vector.n_pos = file.integer("n_pos", 1, kLargestSize);
  vector.n_heads = file.integer("n_heads", 1, kLargestSize);
  vector.head_dim = file.integer("head_dim", 2, kLargestSize);
  vector.schedule.head_dim = vector.head_dim;
  vector.schedule.rotary_dim = file.integer("rotary_dim", 2, vector.head_dim);
  if (vector.schedule.rotary_dim % 2 != 0) {
    file.fail("rotary_dim", "is odd, and channels turn in pairs; allowed: an even number from 2 to head_dim");
  }
  vector.schedule.base = file.number("base", kSmallestBase, kLargestBase);
}

void check_numbers(const JsonObject& file, std::initializer_list<const char*> fields,
                   const std::vector<std::int64_t>& shape) {
  for (const char* field : fields) file.numbers(field, shape);
}

}  // namespace

TestVector read_test_vector(const std::string& path) {
  const JsonObject file = JsonObject::read(path);
  if (const std::string format = file.text("format"); format != "rope-golden-1") {
    file.fail("format", "is '" + format + "'; allowed: rope-golden-1");
  }
  TestVector vector;
  vector.path = path;
  vector.name = file.text("name");
  vector.op = read_op(file);
  vector.schedule.rope_type = read_rope_type(file);
  const Layout& layout = read_layout(file, vector.schedule.rope_type);
  vector.layout = layout.name;
  vector.style = parse_style(file.text("style"), path + ": style");
  read_sizes(file, vector);

  const std::int64_t pairs = vector.schedule.rotary_dim / 2;
  if (layout.axes == 1) {
    vector.positions = file.int32s("positions", {vector.n_pos});
  } else {
    vector.positions = file.int32s("positions", {layout.axes, vector.n_pos});
    for (const std::int32_t axis : file.int32s("pair_axis", {pairs})) {
      if (axis < 0 || axis >= layout.axes) {
        file.fail("pair_axis",
                  "holds " + std::to_string(axis) + "; allowed: 0 to " + std::to_string(layout.axes - 1));
      }
    }
  }
  vector.inv_freq = file.numbers("inv_freq", {pairs / layout.pairs_per_entry});
  vector.attention_factor = file.number("attention_factor", 1e-6, 1e6);

  const std::vector<std::int64_t> values = {vector.n_pos * vector.n_heads * vector.head_dim};
  if (vector.op == "kv_shift") {
    file.integer("delta", INT32_MIN, INT32_MAX);
    check_numbers(file, {"k_before", "k_after"}, values);
    return vector;
  }
  vector.x = file.numbers("x", values);
  vector.y = file.numbers("y", values);
  if (vector.op == "rmsnorm_rope") {
    file.number("eps", 0.0, kLargest);
    file.boolean("weight_is_offset_from_one");
    check_numbers(file, {"weight"}, {vector.head_dim});
    check_numbers(file, {"x_normed"}, values);
    return vector;
  }
  vector.y_f32_angle = file.numbers("y_f32_angle", values);
  check_numbers(file, {"dy", "dx"}, values);
  check_numbers(file, {"inv_freq_f32"}, {pairs / layout.pairs_per_entry});
  return vector;
}

}  // namespace ropewalk
