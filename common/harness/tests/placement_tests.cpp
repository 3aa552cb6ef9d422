/// \file
/// The harness lays out q and k as a placement says, and notices what a variant does wrong there.
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/harness/check.hpp"
#include "common/rope/oracle.hpp"
#include "common/testing/catch.hpp"

namespace ropewalk {
namespace {

enum class Mistake {
  none,
  strides_ignored,
  batch_stride_ignored,
  token_and_head_swapped,
  rest_not_copied,
  window_at_start,
  channel_behind_head_written,
  source_written,
  source_taken_for_target,
};

float* head_of(const PlacedTensor& tensor, std::int64_t b, std::int64_t t, std::int64_t h) {
  return static_cast<float*>(tensor.data) + b * tensor.batch_stride + t * tensor.token_stride +
         h * tensor.head_stride;
}

PlacedTensor with(Mistake mistake, PlacedTensor tensor, const Shape& s, std::int64_t heads) {
  if (mistake == Mistake::strides_ignored) {
    tensor.head_stride = s.head_dim;
    tensor.token_stride = heads * s.head_dim;
    tensor.batch_stride = s.tokens * heads * s.head_dim;
  }
  if (mistake == Mistake::batch_stride_ignored) tensor.batch_stride = s.tokens * heads * s.head_dim;
  if (mistake == Mistake::token_and_head_swapped) std::swap(tensor.token_stride, tensor.head_stride);
  return tensor;
}

// Rotates floats on the host with the oracle.
void rotate_tensor(const RopeCall& call, const PlacedTensor& given_from, const PlacedTensor& given_to,
                   std::int64_t heads, Mistake mistake) {
  const Shape& s = call.shape;
  // Swapped in the destination only: in the source it would read beyond the end.
  const PlacedTensor from =
      mistake == Mistake::token_and_head_swapped ? given_from : with(mistake, given_from, s, heads);
  const PlacedTensor to = with(mistake, given_to, s, heads);
  const Schedule schedule = make_schedule(
      {.rope_type = "default", .base = call.base, .head_dim = s.head_dim, .rotary_dim = s.rotary_dim});
  const auto size = static_cast<std::size_t>(s.head_dim), width = static_cast<std::size_t>(s.rotary_dim);
  const auto offset = static_cast<std::size_t>(mistake == Mistake::window_at_start ? 0 : s.rotary_offset);
  for (std::int64_t b = 0; b < s.batch; ++b)
    for (std::int64_t t = 0; t < s.tokens; ++t)
      for (std::int64_t h = 0; h < heads; ++h) {
        const float* x = head_of(from, b, t, h);
        float* y = head_of(mistake == Mistake::source_taken_for_target ? from : to, b, t, h);
        std::vector<double> values(x, x + size);
        const std::span<double> window = std::span(values).subspan(offset, width);
        rotate_head(window, window, call.style, exact_cos_sin_row(schedule, call.positions[b * s.tokens + t]),
                    1);
        for (std::size_t i = 0; i < size; ++i)
          if (mistake != Mistake::rest_not_copied || (i >= offset && i < offset + width))
            y[i] = static_cast<float>(values[i]);
        if (mistake == Mistake::channel_behind_head_written) y[size] = 0;
        if (mistake == Mistake::source_written) *head_of(from, b, t, h) = 0;
      }
}

CheckResult check(Placement placement, Mistake mistake, const Shape& shape) {
  Variant variant{.name = "host", .what = {}, .placement = placement};
  variant.run = [mistake](const RopeCall& call) {
    rotate_tensor(call, call.q_from, call.q_to, call.shape.q_heads, mistake);
    if (call.shape.kv_heads > 0) rotate_tensor(call, call.k_from, call.k_to, call.shape.kv_heads, mistake);
  };
  RunRequest request;
  request.position_offset = 3;
  return check_variant(variant, random_case(request, shape, Style::half, "placed"), Runs::on_host);
}

constexpr Shape kShape = {.batch = 2,
                          .tokens = 3,
                          .q_heads = 4,
                          .kv_heads = 2,
                          .head_dim = 10,
                          .rotary_dim = 4,
                          .rotary_offset = 2};

constexpr Placement kApart[] = {Placement::out_of_place, Placement::heads_first, Placement::converted};
constexpr Placement kInPlace[] = {Placement::in_place, Placement::packed_qkv, Placement::odd_strides,
                                  Placement::misaligned};

bool says(const CheckResult& result, const char* text) {
  INFO(result.fault_text);
  return !result.passed() && result.fault_text.find(text) != std::string::npos;
}

}  // namespace

TEST_CASE("every placement, done right") {
  std::vector<Shape> shapes(4, kShape);
  shapes[1].kv_heads = 0;
  shapes[2].batch = shapes[2].tokens = shapes[2].q_heads = shapes[2].kv_heads = 1;
  shapes[3].tokens = 0;
  for (const Shape& shape : shapes) {
    for (const Placement placement : kApart) CHECK(check(placement, Mistake::none, shape).passed());
    for (const Placement placement : kInPlace) CHECK(check(placement, Mistake::none, shape).passed());
  }
  CHECK(check(Placement::packed_qkv, Mistake::none, kShape).values == 2 * 3 * 6 * 4);
}

TEST_CASE("strides that are ignored or mixed up") {
  for (const Mistake mistake : {Mistake::strides_ignored, Mistake::batch_stride_ignored})
    CHECK(says(check(Placement::packed_qkv, mistake, kShape), "qkv: memory between its heads was written"));
  CHECK(says(check(Placement::heads_first, Mistake::strides_ignored, kShape), "q[b=0"));
  Shape only_q = kShape;  // whose swapped strides stay inside
  only_q.kv_heads = 0;
  CHECK(says(check(Placement::heads_first, Mistake::token_and_head_swapped, only_q), "q[b=0"));
}

TEST_CASE("channels that do not turn") {
  for (const Placement placement : kApart)
    CHECK(says(check(placement, Mistake::rest_not_copied, kShape),
               "q[b=0 t=0 h=0] channel 0 is not rotary and must not change"));
  // In place nothing needs a copy.
  for (const Placement placement : kInPlace)
    CHECK(check(placement, Mistake::rest_not_copied, kShape).passed());
  for (const Placement placement : {Placement::in_place, Placement::out_of_place, Placement::packed_qkv})
    CHECK(says(check(placement, Mistake::window_at_start, kShape), "channel 0 is not rotary"));
}

TEST_CASE("memory that is none of the variant's business") {
  // Behind the last head of q lies the first of k, behind that of k the first of v, else a guard.
  CHECK(says(check(Placement::packed_qkv, Mistake::channel_behind_head_written, kShape),
             "qkv: memory between its heads was written"));
#if !defined(ROPEWALK_SANITIZE_ADDRESS)
  for (const Placement placement : {Placement::in_place, Placement::misaligned, Placement::out_of_place})
    CHECK(says(check(placement, Mistake::channel_behind_head_written, kShape), "memory before or behind it"));
#endif
  for (const Placement placement : kApart) {
    CHECK(says(check(placement, Mistake::source_written, kShape), "q source: an input was modified"));
    const CheckResult result = check(placement, Mistake::source_taken_for_target, kShape);
    CHECK(says(result, "q source: an input was modified"));
    CHECK(result.faults > 2 * 3 * 6 * 10);  // the destination still holds NaN
  }
}

}  // namespace ropewalk
