/// \file
/// A chapter as the harness sees it: what it is called, which options it has, and the variants to check and
/// time.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "common/rope/compare.hpp"
#include "common/rope/test_vector.hpp"
#include "common/rope/tolerance.hpp"
#include "common/rope/types.hpp"

struct CUstream_st;  // cudaStream_t is a pointer to it; chapters without kernels need no CUDA header

namespace ropewalk {

enum class Runs {
  on_host,    ///< plain C++: no kernel
  on_device,  ///< CUDA kernels, on a GPU or on the CPU executor
};

/// Where a variant finds q and k, and where it puts them.
enum class Placement {
  in_place,      ///< contiguous [batch, tokens, heads, head_dim], rotated where they lie
  out_of_place,  ///< contiguous, from one buffer to another
  packed_qkv,    ///< in place, in rows of q heads, k heads and v heads in one buffer
  heads_first,   ///< from contiguous to [batch, heads, tokens, head_dim]
  odd_strides,   ///< in place, contiguous; each dimension of size 1 has an odd stride that nobody may use
  misaligned,    ///< in place, contiguous, one element behind an aligned address
  converted,     ///< out of place, from float to the call's element type
};

/// One of the tensors of a call: element (b, t, h, c) lies at data + b·batch_stride + t·token_stride +
/// h·head_stride + c, counted in elements.
struct PlacedTensor {
  void* data = nullptr;
  Dtype dtype = Dtype::f32;
  std::int64_t batch_stride = 0, token_stride = 0, head_stride = 0;
};

/// One call of RoPE: q and k are rotated, in place unless the variant's placement says otherwise. Device
/// addresses for a device chapter, host addresses else.
struct RopeCall {
  Shape shape;
  Dtype dtype = Dtype::f32;
  Style style = Style::half;
  double base = 10000.0;
  double attention_factor = 1.0;        // the tables have it already; angles computed on the fly do not
  void* q = nullptr;                    // [batch, tokens, q_heads, head_dim]
  void* k = nullptr;                    // [batch, tokens, kv_heads, head_dim]; null when kv_heads is 0
  PlacedTensor q_from = {}, q_to = {};  // the same for variants with another placement; q is q_to.data
  PlacedTensor k_from = {}, k_to = {};
  const std::int32_t* positions = nullptr;  // [batch, tokens]
  // Row r of the tables belongs to position first_position + r.
  const float* cos_table = nullptr;  // [table_rows, pairs]
  const float* sin_table = nullptr;  // [table_rows, pairs]
  std::int32_t first_position = 0;
  std::int64_t table_rows = 0;
  const float* inv_freq = nullptr;  // [pairs], computed in double and rounded once
  CUstream_st* stream = nullptr;
};

/// One way to compute the same thing.
struct Variant {
  std::string name;
  std::string what;  ///< one line for --list and the description
  Angles angles = Angles::exact;
  bool reads_table = false;  ///< cos/sin tables count among the bytes it must move
  std::function<void(const RopeCall&)> run = {};
  Arithmetic arithmetic = Arithmetic::in_float;
  Placement placement = Placement::in_place;
};

/// The usual kinds of variant: cos and sin from the table, from a list of frequencies, or from powf.
inline Variant table_variant(std::string name, std::string what, std::function<void(const RopeCall&)> run) {
  return {std::move(name), std::move(what), Angles::exact, true, std::move(run)};
}
inline Variant list_variant(std::string name, std::string what, std::function<void(const RopeCall&)> run) {
  return {std::move(name), std::move(what), Angles::f32_list, false, std::move(run)};
}
inline Variant powf_variant(std::string name, std::string what, std::function<void(const RopeCall&)> run) {
  return {std::move(name), std::move(what), Angles::f32_powf, false, std::move(run)};
}

/// What the command line and the files it names ask for, checked and complete: nothing below reads them
/// again.
struct RunRequest {
  Shape shape;
  Dtype dtype = Dtype::f32;
  std::vector<Style> styles;  ///< one, or all of the chapter's when none was asked for
  ScheduleSpec schedule;
  std::int64_t position_offset = 0;
  std::uint64_t seed = 1;
  std::string variant;  ///< empty: all
  std::string source;   ///< where the sizes come from, for the description: "the defaults", a model's name
  bool bench = false;
  bool trace = false;
  bool print_schedule = false;
  bool list = false;
  std::string csv;                  ///< file to write, or empty
  std::vector<TestVector> vectors;  ///< run on these instead of random data
  bool shape_given = false;         ///< --bench times the request's shape instead of the four cases
};

/// Whether the request runs this variant: all, or the one that --variant names.
inline bool is_chosen(const RunRequest& request, const Variant& variant) {
  return request.variant.empty() || variant.name == request.variant;
}

struct Chapter {
  std::string name;   ///< "03_naive"
  std::string title;  ///< "One thread per pair"
  std::string what;   ///< one or two sentences: what this program does
  Runs runs = Runs::on_device;
  Shape default_shape = {};
  /// The small case every kernel meets first (cases.hpp); 5 tokens in all. A chapter whose kernels refuse it
  /// names the nearest shape they accept.
  Shape small_shape = {
      .batch = 1, .tokens = 5, .q_heads = 3, .kv_heads = 1, .head_dim = 20, .rotary_dim = 12};
  std::int64_t default_position_offset = 1;
  std::vector<std::string> options = {};  ///< long names without dashes, see tensor_options()
  std::vector<Style> styles = {};
  std::vector<Dtype> dtypes = {};
  std::vector<std::string> rope_types = {"default"};  ///< schedules that all of its variants compute
  std::vector<std::string> layouts = {"1d"};          ///< of the positions
  std::vector<Variant> variants = {};
  /// Why --trace has nothing to say about its kernels; empty: it has.
  std::string not_traced = {};
  /// What its kernels cannot do, as "field: what is wrong; allowed: …" (see fault_of()), or empty.
  std::function<std::string(const Shape&)> refusal = {};
  /// Checks of its own, made before the variants' (chapter 01 has only these).
  std::function<std::vector<CheckResult>(const RunRequest&)> own_checks = {};
};

/// The options of a chapter that rotates tensors on the host; kernel_options() adds --bench. Every chapter
/// also has
/// --help, --list and --trace.
std::vector<std::string> tensor_options();
std::vector<std::string> kernel_options();

/// Exit codes, the same for every chapter.
enum ExitCode : int {
  kSuccess = 0,
  kMismatch = 1,
  kBadInput = 2,
  // 3: a CUDA call failed, kExitCudaError of common/gpu/check.hpp
  kCannotRun = 77,  // the "skipped" of CTest
};

/// The whole program: reads the command line, then describes, checks and (if asked) times the chapter.
int chapter_main(int argc, char** argv, const Chapter& chapter);

/// The part after the command line; needs no exceptions.
int run_chapter(const Chapter& chapter, const RunRequest& request);

}  // namespace ropewalk
