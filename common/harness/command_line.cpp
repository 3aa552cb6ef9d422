/// \file
/// The options of all chapters and what they may be.
#include "common/harness/command_line.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "common/harness/device_info.hpp"
#include "common/rope/model_config.hpp"

namespace ropewalk {
namespace {

struct OptionText {
  const char* name;
  const char* value;  // empty: a switch
  const char* help;
};

// Every option any chapter has, with one meaning in all of them.
constexpr OptionText kOptions[] = {
    {"tokens", "N", "tokens of one sequence; 0 is legal and does nothing"},
    {"batch", "N", "sequences"},
    {"q-heads", "N", "query heads"},
    {"kv-heads", "N", "key heads; divides --q-heads; 0: no keys"},
    {"head-dim", "N", "channels of a head"},
    {"rotary-dim", "N", "channels that turn, from the first on; even"},
    {"dtype", "f32|f16|bf16", "element type of q and k"},
    {"style", "half|interleaved", "which channels form a pair"},
    {"base", "X", "base of the frequencies (rope_theta)"},
    {"position-offset", "N", "first position; may be negative"},
    {"seed", "N", "seed of the random values"},
    {"variant", "NAME", "only this variant (--list names them)"},
    {"config", "FILE", "take sizes, style and frequencies from a model's config.json"},
    {"layer-type", "NAME", "which schedule of a config that has several"},
    {"vectors", "FILE...", "run on test vectors instead of random values"},
    {"schedule", "", "print the frequencies and stop"},
    {"bench", "", "time the variants after checking them (GPU builds)"},
    {"csv", "FILE", "write the results, whole or not at all"},
    {"trace", "", "count memory accesses (trace builds)"},
    {"list", "", "say what this chapter has and stop"},
};

constexpr const char* kSizeOptions[] = {"tokens", "batch", "q-heads", "kv-heads", "head-dim", "rotary-dim"};

class Options {
 public:
  Options(int argc, const char* const* argv, const Chapter& chapter) : chapter_(chapter) {
    CLI::App app(fmt::format("{}: {}\n{}", chapter.name, chapter.title, chapter.what), chapter.name);
    app.failure_message(CLI::FailureMessage::simple);
    for (const OptionText& option : kOptions) {
      auto& values = values_[option.name];
      CLI::Option* added =
          *option.value == '\0'
              ? app.add_flag(fmt::format("--{}", option.name), switches_[option.name], option.help)
              : app.add_option(fmt::format("--{}", option.name), values, option.help);
      added->type_name(option.value);
      if (std::string_view(option.name) == "vectors")
        added->expected(1, 1 << 20);
      else if (*option.value != '\0')
        added->expected(1);
      if (!has(option.name)) added->group("");  // known, but not in this chapter's help
    }
    try {
      app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
      fmt::print("{}", app.help());
      help_ = true;
      return;
    } catch (const CLI::ParseError& error) {
      throw InputError(
          fmt::format("{}; allowed: {} (--help explains them)", one_line(error.what()), allowed()));
    }
    for (const OptionText& option : kOptions)
      if (given(option.name) && !has(option.name))
        throw NotSupported(
            fmt::format("--{}: this chapter has no such option; allowed: {}", option.name, allowed()));
  }

  bool help() const { return help_; }
  bool given(const std::string& name) const {
    const auto it = switches_.find(name);
    return it != switches_.end() ? it->second : !values_.at(name).empty();
  }
  const std::string& text(const std::string& name) const { return values_.at(name).front(); }
  const std::vector<std::string>& texts(const std::string& name) const { return values_.at(name); }

  // Leaves `value` alone when the option is not given.
  template <class Number>
  void read(const std::string& name, Number& value, Number low, Number high) const {
    if (!given(name)) return;
    const std::string& word = text(name);
    Number number{};
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc{} || end != word.data() + word.size() || !(number >= low && number <= high))
      throw InputError(fmt::format("--{}: '{}' is not allowed; allowed: a {} from {} to {}", name, word,
                                   std::is_integral_v<Number> ? "whole number" : "number", low, high));
    value = number;
  }

 private:
  bool has(std::string_view name) const {
    constexpr std::string_view always[] = {"list", "trace"};
    return std::find(std::begin(always), std::end(always), name) != std::end(always) ||
           std::find(chapter_.options.begin(), chapter_.options.end(), name) != chapter_.options.end();
  }
  std::string allowed() const {
    std::vector<std::string> names;
    for (const OptionText& option : kOptions)
      if (has(option.name)) names.push_back(fmt::format("--{}", option.name));
    return fmt::format("{}", fmt::join(names, " "));
  }
  static std::string one_line(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
  }

  const Chapter& chapter_;
  std::map<std::string, std::vector<std::string>> values_;
  std::map<std::string, bool> switches_;
  bool help_ = false;
};

template <class Value>
std::string words(const std::vector<Value>& values) {
  std::vector<std::string> names;
  for (const Value& value : values) names.emplace_back(to_string(value));
  return fmt::format("{}", fmt::join(names, ", "));
}

template <class Value>
void must_implement(const Chapter& chapter, const std::string& where, const std::vector<Value>& implemented,
                    Value value) {
  if (std::find(implemented.begin(), implemented.end(), value) == implemented.end())
    throw NotSupported(fmt::format("{}: {} is not implemented in {}; implemented: {}", where,
                                   to_string(value), chapter.name, words(implemented)));
}

void apply_config(const Options& options, const Chapter& chapter, RunRequest& request) {
  std::optional<Style> style;  // the option wins over the file
  if (options.given("style")) {
    style = parse_style(options.text("style"), "--style");
    must_implement(chapter, "--style", chapter.styles, *style);
    request.styles = {*style};
  }
  if (!options.given("config")) {
    if (options.given("layer-type"))
      throw InputError("--layer-type: picks a schedule of a config; give --config too");
    return;
  }
  const std::string& path = options.text("config");
  const ModelConfig config =
      read_model_config(path, options.given("layer-type") ? options.text("layer-type") : "", style);
  must_implement(chapter, fmt::format("{}: style", path), chapter.styles, config.style);
  request.styles = {config.style};
  request.source = fmt::format("{}; style from {}", path, config.style_source);
  request.shape.q_heads = config.q_heads;
  request.shape.kv_heads = config.kv_heads;
  request.shape.head_dim = config.head_dim;
  request.shape.rotary_dim = config.schedule.rotary_dim;
  request.schedule = config.schedule;
}

void load_vectors(const Options& options, const Chapter& chapter, RunRequest& request) {
  if (!options.given("vectors")) return;
  for (const std::string& path : options.texts("vectors")) {
    TestVector vector = read_test_vector(path);
    const auto refuse = [&](const char* field, const std::string& value, const char* implemented) {
      throw NotSupported(fmt::format("{}: {} '{}' is not implemented in {}; implemented: {}", path, field,
                                     value, chapter.name, implemented));
    };
    if (!vector.op.empty()) refuse("op", vector.op, "none (rotate x)");
    if (vector.layout != "1d") refuse("layout", vector.layout, "1d");
    if (vector.schedule.rope_type != "default") refuse("rope_type", vector.schedule.rope_type, "default");
    must_implement(chapter, path + ": style", chapter.styles, vector.style);
    request.vectors.push_back(std::move(vector));
  }
}

void check_sizes(const Options& options, const Chapter& chapter, const RunRequest& request) {
  const Shape& s = request.shape;
  if (const std::string fault = fault_of(s);
      !fault.empty()) {  // "rotary_dim: …": name the option, or the file
    std::string option = fault.substr(0, fault.find(':'));
    std::replace(option.begin(), option.end(), '_', '-');
    const bool from_file = options.given("config") && !options.given(option);
    throw InputError(from_file ? fmt::format("{}: {}", options.text("config"), fault)
                               : fmt::format("--{}{}", option, fault.substr(fault.find(':'))));
  }
  if (chapter.variants.empty()) return;  // no tensors

  // In double, which does not wrap. The check holds about 40 bytes per element.
  const double elements = static_cast<double>(s.batch) * static_cast<double>(s.tokens) *
                          static_cast<double>(s.q_heads + s.kv_heads) * static_cast<double>(s.head_dim);
  const double memory =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
  if (40 * elements > memory)
    throw InputError(
        fmt::format("--tokens: these sizes make {:.3g} elements and need about {:.1f} GB of memory; allowed "
                    "here: {:.1f} GB",
                    elements, 40 * elements / 1e9, memory / 1e9));

  const double last = static_cast<double>(request.position_offset) + static_cast<double>(s.tokens) +
                      13.0 * static_cast<double>(s.batch);
  if (last > std::numeric_limits<std::int32_t>::max())
    throw InputError(
        fmt::format("--position-offset: the last position, about {:.0f}, does not fit into 32 bits", last));
}

}  // namespace

bool read_command_line(int argc, const char* const* argv, const Chapter& chapter, RunRequest& request) {
  const Options options(argc, argv, chapter);
  if (options.help()) return false;
  if (options.given("trace")) throw InputError("--trace: this is not a trace build; nothing was counted");
  if (options.given("bench") && !kGpuBuild)
    throw InputError(
        "--bench: this program runs its kernels on the CPU, where a time would say nothing about a GPU");

  request.shape = chapter.default_shape;
  request.styles = chapter.styles;
  request.dtype = chapter.dtypes.empty() ? Dtype::f32 : chapter.dtypes.front();
  request.position_offset = chapter.default_position_offset;
  request.source = "the defaults of this chapter";
  apply_config(options, chapter, request);

  if (options.given("dtype")) {
    request.dtype = parse_dtype(options.text("dtype"), "--dtype");
    must_implement(chapter, "--dtype", chapter.dtypes, request.dtype);
  } else if (options.given("bench")) {
    request.dtype = Dtype::bf16;
  }
  constexpr std::int64_t kMany = 1'000'000'000;
  Shape& s = request.shape;
  options.read<std::int64_t>("batch", s.batch, 1, kMany);
  options.read<std::int64_t>("tokens", s.tokens, 0, kMany);
  options.read<std::int64_t>("q-heads", s.q_heads, 1, 65536);
  if (options.given("q-heads") && !options.given("kv-heads") && s.kv_heads > 0 && s.q_heads % s.kv_heads != 0)
    s.kv_heads = s.q_heads;
  options.read<std::int64_t>("kv-heads", s.kv_heads, 0, 65536);
  options.read<std::int64_t>("head-dim", s.head_dim, 2, 65536);
  if (options.given("head-dim")) s.rotary_dim = s.head_dim / 2 * 2;
  options.read<std::int64_t>("rotary-dim", s.rotary_dim, 2, 65536);
  options.read<double>("base", request.schedule.base, 1.0, 1e15);
  options.read<std::int64_t>("position-offset", request.position_offset,
                             std::numeric_limits<std::int32_t>::min(),
                             std::numeric_limits<std::int32_t>::max());
  options.read<std::uint64_t>("seed", request.seed, 0, std::numeric_limits<std::uint64_t>::max());
  request.schedule.head_dim = s.head_dim;
  request.schedule.rotary_dim = s.rotary_dim;
  check_sizes(options, chapter, request);

  if (options.given("variant")) {
    request.variant = options.text("variant");
    std::vector<std::string> names;
    for (const Variant& variant : chapter.variants) names.push_back(variant.name);
    if (std::find(names.begin(), names.end(), request.variant) == names.end())
      throw InputError(
          fmt::format("--variant: '{}' is unknown; allowed: {}", request.variant, fmt::join(names, ", ")));
  }
  load_vectors(options, chapter, request);
  for (const char* name : kSizeOptions) request.shape_given |= options.given(name);
  request.shape_given |= options.given("config");
  request.bench = options.given("bench");
  request.print_schedule = options.given("schedule");
  request.list = options.given("list");
  if (options.given("csv")) request.csv = options.text("csv");
  return true;
}

}  // namespace ropewalk
