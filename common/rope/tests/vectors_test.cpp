/// \file
/// The oracle against vectors computed with the models' own code, and the reader against broken files.
#include <cmath>

#include "common/rope/oracle.hpp"
#include "common/rope/test_vector.hpp"
#include "common/testing/catch.hpp"
#include "support.hpp"

using namespace ropewalk;
using ropewalk::testing::json_files;
using ropewalk::testing::message_of;
using ropewalk::testing::TemporaryFile;

namespace {

std::vector<TestVector> all_vectors() {
  std::vector<TestVector> vectors;
  for (const auto& path : json_files("common/vectors")) vectors.push_back(read_test_vector(path.string()));
  return vectors;
}

/// The ones chapters 01 to 03 can run.
bool is_plain(const TestVector& v) {
  return v.op.empty() && v.layout == "1d" && v.schedule.rope_type == "default";
}

/// A tiny vector, valid as it stands: two positions, one head of four channels, two of them rotary.
const std::string kSmall =
    R"({"format": "rope-golden-1", "name": "small", "style": "half", "rope_type": "default",
"layout": "1d", "n_pos": 2, "n_heads": 1, "head_dim": 4, "rotary_dim": 2, "base": 10000.0, "params": {},
"positions": [0, 5], "inv_freq": [1.0], "inv_freq_f32": [1.0], "attention_factor": 1.0,
"x": [1, 2, 3, 4, 5, 6, 7, 8], "y": [1, 2, 3, 4, 5, 6, 7, 8], "y_f32_angle": [1, 2, 3, 4, 5, 6, 7, 8],
"dy": [1, 2, 3, 4, 5, 6, 7, 8], "dx": [1, 2, 3, 4, 5, 6, 7, 8]})";

std::string edited(const std::string& from, const std::string& to) {
  std::string text = kSmall;
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

/// The message of an edited vector, without its path.
std::string fault(const std::string& from, const std::string& to) {
  const TemporaryFile file(edited(from, to));
  const std::string message = message_of<InputError>([&] { read_test_vector(file.path()); });
  const std::string prefix = file.path() + ": ";
  return message.starts_with(prefix) ? message.substr(prefix.size()) : "no path in: " + message;
}

}  // namespace

TEST_CASE("every vector of the book can be read") {
  const std::vector<TestVector> vectors = all_vectors();
  CHECK(vectors.size() == 36);
  std::size_t plain = 0, interleaved = 0, ops = 0, vision = 0, mrope = 0;
  for (const TestVector& v : vectors) {
    plain += is_plain(v);
    interleaved += is_plain(v) && v.style == Style::interleaved;
    ops += !v.op.empty();
    vision += v.layout.starts_with("vision");
    mrope += v.layout.starts_with("mrope");
    const std::size_t axes = v.layout == "1d" ? 1 : v.layout.starts_with("vision") ? 2 : 3;
    CHECK(v.positions.size() == axes * static_cast<std::size_t>(v.n_pos));
    CHECK((v.op == "kv_shift") == v.x.empty());
    CHECK(v.op.empty() == !v.y_f32_angle.empty());
  }
  CHECK(plain == 12);
  CHECK(interleaved == 4);
  CHECK(ops == 5);
  CHECK(vision == 3);
  CHECK(mrope == 5);
}

TEST_CASE("the schedule and the oracle reproduce every plain vector, in both styles") {
  std::size_t checked = 0;
  for (const TestVector& v : all_vectors()) {
    if (!is_plain(v)) continue;
    INFO(v.path);
    const Schedule schedule = make_schedule(v.schedule);
    REQUIRE(schedule.inv_freq.size() == v.inv_freq.size());
    for (std::size_t p = 0; p < v.inv_freq.size(); ++p) {
      CHECK(std::abs(schedule.inv_freq[p] - v.inv_freq[p]) <= 0x1p-51 * v.inv_freq[p]);
    }
    CHECK(schedule.attention_factor == v.attention_factor);

    const std::vector<double> y = rotate(v.x, v.positions, v.n_heads, v.head_dim, v.style, schedule);
    REQUIRE(y.size() == v.y.size());
    const auto per_token = static_cast<std::size_t>(v.n_heads * v.head_dim);
    double worst = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      // The file's angle is position * inv_freq in double, each with its rounding; |x| is at most 2√2.
      const double tolerance = 2.83 * (3e-16 * std::abs(v.positions[i / per_token]) + 1e-15);
      worst = std::max(worst, std::abs(y[i] - v.y[i]) / tolerance);
    }
    CHECK(worst <= 1);
    ++checked;
  }
  CHECK(checked == 12);
}

TEST_CASE("with float angles and exact cosines the oracle gives the vectors' y_f32_angle") {
  std::size_t checked = 0, different = 0;
  for (const TestVector& v : all_vectors()) {
    if (!is_plain(v)) continue;
    INFO(v.path);
    const auto per_head = static_cast<std::size_t>(v.head_dim);
    const auto per_token = static_cast<std::size_t>(v.n_heads) * per_head;
    for (std::size_t start = 0; start < v.x.size(); start += per_head) {
      std::vector<CosSin> row;
      for (const double f : v.inv_freq) {
        const float angle = static_cast<float>(v.positions[start / per_token]) * static_cast<float>(f);
        row.push_back({std::cos(static_cast<double>(angle)), std::sin(static_cast<double>(angle))});
      }
      std::vector<double> y(per_head);
      rotate_head(std::span(v.x).subspan(start, per_head), y, v.style, row, v.attention_factor);
      for (std::size_t i = 0; i < per_head; ++i) {
        CHECK(std::abs(y[i] - v.y_f32_angle[start + i]) <= 1e-14);
        different += std::abs(v.y[start + i] - v.y_f32_angle[start + i]) > 1e-6;
      }
    }
    ++checked;
  }
  CHECK(checked == 12);
  CHECK(different > 100);  // the two are not the same numbers
}

TEST_CASE("a valid vector and its fields") {
  const TemporaryFile file(kSmall);
  const TestVector v = read_test_vector(file.path());
  CHECK(v.name == "small");
  CHECK(v.path == file.path());
  CHECK(v.style == Style::half);
  CHECK(v.schedule.rotary_dim == 2);
  CHECK(v.positions == std::vector<std::int32_t>{0, 5});
  CHECK(v.x[4] == 5);
}

TEST_CASE("a broken vector is refused with its field and what is allowed") {
  CHECK(fault("rope-golden-1", "rope-golden-2") == "format: is 'rope-golden-2'; allowed: rope-golden-1");
  CHECK(fault("\"format\"", "\"form\"") == "format: is missing; allowed: a text");
  CHECK(fault("\"half\"", "\"neox\"") == "style: unknown style 'neox'; allowed: half, interleaved");
  CHECK(fault("\"half\"", "1") == "style: is 1; allowed: a text");
  CHECK(fault("\"1d\"", "\"2d\"") ==
        "layout: unknown layout '2d'; allowed: 1d, mrope_chunked, mrope_interleaved, "
        "vision_hw, vision_pixtral, vision_llama4");
  CHECK(fault("\"1d\"", "\"vision_hw\"")
            .starts_with("layout: 'vision_hw' does not go with rope_type 'default'"));
  CHECK(fault("\"default\"", "\"axial_qwen\"")
            .starts_with("layout: '1d' does not go with rope_type 'axial_qwen'"));
  CHECK(fault("\"default\"", "\"rope\"")
            .starts_with("rope_type: unknown rope_type 'rope'; allowed: default, linear"));
  CHECK(fault("\"params\"", "\"op\": \"shift\", \"params\"") ==
        "op: unknown op 'shift'; allowed: kv_shift, rmsnorm_rope, or none");
  CHECK(fault("\"rotary_dim\": 2", "\"rotary_dim\": 3").starts_with("rotary_dim: is odd"));
  CHECK(fault("\"rotary_dim\": 2", "\"rotary_dim\": 6") ==
        "rotary_dim: is 6; allowed: a whole number from 2 to 4");
  CHECK(fault("\"rotary_dim\": 2", "\"rotary_dim\": 2.0") ==
        "rotary_dim: is 2.0; allowed: a whole number from 2 to 4");
  CHECK(fault("\"n_pos\": 2", "\"n_pos\": 0") == "n_pos: is 0; allowed: a whole number from 1 to 65536");
  CHECK(fault("\"n_pos\": 2", "\"n_pos\": 18446744073709551615") ==
        "n_pos: is 18446744073709551615; allowed: a whole number from 1 to 65536");
  CHECK(fault("\"n_heads\": 1", "\"n_heads\": true") ==
        "n_heads: is true; allowed: a whole number from 1 to 65536");
  CHECK(fault("10000.0", "0.1") == "base: is 0.1; allowed: a number from 1 to 1e+30");
  CHECK(fault("10000.0", "\"1e4\"") == "base: is \"1e4\"; allowed: a number from 1 to 1e+30");
  CHECK(fault("10000.0", "1e999") == "holds a number out of range; allowed: numbers of double precision");
  CHECK(fault("10000.0", "NaN") == "is not JSON (line 2); allowed: a JSON object");
  CHECK(fault("[0, 5]", "[0, 5, 6]") ==
        "positions: holds 3 entries where 2 belong; allowed: finite numbers[2]");
  CHECK(fault("[0, 5]", "[0, 0.5]") == "positions: holds 0.5; allowed: whole numbers of 32 bits");
  CHECK(fault("[0, 5]", "[0, 2147483648]") ==
        "positions: holds 2.14748e+09; allowed: whole numbers of 32 bits");
  CHECK(fault("[0, 5]", "[[0, 5]]") ==
        "positions: holds 1 entries where 2 belong; allowed: finite numbers[2]");
  CHECK(fault("[0, 5]", "5") == "positions: holds 5 where an array belongs; allowed: finite numbers[2]");
  CHECK(fault("[0, 5]", "[0, null]") == "positions: holds null, no number; allowed: finite numbers[2]");
  CHECK(fault("\"inv_freq\": [1.0]", "\"inv_freq\": [1.0, 0.5]") ==
        "inv_freq: holds 2 entries where 1 belong; allowed: finite numbers[1]");
  CHECK(fault("\"attention_factor\": 1.0", "\"attention_factor\": 0") ==
        "attention_factor: is 0; allowed: a number from 1e-06 to 1e+06");
  CHECK(fault("\"x\": [1, 2", "\"x\": [2") ==
        "x: holds 7 entries where 8 belong; allowed: finite numbers[8]");
  CHECK(fault("\"y_f32_angle\"", "\"y_f32\"") == "y_f32_angle: is missing; allowed: finite numbers[8]");
  CHECK(fault("\"dx\"", "\"d_x\"") == "dx: is missing; allowed: finite numbers[8]");
  CHECK(fault("\"params\": {}", "\"op\": \"kv_shift\"").starts_with("delta: is missing"));
  CHECK(fault("\"params\": {}", "\"op\": \"rmsnorm_rope\"").starts_with("eps: is missing"));
  CHECK(fault("\"1d\"", "\"mrope_chunked\"").starts_with("positions: holds 2 entries where 3 belong"));
}

TEST_CASE("what is no JSON file is refused in one line") {
  const auto message = [](const std::string& path) {
    return message_of<InputError>([&] { read_test_vector(path); });
  };
  CHECK(message("/no/such/file.json") ==
        "/no/such/file.json: cannot be opened; allowed: a readable JSON file");
  const std::string folder = std::filesystem::temp_directory_path().string();
  CHECK(message(folder) == folder + ": is a directory; allowed: a JSON file");
  for (const auto& [text, fault] : {std::pair<std::string, std::string>{"", "is not JSON (line 1)"},
                                    {"\n\n{", "is not JSON (line 3)"},
                                    {"{\"a\": 1} x", "is not JSON (line 1)"},
                                    {"[1]", "holds an array"},
                                    {"\"\xff\"", "is not JSON (line 1)"}}) {
    const TemporaryFile file(text);
    CHECK(message(file.path()) == file.path() + ": " + fault + "; allowed: a JSON object");
  }
  const TemporaryFile deep(std::string(2000000, '['));
  CHECK(message(deep.path()) == deep.path() + ": is not JSON (line 1); allowed: a JSON object");
  const TemporaryFile large("{" + std::string(std::size_t{17} << 20, ' ') + "}");
  CHECK(message(large.path()) == large.path() + ": is too large; allowed: up to 16 MiB");
}
