/// \file
/// The options of all chapters: one table, one meaning each.
#include "common/harness/options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>

#include "common/harness/tracing.hpp"

namespace ropewalk {
namespace {

struct OptionText {
  const char* name;
  const char* value;  // empty: a switch
  const char* help;
  bool is_size = false;           // of q and k
  bool not_with_vectors = false;  // a test vector decides it, so it would be ignored
};

constexpr bool kSize = true, kNotWithVectors = true;

// Every option any chapter has, with one meaning in all of them.
constexpr OptionText kOptions[] = {
    {"tokens", "N", "tokens of one sequence; 0 is legal and does nothing", kSize, kNotWithVectors},
    {"batch", "N", "sequences", kSize, kNotWithVectors},
    {"q-heads", "N", "query heads", kSize, kNotWithVectors},
    {"kv-heads", "N", "key heads; divides --q-heads; 0: no keys", kSize, kNotWithVectors},
    {"head-dim", "N", "channels of a head", kSize, kNotWithVectors},
    {"rotary-dim", "N", "channels that turn, from the first or from --rotary-offset on; even", kSize,
     kNotWithVectors},
    {"rotary-offset", "N", "first channel that turns; even", kSize, kNotWithVectors},
    {"dtype", "f32|f16|bf16", "element type of q and k"},
    {"style", "half|interleaved", "which channels form a pair", !kSize, kNotWithVectors},
    {"base", "X", "base of the frequencies (rope_theta)", !kSize, kNotWithVectors},
    {"position-offset", "N", "first position; may be negative", !kSize, kNotWithVectors},
    {"seed", "N", "seed of the random values", !kSize, kNotWithVectors},
    {"variant", "NAME", "only this variant (--list names them)"},
    {"config", "FILE", "take sizes, style and frequencies from a model's config.json", !kSize,
     kNotWithVectors},
    {"layer-type", "NAME", "which schedule of a config that has several", !kSize, kNotWithVectors},
    {"vectors", "FILE...", "run on test vectors instead of random values"},
    {"schedule", "", "print the frequencies and stop", !kSize, kNotWithVectors},
    {"bench", "", "time the variants after checking them (GPU builds)", !kSize, kNotWithVectors},
    {"csv", "FILE", "write the results, whole or not at all"},
    {"trace", "",
     kTraceBuild
         ? "show what the memory accesses of each line ask for, and which are wrong"
         : "show what the memory accesses of each line ask for: ./run NN --trace builds what it needs"},
    {"list", "", "say what this chapter has and stop"},
};

// Every chapter has it, but only the trace build does it.
constexpr std::string_view kTrace = "trace";

// What has no meaning for a program that stops before it checks anything.
constexpr const char* kNotWithoutChecks[] = {"bench", "csv", "trace"};

}  // namespace

Options::Options(int argc, const char* const* argv, const Chapter& chapter) : chapter_(chapter) {
  refuse_other_chapters_options(argc, argv);
  CLI::App app(fmt::format("{}: {}\n{}", chapter.name, chapter.title, chapter.what), chapter.name);
  app.failure_message(CLI::FailureMessage::simple);
  for (const OptionText& option : kOptions) {
    if (!has(option.name)) continue;
    const std::string name = fmt::format("--{}", option.name);
    if (*option.value == '\0') {
      app.add_flag(name, switches_[option.name], option.help)->disable_flag_override();
    } else {
      const bool several = std::string_view(option.name) == "vectors";
      app.add_option(name, values_[option.name], option.help)
          ->type_name(option.value)
          ->expected(1, several ? 1 << 20 : 1);
    }
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", app.help());
    help_ = true;
    return;
  } catch (const CLI::ParseError& error) {
    throw InputError(
        fmt::format("{:.200}; allowed: {} (--help explains them)", std::string(error.what()), allowed()));
  }
  for (const OptionText& option : kOptions)
    if (option.not_with_vectors) refuse_together("vectors", option.name);
  for (const char* other : kNotWithoutChecks) {
    refuse_together("schedule", other);
    refuse_together("list", other);
  }
}

bool Options::given(const std::string& name) const {
  if (const auto it = switches_.find(name); it != switches_.end()) return it->second;
  const auto it = values_.find(name);
  return it != values_.end() && !it->second.empty();
}

bool Options::size_given() const {
  return std::any_of(std::begin(kOptions), std::end(kOptions),
                     [&](const OptionText& option) { return option.is_size && given(option.name); });
}

void Options::refuse_word(const std::string& name, const char* kind, const std::string& low,
                          const std::string& high) const {
  throw InputError(fmt::format("--{}: '{:.60}' is not allowed; allowed: a {} from {} to {}", name, text(name),
                               kind, low, high));
}

bool Options::has(std::string_view name) const {
  constexpr std::string_view always[] = {"list", kTrace};
  return std::find(std::begin(always), std::end(always), name) != std::end(always) ||
         std::find(chapter_.options.begin(), chapter_.options.end(), name) != chapter_.options.end();
}

std::string Options::allowed() const {
  std::vector<std::string> names;
  for (const OptionText& option : kOptions)
    if (has(option.name) && (option.name != kTrace || kTraceBuild))
      names.push_back(fmt::format("--{}", option.name));
  return fmt::format("{}", fmt::join(names, " "));
}

// Before parsing: CLI11 would call an option of another chapter unknown, or miss its value first.
void Options::refuse_other_chapters_options(int argc, const char* const* argv) const {
  for (int i = 1; i < argc && std::string_view(argv[i]) != "--"; ++i) {
    const std::string_view word(argv[i]);
    for (const OptionText& option : kOptions)
      if (!has(option.name) && word.substr(0, word.find('=')) == fmt::format("--{}", option.name))
        throw NotSupported(
            fmt::format("--{}: {} has no such option; allowed: {}", option.name, chapter_.name, allowed()));
  }
}

void Options::refuse_together(const char* option, const char* other) const {
  if (given(option) && given(other))
    throw InputError(fmt::format("--{}: does not go with --{}, which would be ignored", option, other));
}

std::vector<std::string> tensor_options() {
  return {"tokens", "batch",      "q-heads", "kv-heads",        "head-dim", "rotary-dim",
          "dtype",  "style",      "base",    "position-offset", "seed",     "variant",
          "config", "layer-type", "vectors", "schedule",        "csv"};
}

std::vector<std::string> kernel_options() {
  std::vector<std::string> options = tensor_options();
  options.push_back("bench");
  return options;
}

}  // namespace ropewalk
