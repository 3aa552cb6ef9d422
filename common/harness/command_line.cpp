/// \file
/// What the options of all chapters mean, and what they may be.
#include "common/harness/command_line.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "common/harness/cases.hpp"
#include "common/harness/device_info.hpp"
#include "common/harness/element_bytes.hpp"
#include "common/harness/options.hpp"
#include "common/harness/tracing.hpp"
#include "common/rope/model_config.hpp"
#include "common/rope/table.hpp"

namespace ropewalk {
namespace {

std::string_view to_string(const std::string& word) {
  return word;
}

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
  must_implement(chapter, fmt::format("{}: rope_type", path), chapter.rope_types, config.schedule.rope_type);
  request.styles = {config.style};
  request.source = fmt::format("{}; style from {}", path, config.style_source);
  request.shape.q_heads = config.q_heads;
  request.shape.kv_heads = config.kv_heads;
  request.shape.head_dim = config.head_dim;
  request.shape.rotary_dim = config.schedule.rotary_dim;
  request.schedule = config.schedule;
}

bool reads_table(const Chapter& chapter, const RunRequest& request) {
  return std::any_of(chapter.variants.begin(), chapter.variants.end(), [&](const Variant& variant) {
    return variant.reads_table && is_chosen(request, variant);
  });
}

void check_span(const std::string& where, std::int64_t rows) {
  if (rows > kMostTableRows)
    throw InputError(fmt::format("{}: the positions span {} rows of a cos/sin table; allowed: {}", where,
                                 rows, kMostTableRows));
}

// What the chapter's kernels cannot do with these sizes: "field: what is wrong; allowed: …", or empty.
std::string refusal_of(const Chapter& chapter, const Shape& shape) {
  return chapter.refusal ? chapter.refusal(shape) : "";
}

// A check holds up to 56 bytes per element of q and k, if the destination lies apart from the source, and six
// copies of each entry of the two tables.
void check_memory(const std::string& where, double elements, double table_entries) {
  const double needed = 56 * elements + 48 * table_entries;
  const double memory =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
  if (needed > memory)
    throw InputError(fmt::format("{}: these sizes need about {:.1f} GB of memory; allowed here: {:.1f} GB",
                                 where, needed / 1e9, memory / 1e9));
}

// A vector's x must be what the kernel is given: rounding it first would make every result look wrong.
void check_values(const std::string& path, const TestVector& vector, Dtype dtype) {
  for (const double x : vector.x)
    if (const float rounded = round_to(dtype, static_cast<float>(x)); static_cast<double>(rounded) != x)
      throw InputError(fmt::format("{}: x: {} is not a value of {}; allowed: values that it holds exactly",
                                   path, x, to_string(dtype)));
  if (vector.attention_factor != make_schedule(vector.schedule).attention_factor)
    throw InputError(fmt::format("{}: attention_factor: {} is not what rope_type {} gives; allowed: {}", path,
                                 vector.attention_factor, vector.schedule.rope_type,
                                 make_schedule(vector.schedule).attention_factor));
}

void load_vectors(const Options& options, const Chapter& chapter, RunRequest& request) {
  if (!options.given("vectors")) return;
  for (const std::string& path : options.texts("vectors")) {
    TestVector vector = read_test_vector(path);
    if (!vector.op.empty())
      throw NotSupported(fmt::format("{}: op {} is not implemented in {}; implemented: none (rotate x)", path,
                                     vector.op, chapter.name));
    must_implement(chapter, path + ": layout", chapter.layouts, vector.layout);
    must_implement(chapter, path + ": rope_type", chapter.rope_types, vector.schedule.rope_type);
    must_implement(chapter, path + ": style", chapter.styles, vector.style);
    if (const std::string fault = refusal_of(chapter, vector_case(vector, request.dtype).shape);
        !fault.empty())
      throw NotSupported(fmt::format("{}: {}", path, fault));
    check_values(path, vector, request.dtype);
    const std::int64_t rows = table_rows(vector.positions);
    const bool table = reads_table(chapter, request);
    if (table) check_span(path + ": positions", rows);
    check_memory(path, 2.0 * static_cast<double>(vector.x.size()),
                 table ? static_cast<double>(rows * vector.head_dim / 2) : 0.0);
    request.vectors.push_back(std::move(vector));
  }
}

// "rotary_dim: …" with the option or the file that said so.
std::string with_source(const Options& options, const std::string& fault) {
  std::string option = fault.substr(0, fault.find(':'));
  std::replace(option.begin(), option.end(), '_', '-');
  const bool from_file = options.given("config") && !options.given(option);
  return from_file ? fmt::format("{}: {}", options.text("config"), fault)
                   : fmt::format("--{}{}", option, fault.substr(fault.find(':')));
}

void check_sizes(const Options& options, const Chapter& chapter, const RunRequest& request) {
  const Shape& s = request.shape;
  if (const std::string fault = fault_of(s); !fault.empty()) throw InputError(with_source(options, fault));
  if (const std::string fault = refusal_of(chapter, s); !fault.empty())
    throw NotSupported(with_source(options, fault));
  if (chapter.variants.empty() || s.tokens == 0) return;  // no tensors

  // In double, which does not wrap.
  const double elements = static_cast<double>(s.token_count()) * static_cast<double>(s.q_heads + s.kv_heads) *
                          static_cast<double>(s.head_dim);
  const std::int64_t rows = s.tokens + kSequenceStep * s.batch;
  check_memory("--tokens", elements,
               reads_table(chapter, request) ? static_cast<double>(rows * s.pairs()) : 0.0);

  const double last = static_cast<double>(request.position_offset) + static_cast<double>(rows);
  if (last > std::numeric_limits<std::int32_t>::max())
    throw InputError(
        fmt::format("--position-offset: the last position, about {:.0f}, does not fit into 32 bits", last));
  if (reads_table(chapter, request)) check_span("--tokens", rows);
}

}  // namespace

bool read_command_line(int argc, const char* const* argv, const Chapter& chapter, RunRequest& request) {
  const Options options(argc, argv, chapter);
  if (options.help()) return false;
  if (options.given("trace") && !kTraceBuild)
    throw InputError(fmt::format(
        "--trace: this is not a trace build; nothing was counted. ./run {:.2} --trace builds what it needs",
        chapter.name));
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
  if (options.given("variant")) {
    request.variant = options.text("variant");
    std::vector<std::string> names;
    for (const Variant& variant : chapter.variants) names.push_back(variant.name);
    if (std::find(names.begin(), names.end(), request.variant) == names.end())
      throw InputError(fmt::format("--variant: '{:.60}' is unknown; allowed: {}", request.variant,
                                   fmt::join(names, ", ")));
  }
  constexpr std::int64_t kMany = 1'000'000'000;
  Shape& s = request.shape;
  options.read<std::int64_t>("batch", s.batch, 1, kMany);
  options.read<std::int64_t>("tokens", s.tokens, 0, kMany);
  options.read<std::int64_t>("q-heads", s.q_heads, 1, 65536);
  options.read<std::int64_t>("kv-heads", s.kv_heads, 0, 65536);
  options.read<std::int64_t>("head-dim", s.head_dim, 2, 65536);
  if (options.given("head-dim") && !options.given("config"))
    s.rotary_dim = s.head_dim / 2 * 2;  // the whole head
  options.read<std::int64_t>("rotary-dim", s.rotary_dim, 2, 65536);
  options.read<std::int64_t>("rotary-offset", s.rotary_offset, 0, 65536);
  options.read<double>("base", request.schedule.base, kSmallestBase, kLargestBase);
  options.read<std::int64_t>("position-offset", request.position_offset,
                             std::numeric_limits<std::int32_t>::min(),
                             std::numeric_limits<std::int32_t>::max());
  options.read<std::uint64_t>("seed", request.seed, 0, std::numeric_limits<std::uint64_t>::max());
  request.schedule.head_dim = s.head_dim;
  request.schedule.rotary_dim = s.rotary_dim;
  check_sizes(options, chapter, request);

  load_vectors(options, chapter, request);
  request.shape_given = options.size_given() || options.given("config");
  request.bench = options.given("bench");
  request.trace = options.given("trace");
  request.print_schedule = options.given("schedule");
  request.list = options.given("list");
  if (options.given("csv")) {
    request.csv = options.text("csv");
    if (request.csv.empty())
      throw InputError("--csv: '' is not a file name; allowed: the path of a file to write");
  }
  for (const char* what : {"bench", "csv"})
    if (s.rotary_offset != 0 && options.given(what))
      throw InputError(fmt::format(
          "--rotary-offset: {} does not go with --{}, whose rows do not say where the window is; allowed: 0",
          s.rotary_offset, what));
  return true;
}

}  // namespace ropewalk
