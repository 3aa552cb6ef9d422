/// \file
/// Model configurations: the ones of the book against their vectors, and every way a file can be wrong.
#include <algorithm>
#include <map>
#include <regex>

#include "common/rope/json_file.hpp"
#include "common/rope/model_config.hpp"
#include "common/rope/model_types.hpp"
#include "common/rope/test_vector.hpp"
#include "common/testing/catch.hpp"
#include "support.hpp"

using namespace ropewalk;
using ropewalk::testing::json_files;
using ropewalk::testing::message_of;
using ropewalk::testing::read_whole;
using ropewalk::testing::TemporaryFile;

namespace {

using Fields = std::map<std::string, std::string>;  // name → JSON text; empty text takes the field away

std::string as_json(Fields fields) {
  std::string text;
  for (const auto& [name, value] : fields) {
    if (!value.empty()) text += (text.empty() ? "" : ", ") + ("\"" + name + "\": " + value);
  }
  return "{" + text + "}";
}

/// Llama 3 with changes.
std::string llama(const Fields& changes) {
  Fields fields = {{"model_type", "\"llama\""},
                   {"hidden_size", "4096"},
                   {"num_attention_heads", "32"},
                   {"num_key_value_heads", "8"},
                   {"rope_theta", "500000.0"}};
  for (const auto& [name, value] : changes) fields[name] = value;
  return as_json(fields);
}

ModelConfig read(const std::string& text, const std::string& layer_type = "",
                 std::optional<Style> style = {}) {
  const TemporaryFile file(text);
  return read_model_config(file.path(), layer_type, style);
}

/// The message without the path, of an exception of type E.
template <class E = InputError>
std::string fault(const std::string& text, const std::string& layer_type = "") {
  const TemporaryFile file(text);
  const std::string message = message_of<E>([&] { read_model_config(file.path(), layer_type); });
  const std::string prefix = file.path() + ": ";
  return message.starts_with(prefix) ? message.substr(prefix.size()) : "no path in: " + message;
}

std::string model_file(const std::string& name) {
  return std::string(ROPEWALK_SOURCE_DIR) + "/common/models/" + name + ".json";
}

}  // namespace

TEST_CASE("configurations reproduce the vectors of their models") {
  std::size_t reproduced = 0, refused = 0;
  for (const auto& path : json_files("common/models")) {
    INFO(path.string());
    const JsonObject file = JsonObject::read(path.string());
    CHECK(file.text("source").size() > 20);
    if (!file.has("vector")) continue;
    const TestVector vector = read_test_vector(std::string(ROPEWALK_SOURCE_DIR) + "/common/vectors/" +
                                               file.text("vector") + ".json");
    if (vector.schedule.rope_type != "default") {
      CHECK(message_of<NotSupported>([&] { read_model_config(path.string()); }) ==
            path.string() + ": rope_type '" + vector.schedule.rope_type +
                "' is not implemented yet (implemented: default)");
      ++refused;
      continue;
    }
    const ModelConfig model = read_model_config(path.string());
    CHECK(model.name == path.stem().string());
    CHECK(model.style == vector.style);
    CHECK(model.head_dim == vector.head_dim);
    CHECK(model.schedule.rotary_dim == vector.schedule.rotary_dim);
    CHECK(model.schedule.base == vector.schedule.base);
    const Schedule schedule = make_schedule(model.schedule);
    REQUIRE(schedule.inv_freq.size() == vector.inv_freq.size());
    for (std::size_t p = 0; p < vector.inv_freq.size(); ++p) {
      CHECK(std::abs(schedule.inv_freq[p] - vector.inv_freq[p]) <= 0x1p-51 * vector.inv_freq[p]);
    }
    ++reproduced;
  }
  CHECK(reproduced == 12);
  CHECK(refused == 6);
}

TEST_CASE("the README of common/models lists every file as it is") {
  const std::regex address(
      "https://[^ ]*[^ :,;]");  // stands in <> there, so that every reader of Markdown makes a link
  const std::string readme = read_whole(std::string(ROPEWALK_SOURCE_DIR) + "/common/models/README.md");
  std::size_t rows = 0;
  for (const auto& path : json_files("common/models")) {
    const JsonObject file = JsonObject::read(path.string());
    const std::string name = path.stem().string();
    std::string row = std::string("| [") + name + "](" + name + ".json) | ";
    if (file.has("vector")) {
      row.append("[")
          .append(file.text("vector"))
          .append("](../vectors/")
          .append(file.text("vector"))
          .append(".json)");
    }
    row.append(" | ").append(std::regex_replace(file.text("source"), address, "<$&>")).append(" |\n");
    INFO(row);
    CHECK(readme.find(row) != std::string::npos);
    ++rows;
  }
  std::size_t listed = 0;
  for (std::size_t at = readme.find("\n| ["); at != std::string::npos; at = readme.find("\n| [", at + 1))
    ++listed;
  CHECK(listed == rows);
  CHECK(rows >= 12);
}

TEST_CASE("what the book's configurations say") {
  const ModelConfig llama3 = read_model_config(model_file("llama-3-8b"));
  CHECK(llama3.q_heads == 32);
  CHECK(llama3.kv_heads == 8);
  CHECK(llama3.style_source == "the table by model_type");
  const ModelConfig neox = read_model_config(model_file("gpt-neox-20b"));
  CHECK(neox.q_heads == 64);
  CHECK(neox.kv_heads == 64);
  CHECK(neox.head_dim == 96);
  CHECK(neox.schedule.rotary_dim == 24);
  const ModelConfig gptj = read_model_config(model_file("gpt-j-6b"));
  CHECK(gptj.q_heads == 16);
  CHECK(gptj.style == Style::interleaved);
  CHECK(read_model_config(model_file("falcon-7b")).kv_heads == 1);
  CHECK(read_model_config(model_file("glm-4-9b-chat")).kv_heads == 2);
  CHECK(read_model_config(model_file("glm-4-9b-chat")).schedule.base == 5e6);
  CHECK(read_model_config(model_file("gemma-2b")).head_dim == 256);
}

TEST_CASE("layers that differ: the layer type decides, and must be given") {
  const std::string gemma3 = model_file("gemma-3-1b");
  CHECK(read_model_config(gemma3, "full_attention").schedule.base == 1e6);
  CHECK(read_model_config(gemma3, "sliding_attention").schedule.base == 1e4);
  CHECK(
      message_of<InputError>([&] { read_model_config(gemma3); }) ==
      gemma3 +
          ": rope_local_base_freq: differs between layers; allowed: --layer-type with one of full_attention, "
          "sliding_attention");
  CHECK(message_of<InputError>([&] { read_model_config(gemma3, "global"); }) ==
        gemma3 +
            ": rope_local_base_freq: has no layer type 'global'; allowed: full_attention, sliding_attention");

  const std::string nested = llama(
      {{"rope_theta", ""}, {"rope_parameters", R"({"sliding": {"rope_type": "default", "rope_theta": 20000},
                                                            "full": {"rope_type": "linear", "factor": 8}})"}});
  CHECK(read(nested, "sliding").schedule.base == 20000);
  CHECK(fault<NotSupported>(nested, "full") ==
        "rope_type 'linear' is not implemented yet (implemented: default)");
  CHECK(fault(nested) ==
        "rope_parameters: differs between layers; allowed: --layer-type with one of full, sliding");
  CHECK(fault(nested, "other") == "rope_parameters: has no layer type 'other'; allowed: full, sliding");
  CHECK(fault(llama({}), "full") ==
        "rope_parameters: has no layer types, so 'full' is not one; allowed: no --layer-type");
}

TEST_CASE("the style: the option first, then the file, then the table") {
  const std::string unknown = llama({{"model_type", "\"my_model\""}});
  CHECK(read(llama({})).style == Style::half);
  CHECK(read(llama({}), "", Style::interleaved).style == Style::interleaved);
  CHECK(read(llama({}), "", Style::interleaved).style_source == "--style");
  CHECK(read(llama({{"rope_interleave", "true"}})).style == Style::interleaved);
  CHECK(read(llama({{"rope_interleave", "true"}})).style_source == "rope_interleave");
  CHECK(read(llama({{"rope_interleave", "true"}}), "", Style::half).style == Style::half);
  CHECK(read(llama({{"model_type", "\"cohere\""}})).style == Style::interleaved);
  CHECK(read(unknown, "", Style::half).model_type == "my_model");
  CHECK(fault(unknown) ==
        "model_type: 'my_model' does not say which channels form a pair; allowed: --style, rope_interleave "
        "in the file, "
        "or one of " +
            known_model_types());
  CHECK(fault(llama({{"model_type", ""}})) == "model_type: is missing; allowed: a text");
  CHECK(fault(llama({{"rope_interleave", "1"}})) == "rope_interleave: is 1; allowed: true or false");
}

TEST_CASE("the many names of the same thing") {
  CHECK(read(llama({{"num_key_value_heads", ""}})).kv_heads == 32);
  CHECK(read(llama({{"num_key_value_heads", "null"}})).kv_heads == 32);
  CHECK(read(llama({{"head_dim", "64"}})).head_dim == 64);
  CHECK(read(llama({{"rope_theta", ""}})).schedule.base == 10000);
  CHECK(read(llama({{"rope_scaling", "null"}})).schedule.rope_type == "default");
  CHECK(read(llama({{"rope_scaling", R"({"type": "default"})"}})).schedule.rope_type == "default");
  CHECK(
      read(llama({{"rope_theta", ""}, {"rope_parameters", R"({"rope_type": "default", "rope_theta": 7e6})"}}))
          .schedule.base == 7e6);
  CHECK(read(llama({{"partial_rotary_factor", "0.5"}})).schedule.rotary_dim == 64);
  CHECK(read(llama({{"rope_parameters", R"({"partial_rotary_factor": 0.25})"}})).schedule.rotary_dim == 32);
  CHECK(read(as_json({{"model_type", "\"llava\""}, {"text_config", llama({})}})).model_type == "llama");
  CHECK(read(as_json({{"model_type", "\"llama\""}, {"text_config", llama({{"model_type", ""}})}})).q_heads ==
        32);
  CHECK(read(llama({{"name", "\"my name\""}})).name == "my name");
}

TEST_CASE("a partial rotation that the file leaves to its model type") {
  for (const auto& [type, rotary_dim] : {std::pair<std::string, std::int64_t>{"llama", 128},
                                         {"phi", 64},
                                         {"glm", 64},
                                         {"glm4", 64},
                                         {"chatglm", 64},
                                         {"nemotron", 64},
                                         {"persimmon", 64},
                                         {"stablelm", 32},
                                         {"gpt_neox", 32},
                                         {"phi3", 128},
                                         {"qwen3", 128}}) {
    INFO(type);
    CHECK(read(llama({{"model_type", "\"" + type + "\""}, {"head_dim", "128"}})).schedule.rotary_dim ==
          rotary_dim);
  }
  // int(head_dim * factor), as transformers computes it.
  CHECK(read(llama({{"head_dim", "80"}, {"partial_rotary_factor", "0.4"}})).schedule.rotary_dim == 32);
  CHECK(read(llama({{"head_dim", "100"}, {"partial_rotary_factor", "0.129"}})).schedule.rotary_dim == 12);
}

TEST_CASE("Falcon's key heads") {
  const auto falcon = [](const Fields& changes) {
    Fields fields = {
        {"model_type", "\"falcon\""}, {"hidden_size", "4544"}, {"num_attention_heads", ""}, {"n_head", "71"}};
    for (const auto& [name, value] : changes) fields[name] = value;
    return as_json(fields);
  };
  CHECK(read(falcon({})).kv_heads == 1);
  CHECK(read(falcon({{"num_kv_heads", "71"}})).kv_heads == 1);
  CHECK(read(falcon({{"multi_query", "false"}})).kv_heads == 71);
  CHECK(read(falcon({{"new_decoder_architecture", "true"}, {"num_kv_heads", "71"}})).kv_heads == 71);
  CHECK(fault(falcon({{"alibi", "true"}})) ==
        "alibi: is true: this model uses ALiBi and no RoPE; allowed: false");
}

TEST_CASE("schedules by name: refused if known, an error if not") {
  for (const char* type : {"linear", "dynamic", "yarn", "longrope", "llama3", "proportional"}) {
    for (const char* field : {"type", "rope_type"}) {
      for (const char* object : {"rope_scaling", "rope_parameters"}) {
        const std::string text =
            llama({{object, R"({")" + std::string(field) + R"(": ")" + type + R"(", "factor": 2})"}});
        CHECK(fault<NotSupported>(text) ==
              "rope_type '" + std::string(type) + "' is not implemented yet (implemented: default)");
      }
    }
  }
  CHECK(fault<NotSupported>(llama({{"rope_scaling", R"({"type": "su"})"}}))
            .starts_with("rope_type 'longrope'"));
  CHECK(fault<NotSupported>(llama({{"model_type", "\"phi3\""}, {"rope_scaling", R"({"type": "yarn"})"}}))
            .starts_with("rope_type 'longrope'"));
  CHECK(fault<NotSupported>(llama({{"model_type", "\"gpt_oss\""}})).starts_with("rope_type 'yarn'"));
  CHECK(fault(llama({{"rope_scaling", R"({"type": "ntk"})"}})) ==
        "unknown rope_type 'ntk'; allowed: " + known_rope_types() + " (implemented: default)");
}

TEST_CASE("other techniques are refused by field, never ignored") {
  CHECK(
      fault<NotSupported>(llama({{"rope_scaling", R"({"type": "mrope", "mrope_section": [16, 24, 24]})"}})) ==
      "rope_scaling.mrope_section: three positions per token (M-RoPE) is not implemented yet");
  CHECK(fault<NotSupported>(llama({{"qk_rope_head_dim", "64"}})) ==
        "qk_rope_head_dim: latent attention (MLA) is not implemented yet");
  CHECK(fault<NotSupported>(llama({{"no_rope_layers", "[1, 1, 1, 0]"}})) ==
        "no_rope_layers: a list of layers without RoPE is not implemented yet");
  CHECK(fault(llama({{"rope_scaling", R"({"rope_type": "default", "factor": 4.0})"}})) ==
        "rope_scaling.factor: has no meaning for rope_type 'default'; allowed: rope_theta, "
        "partial_rotary_factor");
  CHECK(fault(llama({{"rope_scaling", R"({"factor": 4.0})"}}))
            .starts_with("rope_scaling.factor: has no meaning"));
}

TEST_CASE("a broken configuration is refused with its field and what is allowed") {
  const auto with = [](const std::string& name, const std::string& value) {
    return fault(llama({{name, value}}));
  };
  CHECK(with("num_attention_heads", "") ==
        "num_attention_heads: is missing; allowed: a whole number from 1 to 65536");
  CHECK(with("num_attention_heads", "0") ==
        "num_attention_heads: is 0; allowed: a whole number from 1 to 65536");
  CHECK(with("num_attention_heads", "\"32\"") ==
        "num_attention_heads: is \"32\"; allowed: a whole number from 1 to 65536");
  CHECK(with("num_attention_heads", "32.5") ==
        "num_attention_heads: is 32.5; allowed: a whole number from 1 to 65536");
  CHECK(with("num_attention_heads", "-32") ==
        "num_attention_heads: is -32; allowed: a whole number from 1 to 65536");
  CHECK(with("num_key_value_heads", "5") ==
        "num_key_value_heads: is 5, which does not divide the 32 q heads; allowed: a divisor");
  CHECK(with("hidden_size", "") == "hidden_size: is missing; allowed: a whole number from 2 to 4294967296");
  CHECK(with("hidden_size", "4100") ==
        "hidden_size: is 4100, no multiple of the 32 q heads; allowed: a multiple, or head_dim beside it");
  CHECK(with("head_dim", "1") == "head_dim: is 1; allowed: a whole number from 2 to 65536");
  CHECK(with("rope_theta", "0") == "rope_theta: is 0; allowed: a number from 1 to 1e+30");
  CHECK(with("rope_theta", "-1e4") == "rope_theta: is -10000.0; allowed: a number from 1 to 1e+30");
  CHECK(with("rope_theta", "1e31") == "rope_theta: is 1e+31; allowed: a number from 1 to 1e+30");
  CHECK(with("rope_theta", "true") == "rope_theta: is true; allowed: a number from 1 to 1e+30");
  CHECK(with("rope_theta", "NaN") == "is not JSON (line 1); allowed: a JSON object");
  CHECK(with("rope_theta", "1e999") == "holds a number out of range; allowed: numbers of double precision");
  CHECK(with("rope_ratio", "1e26") == "rope_ratio: is 1e+26; allowed: a number from 1 to 2e+24");
  CHECK(with("rope_scaling", "4.0") == "rope_scaling: is 4.0; allowed: an object");
  CHECK(with("rope_scaling", R"({"type": 3})") == "rope_scaling.type: is 3; allowed: a text");
  CHECK(with("rope_scaling", R"({"type": "linear", "rope_type": "default"})") ==
        "rope_scaling.type: is 'linear' beside rope_type 'default'; allowed: the same, or one of them");
  CHECK(with("rope_parameters", R"({"rope_theta": 10000})") ==
        "rope_theta: differs from the rope_theta in rope_parameters; allowed: the same, or one of them");
  CHECK(fault(llama({{"rope_scaling", "{}"}, {"rope_parameters", "{}"}})) ==
        "rope_scaling: stands beside rope_parameters, its newer name; allowed: one of them");
  CHECK(with("partial_rotary_factor", "1.5") ==
        "partial_rotary_factor: is 1.5; allowed: a number from 0 to 1");
  CHECK(with("partial_rotary_factor", "0") ==
        "partial_rotary_factor: gives 0 rotary channels of 128, and channels turn in pairs; allowed: an even "
        "number of at "
        "least 2");
  CHECK(fault(llama({{"head_dim", "10"}, {"partial_rotary_factor", "0.3"}}))
            .starts_with("partial_rotary_factor: gives 3 rotary channels of 10, and channels turn in pairs"));
  CHECK(with("head_dim", "33").starts_with("partial_rotary_factor: gives 33 rotary channels of 33"));
  CHECK(with("rotary_dim", "33").starts_with("rotary_dim: gives 33 rotary channels of 128"));
  CHECK(with("rotary_dim", "256") == "rotary_dim: is 256; allowed: a whole number from 1 to 128");
  CHECK(fault(llama({{"model_type", "\"gptj\""}})) ==
        "rotary_dim: is missing; allowed: a whole number from 1 to 128");
  CHECK(fault(llama({{"model_type", "\"cohere\""}, {"rope_theta", ""}})) ==
        "rope_theta: is missing; allowed: a number from 1 to 1e+30");
  CHECK(fault(as_json({{"model_type", "\"llava\""}, {"text_config", llama({{"head_dim", "\"x\""}})}})) ==
        "text_config.head_dim: is \"x\"; allowed: a whole number from 2 to 65536");
  CHECK(fault(as_json({{"model_type", "\"llava\""}, {"text_config", "[]"}})) ==
        "text_config: is an array; allowed: an object");
  CHECK(with("head_dim", "\"" + std::string(100, 'x') + "\"") ==
        std::string("head_dim: is \"") + std::string(39, 'x') +
            "...; allowed: a whole number from 2 to 65536");
}

TEST_CASE("a file nested without end is refused like any other") {
  const std::string deep = std::string(1000000, '[') + std::string(1000000, ']');
  CHECK(fault(llama({{"head_dim", deep}})) ==
        "head_dim: is an array; allowed: a whole number from 2 to 65536");
  CHECK(read(as_json({{"model_type", "\"llava\""}, {"text_config", llama({{"other", deep}})}})).q_heads ==
        32);
}

TEST_CASE("what is no configuration file is refused") {
  const std::string folder = std::string(ROPEWALK_SOURCE_DIR) + "/common/models";
  CHECK(message_of<InputError>([&] { read_model_config(folder); }) ==
        folder + ": is a directory; allowed: a JSON file");
  CHECK(message_of<InputError>([] { read_model_config("/no/such.json"); }) ==
        "/no/such.json: cannot be opened; allowed: a readable JSON file");
  CHECK(fault("[]") == "holds an array; allowed: a JSON object");
}
