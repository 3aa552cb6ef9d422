/// \file
/// Reader of config.json. The format has grown for years: most fields have two or three names.
#include "common/rope/model_config.hpp"

#include <filesystem>
#include <initializer_list>
#include <vector>

#include "common/rope/json_file.hpp"
#include "common/rope/model_types.hpp"

namespace ropewalk {
namespace {

constexpr std::int64_t kLargestSize = 1 << 16;  // of heads and head_dim

// Gemma 3's files from before rope_parameters give the second base a field of its own.
constexpr const char* kLocalBase = "rope_local_base_freq";

/// The first of the names that the object has, or the first of all, so that an error names the usual one.
std::string present(const JsonObject& config, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (config.has(name)) return name;
  }
  return *names.begin();
}

/// Refuses fields of techniques that change the rotation and that no chapter implements yet: ignoring one
/// would be a wrong answer.
void refuse_other_techniques(const JsonObject& config) {
  const struct {
    const char *field, *technique;
  } kOthers[] = {{"qk_rope_head_dim", "latent attention (MLA)"},
                 {"no_rope_layers", "a list of layers without RoPE"},
                 {"no_rope_layer_interval", "a list of layers without RoPE"},
                 {"global_rope_theta", "a base per layer under this name"},
                 {"mrope_section", "three positions per token (M-RoPE)"}};
  for (const auto& [field, technique] : kOthers) {
    if (!config.has(field)) continue;
    config.fail_as_not_supported(field, std::string(technique) + " is not implemented yet");
  }
  if (config.has("position_embedding_type") && config.text("position_embedding_type") != "rope" &&
      config.text("position_embedding_type") != "rotary")
    config.fail("position_embedding_type", "is not RoPE; allowed: rope, rotary");
  if (config.has("alibi") && config.boolean("alibi")) {
    config.fail("alibi", "is true: this model uses ALiBi and no RoPE; allowed: false");
  }
}

std::int64_t read_kv_heads(const JsonObject& config, const ModelType* type, const ModelConfig& model) {
  if (model.model_type == "falcon") {
    // Of Falcon's two architectures the old one takes one kv head or all of them from multi_query, whatever
    // else is there.
    const bool is_new = config.has("new_decoder_architecture") && config.boolean("new_decoder_architecture");
    if (!is_new && (!config.has("multi_query") || config.boolean("multi_query"))) return 1;
  }
  const bool shared = !config.has("multi_query_attention") || config.boolean("multi_query_attention");
  if (model.model_type == "chatglm" && !shared) return model.q_heads;
  const std::string field = present(config, {"num_key_value_heads", "num_kv_heads", "multi_query_group_num"});
  std::int64_t kv_heads = type != nullptr && type->kv_heads != 0 ? type->kv_heads : model.q_heads;
  if (config.has(field)) kv_heads = config.integer(field, 1, kLargestSize);
  if (model.q_heads % kv_heads != 0) {
    config.fail(field, "is " + std::to_string(kv_heads) + ", which does not divide the " +
                           std::to_string(model.q_heads) + " q heads; allowed: a divisor");
  }
  return kv_heads;
}

std::int64_t read_head_dim(const JsonObject& config, const ModelType* type, std::int64_t q_heads) {
  const std::string field = present(config, {"head_dim", "kv_channels"});
  if (config.has(field)) return config.integer(field, 2, kLargestSize);
  if (type != nullptr && type->head_dim != 0) return type->head_dim;
  const std::string hidden_field = present(config, {"hidden_size", "n_embd"});
  const std::int64_t hidden_size = config.integer(hidden_field, 2, kLargestSize * kLargestSize);
  if (hidden_size % q_heads != 0) {
    config.fail(hidden_field, "is " + std::to_string(hidden_size) + ", no multiple of the " +
                                  std::to_string(q_heads) +
                                  " q heads; allowed: a multiple, or head_dim beside it");
  }
  return hidden_size / q_heads;
}

/// Picks one of the layer types, or explains why it must be picked.
std::string pick_layer_type(const JsonObject& config, const std::string& field, const std::string& layer_type,
                            const std::vector<std::string>& known) {
  std::string list;
  for (const std::string& name : known) {
    if (name == layer_type) return name;
    list += (list.empty() ? "" : ", ") + name;
  }
  if (known.empty()) {
    if (layer_type.empty()) return {};
    config.fail(field, "has no layer types, so '" + layer_type + "' is not one; allowed: no --layer-type");
  }
  if (layer_type.empty())
    config.fail(field, "differs between layers; allowed: --layer-type with one of " + list);
  config.fail(field, "has no layer type '" + layer_type + "'; allowed: " + list);
}

/// The RoPE fields of one kind of layer.
struct RopeFields {
  std::optional<JsonObject> object;  ///< rope_parameters or rope_scaling, where the file has one
  bool local_base = false;           ///< these layers take their base from rope_local_base_freq
};

RopeFields select_layers(const JsonObject& config, const std::string& layer_type) {
  if (config.has("rope_parameters") && config.has("rope_scaling")) {
    config.fail("rope_scaling", "stands beside rope_parameters, its newer name; allowed: one of them");
  }
  const std::string field = present(config, {"rope_parameters", "rope_scaling"});
  RopeFields rope;
  if (config.has(field)) rope.object = config.object(field);

  if (config.has(kLocalBase)) {
    if (pick_layer_type(config, kLocalBase, layer_type, {"full_attention", "sliding_attention"}) ==
        "sliding_attention") {
      return {.object = {}, .local_base = true};  // rope_scaling is for the other layers
    }
    return rope;
  }
  std::vector<std::string> layer_types;
  if (rope.object) {
    for (const std::string& name : rope.object->fields()) {
      if (rope.object->is_object(name)) layer_types.push_back(name);
    }
  }
  const std::string picked = pick_layer_type(config, field, layer_type, layer_types);
  if (!picked.empty()) rope.object = rope.object->object(picked);
  return rope;
}

/// The name of the schedule. Older files say "type", some say both.
std::string read_rope_type(const RopeFields& rope, const ModelType* type, const std::string& model_type) {
  if (!rope.object) return type != nullptr && !rope.local_base ? type->rope_type : "default";
  const std::string field = present(*rope.object, {"rope_type", "type"});
  if (!rope.object->has(field)) return "default";
  const std::string rope_type = rope.object->text(field);
  if (rope.object->has("type") && rope.object->text("type") != rope_type) {
    rope.object->fail("type", "is '" + rope.object->text("type") + "' beside rope_type '" + rope_type +
                                  "'; allowed: the same, or one of them");
  }
  // Names that Phi-3's first files used for LongRoPE (transformers, configuration_phi3.py).
  if (rope_type == "su" || (rope_type == "yarn" && model_type == "phi3")) return "longrope";
  return rope_type;
}

/// Under the default schedule a factor or a list would be ignored, and the answer wrong.
void refuse_unused_fields(const JsonObject& rope) {
  for (const std::string& name : rope.fields()) {
    const bool used =
        name == "rope_type" || name == "type" || name == "rope_theta" || name == "partial_rotary_factor";
    if (used || !rope.has(name)) continue;
    rope.fail(name, "has no meaning for rope_type 'default'; allowed: rope_theta, partial_rotary_factor");
  }
}

/// A number that may stand in the RoPE object, beside it under several names, or nowhere.
std::optional<double> read_number(const JsonObject& config, const RopeFields& rope,
                                  std::initializer_list<const char*> names, double least, double most) {
  const std::string name = *names.begin();
  const std::string beside = present(config, names);
  std::optional<double> value;
  if (config.has(beside)) value = config.number(beside, least, most);
  if (!rope.object || !rope.object->has(name)) return value;
  const double inside = rope.object->number(name, least, most);
  if (value && *value != inside) {
    config.fail(beside,
                "differs from the " + name + " in rope_parameters; allowed: the same, or one of them");
  }
  return inside;
}

double read_base(const JsonObject& config, const RopeFields& rope, const ModelType* type) {
  if (rope.local_base) return config.number(kLocalBase, kSmallestBase, kLargestBase);
  std::optional<double> base =
      read_number(config, rope, {"rope_theta", "rotary_emb_base"}, kSmallestBase, kLargestBase);
  if (!base && type != nullptr && type->base != 0) base = type->base;
  if (!base) return config.number("rope_theta", kSmallestBase, kLargestBase);  // names the missing field
  // ChatGLM writes a longer context as a factor on the base (modeling_chatglm.py).
  if (config.has("rope_ratio")) *base *= config.number("rope_ratio", 1.0, kLargestBase / *base);
  return *base;
}

std::int64_t read_rotary_dim(const JsonObject& config, const RopeFields& rope, const ModelType* type,
                             std::int64_t head_dim) {
  std::string field = "rotary_dim";
  std::int64_t rotary_dim = 0;
  if (config.has(field) || (type != nullptr && type->has_rotary_dim)) {
    rotary_dim = config.integer(field, 1, head_dim);
  } else {
    field = present(config, {"partial_rotary_factor", "rotary_pct"});
    const std::optional<double> given =
        read_number(config, rope, {"partial_rotary_factor", "rotary_pct"}, 0.0, 1.0);
    const double factor = given ? *given : type != nullptr ? type->partial_rotary_factor : 1.0;
    rotary_dim =
        static_cast<std::int64_t>(static_cast<double>(head_dim) * factor);  // truncated, as transformers does
  }
  if (rotary_dim < 2 || rotary_dim % 2 != 0) {
    config.fail(field, "gives " + std::to_string(rotary_dim) + " rotary channels of " +
                           std::to_string(head_dim) +
                           ", and channels turn in pairs; allowed: an even number of at least 2");
  }
  return rotary_dim;
}

void decide_style(const JsonObject& config, std::optional<Style> given, const ModelType* type,
                  ModelConfig& model) {
  if (given) {
    model.style = *given;
    model.style_source = "--style";
  } else if (config.has("rope_interleave")) {
    model.style = config.boolean("rope_interleave") ? Style::interleaved : Style::half;
    model.style_source = "rope_interleave";
  } else if (type != nullptr) {
    model.style = type->style;
    model.style_source = "the table by model_type";
  } else {
    config.fail("model_type", "'" + model.model_type +
                                  "' does not say which channels form a pair; allowed: --style, " +
                                  "rope_interleave in the file, or one of " + known_model_types());
  }
}

}  // namespace

ModelConfig read_model_config(const std::string& path, const std::string& layer_type,
                              std::optional<Style> style) {
  const JsonObject file = JsonObject::read(path);
  const JsonObject config = file.has("text_config") ? file.object("text_config") : file;

  ModelConfig model;
  model.name = file.has("name") ? file.text("name") : std::filesystem::path(path).stem().string();
  model.model_type = (config.has("model_type") ? config : file).text("model_type");
  const ModelType* type = find_model_type(model.model_type);

  // The schedule's name first: a reader whose file says "yarn" is helped by no other complaint.
  const RopeFields rope = select_layers(config, layer_type);
  if (rope.object && rope.object->has("mrope_section")) refuse_other_techniques(*rope.object);
  model.schedule.rope_type = read_rope_type(rope, type, model.model_type);
  require_implemented(model.schedule.rope_type, path + ": ");
  if (rope.object) refuse_unused_fields(*rope.object);
  refuse_other_techniques(config);

  decide_style(config, style, type, model);
  model.q_heads = config.integer(present(config, {"num_attention_heads", "n_head"}), 1, kLargestSize);
  model.kv_heads = read_kv_heads(config, type, model);
  model.head_dim = read_head_dim(config, type, model.q_heads);
  model.schedule.head_dim = model.head_dim;
  model.schedule.rotary_dim = read_rotary_dim(config, rope, type, model.head_dim);
  model.schedule.base = read_base(config, rope, type);
  return model;
}

}  // namespace ropewalk
