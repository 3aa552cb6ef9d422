/// \file
/// Chapter 07: what every chapter's kernels must do, windows, strides, types, and what is refused.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <vector>

#ifndef ROPEWALK_CUDA
#include <sys/mman.h>
#endif

#include "chapters/07_partial_and_strided/chapter.cuh"
#include "common/gpu/device_array.hpp"
#include "common/gpu/stream.hpp"
#include "common/harness/tests/kernel_suite.hpp"
#include "common/testing/catch.hpp"

namespace ropewalk::strided {
namespace {

/// A table with one row, for position 1: pair 0 turns by 1, pair 1 by 0.01, and so on by powers of 100.
struct OneRow {
  explicit OneRow(int pairs) {
    std::vector<float> values;
    for (int p = 0; p < pairs; ++p) values.push_back(std::cos(std::pow(0.01f, static_cast<float>(p))));
    for (int p = 0; p < pairs; ++p) values.push_back(std::sin(std::pow(0.01f, static_cast<float>(p))));
    memory = DeviceArray<float>(std::span<const float>(values));
    table = {memory.data(), memory.data() + pairs, 1, 1};
  }
  DeviceArray<float> memory;
  Table table;
};

DeviceArray<int> ones(std::size_t count) {
  const std::vector<int> values(count, 1);
  return DeviceArray<int>(std::span<const int>(values));
}

/// A call with q alone, contiguous, heads of head_dim.
template <class From, class To>
Rotation<From, To> q_only(const From* from, To* to, const int* positions, int tokens, int heads, int head_dim,
                          int rotary_dim, int rotary_offset = 0, bool interleaved = false) {
  const long long token = static_cast<long long>(heads) * head_dim;
  return {.q_from = {from, tokens * token, token, head_dim},
          .k_from = {},
          .q_to = {to, tokens * token, token, head_dim},
          .k_to = {},
          .positions = positions,
          .batch = 1,
          .tokens = tokens,
          .q_heads = heads,
          .kv_heads = 0,
          .head_dim = head_dim,
          .rotary_dim = rotary_dim,
          .rotary_offset = rotary_offset,
          .interleaved = interleaved};
}

template <class From, class To>
void turn(const Rotation<From, To>& a, const Table& table, int bytes = 16) {
  const Stream stream;
  launch_window(stream, a, table, bytes);
  stream.synchronize();
}

}  // namespace

TEST_CASE("what every kernel must do") {
  suite::check_kernels(chapter(), 11);
}

TEST_CASE("windows of all kinds, at the start, at the end and in between") {
  const Chapter c = chapter();
  struct Window {
    std::int64_t head_dim, rotary_dim, rotary_offset;
  };
  for (const Window& w :
       {Window{96, 24, 0}, {256, 64, 0},   {80, 32, 0}, {128, 64, 0},  // GPT-NeoX, GPT-J, Phi, GLM
        {192, 64, 128},    {576, 64, 512},                             // MLA
        {10, 4, 2},        {18, 6, 10},    {20, 4, 6},  {64, 32, 14},      {64, 2, 62}, {64, 60, 2},
        {128, 64, 32},     {72, 64, 8},    {72, 64, 0}, {88, 16, 8},  // the rest is an odd number of packs
        {7, 2, 4},         {81, 16, 64},   {9, 8, 0},   {2062, 1024, 1030}})
    for (const Dtype dtype : c.dtypes)
      for (const Style style : c.styles) {
        RunRequest request;
        request.dtype = dtype;
        request.position_offset = -3;
        suite::check_every_variant(c, random_case(request,
                                                  {.batch = 2,
                                                   .tokens = 2,
                                                   .q_heads = 3,
                                                   .kv_heads = 1,
                                                   .head_dim = w.head_dim,
                                                   .rotary_dim = w.rotary_dim,
                                                   .rotary_offset = w.rotary_offset},
                                                  style, "window"));
      }
}

// 0 0 x x x x 0 0 0 0: its four channels turn as a head of four would, so the exponent counts from the
// window's start.
TEST_CASE("a window turns as a head of its own") {
  const OneRow row(2);
  const DeviceArray<int> one = ones(1);
  for (const bool interleaved : {false, true})
    for (const int bytes : {2, 4, 8, 16}) {
      CAPTURE(interleaved, bytes);
      const std::vector<float> x = {9, 9, 1, 2, 3, 4, 9, 9, 9, 9};
      DeviceArray<float> q{std::span<const float>(x)};
      turn(q_only<float, float>(q.data(), q.data(), one.data(), 1, 1, 10, 4, 2, interleaved), row.table,
           bytes);
      suite::check_close(
          q.download(), interleaved
                            ? std::vector<double>{9, 9, -1.142640, 1.922076, 2.959851, 4.029800, 9, 9, 9, 9}
                            : std::vector<double>{9, 9, -1.984111, 1.959901, 2.462378, 4.019800, 9, 9, 9, 9});
    }
}

TEST_CASE("a limit that is no width turns the window all the same") {
  const OneRow row(4);
  const DeviceArray<int> one = ones(1);
  for (const int bytes : {0, 3, 32}) {
    CAPTURE(bytes);
    DeviceArray<float> q{std::span<const float>(std::vector<float>(8, 1.0f))};
    turn(q_only<float, float>(q.data(), q.data(), one.data(), 1, 1, 8, 8), row.table, bytes);
    const std::vector<float> y = q.download();
    CHECK(y[0] == Approx(std::cos(1.0f) - std::sin(1.0f)));
    CHECK(y[7] == Approx(1 + 1e-6f).epsilon(2e-7));
  }
}

TEST_CASE("what does not turn is copied bit for bit, NaNs of all kinds too") {
  // A quiet and a signalling NaN with payloads, a negative zero, the smallest subnormal. A way through float
  // changes some of them.
  const std::vector<std::uint16_t> odd = {0x7E01, 0x7C01, 0xFE55, 0x8000, 0x0001, 0x7FC1, 0x7F81, 0xFFD5};
  const OneRow row(4);
  const DeviceArray<int> one = ones(1);
  const auto check = [&]<class T>(T*) {
    std::vector<T> x(24, from_float<T>(1));
    std::memcpy(static_cast<void*>(x.data()), odd.data(), 16);
    std::memcpy(static_cast<void*>(x.data() + 16), odd.data(), 16);
    for (const bool interleaved : {false, true})
      for (const int bytes : {2, 4, 8, 16}) {
        const DeviceArray<T> from{std::span<const T>(x)};
        const std::vector<T> other(24, from_float<T>(5));
        DeviceArray<T> to{std::span<const T>(other)};
        turn(q_only<T, T>(from.data(), to.data(), one.data(), 1, 1, 24, 8, 8, interleaved), row.table, bytes);
        const std::vector<T> y = to.download(), source = from.download();
        CHECK(std::memcmp(y.data(), x.data(), 8 * sizeof(T)) == 0);
        CHECK(std::memcmp(y.data() + 16, x.data() + 16, 8 * sizeof(T)) == 0);
        CHECK(std::memcmp(source.data(), x.data(), 24 * sizeof(T)) == 0);
        for (std::size_t i = 8; i < 16; ++i) CHECK(to_float(y[i]) != 5);
      }
  };
  check(static_cast<__half*>(nullptr));
  check(static_cast<__nv_bfloat16*>(nullptr));
}

TEST_CASE("from float to 16 bits: all channels are rounded once, those that do not turn too") {
  const OneRow row(1);
  const DeviceArray<int> one = ones(1);
  const std::vector<float> x = {1.0f / 3, 2.0f / 3, 1 + 0x1p-9f, -1 - 0x1p-12f, 1e-3f, 70000.0f};
  const DeviceArray<float> from{std::span<const float>(x)};
  const auto check = [&]<class T>(T*) {
    DeviceArray<T> to(6);
    turn(q_only<float, T>(from.data(), to.data(), one.data(), 1, 1, 6, 2), row.table);
    const std::vector<T> y = to.download();
    const float cosine = std::cos(1.0f), sine = std::sin(1.0f);
    // Halfway between two values nothing is decided here, so a fused product cannot change the result.
    CHECK(to_float(y[0]) == to_float(from_float<T>(x[0] * cosine - x[1] * sine)));
    CHECK(to_float(y[1]) == to_float(from_float<T>(x[0] * sine + x[1] * cosine)));
    for (std::size_t i = 2; i < 6; ++i) CHECK(to_float(y[i]) == to_float(from_float<T>(x[i])));
  };
  check(static_cast<__half*>(nullptr));
  check(static_cast<__nv_bfloat16*>(nullptr));
}

TEST_CASE("a slice of wider rows: what is before it is never read and stays") {
  const OneRow row(32);
  const DeviceArray<int> positions = ones(3);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> wide(3 * 2 * 192, nan), narrow;
  for (std::size_t head = 0; head < 6; ++head)
    for (std::size_t i = 0; i < 64; ++i) {
      wide[head * 192 + 128 + i] = static_cast<float>(head * 64 + i);
      narrow.push_back(static_cast<float>(head * 64 + i));
    }
  for (const bool interleaved : {false, true}) {
    DeviceArray<float> rows{std::span<const float>(wide)}, whole{std::span<const float>(narrow)};
    Rotation<float, float> slice = q_only<float, float>(rows.data() + 128, rows.data() + 128,
                                                        positions.data(), 3, 2, 64, 64, 0, interleaved);
    slice.q_from.head_stride = slice.q_to.head_stride = 192;
    slice.q_from.token_stride = slice.q_to.token_stride = 2 * 192;
    turn(slice, row.table);
    turn(q_only<float, float>(whole.data(), whole.data(), positions.data(), 3, 2, 64, 64, 0, interleaved),
         row.table);
    const std::vector<float> got = rows.download(), expected = whole.download();
    for (std::size_t head = 0; head < 6; ++head) {
      CHECK(std::memcmp(&got[head * 192 + 128], &expected[head * 64], 64 * sizeof(float)) == 0);
      CHECK(std::memcmp(&got[head * 192], &wide[head * 192], 128 * sizeof(float)) == 0);
    }
    // The same as a window at the end of the head.
    rows.upload(std::span<const float>(wide));
    turn(q_only<float, float>(rows.data(), rows.data(), positions.data(), 3, 2, 192, 64, 128, interleaved),
         row.table);
    const std::vector<float> window = rows.download();
    CHECK(std::memcmp(window.data(), got.data(), got.size() * sizeof(float)) == 0);
  }
}

TEST_CASE("q and k with strides of their own, 64 heads and one") {
  const Chapter c = chapter();
  for (const auto& [q_heads, kv_heads] :
       {std::pair<std::int64_t, std::int64_t>{64, 1}, {2, 1}, {1, 1}, {5, 0}})
    for (const std::int64_t tokens : {1, 3})
      for (const Style style : c.styles) {
        RunRequest request;
        request.dtype = Dtype::bf16;
        suite::check_every_variant(c, random_case(request,
                                                  {.batch = 1,
                                                   .tokens = tokens,
                                                   .q_heads = q_heads,
                                                   .kv_heads = kv_heads,
                                                   .head_dim = 64,
                                                   .rotary_dim = 32},
                                                  style, "heads"));
      }
}

TEST_CASE("one tensor in place, the other on its way elsewhere") {
  const OneRow row(2);
  const DeviceArray<int> positions = ones(2);
  std::vector<float> x;
  for (int i = 0; i < 2 * 2 * 10; ++i) x.push_back(static_cast<float>(i + 1));
  const auto call = [&](float* q) {  // channels 2 … 5 of 10 turn
    return q_only<float, float>(q, q, positions.data(), 2, 2, 10, 4, 2);
  };
  DeviceArray<float> alone{std::span<const float>(x)};
  turn(call(alone.data()), row.table);
  const std::vector<float> expected = alone.download();
  CHECK(expected != x);
  for (const bool q_moves : {false, true}) {
    CAPTURE(q_moves);
    DeviceArray<float> q{std::span<const float>(x)}, k{std::span<const float>(x)}, elsewhere(x.size());
    Rotation<float, float> a = call(q.data());
    a.kv_heads = 2;
    a.k_from = a.q_from, a.k_to = a.q_to;
    a.k_from.data = a.k_to.data = k.data();
    (q_moves ? a.q_to : a.k_to).data = elsewhere.data();
    turn(a, row.table);
    CHECK(elsewhere.download() == expected);
    CHECK((q_moves ? k : q).download() == expected);
    CHECK((q_moves ? q : k).download() == x);
  }
}

TEST_CASE("q and k with head strides of their own, several heads each") {
  const OneRow row(2);
  const DeviceArray<int> positions = ones(2);
  constexpr std::size_t kTokens = 2, kHeadDim = 6;
  struct Heads {
    std::size_t count, stride, token_stride;
  };
  constexpr Heads kOfQ = {4, 10, 44}, kOfK = {2, 16, 36};
  const auto values = [](const Heads& heads) {
    std::vector<float> x;
    for (std::size_t i = 0; i < kTokens * heads.token_stride; ++i) x.push_back(static_cast<float>(i + 1));
    return x;
  };
  const auto view = [](DeviceArray<float>& memory, const Heads& heads) {
    return View<float>{memory.data(), 0, static_cast<long long>(heads.token_stride),
                       static_cast<long long>(heads.stride)};
  };
  DeviceArray<float> q{std::span<const float>(values(kOfQ))}, k{std::span<const float>(values(kOfK))};
  Rotation<float, float> a = q_only<float, float>(q.data(), q.data(), positions.data(), 2, 4, kHeadDim, 4, 2);
  a.kv_heads = 2;
  a.q_to = view(q, kOfQ), a.k_to = view(k, kOfK);
  a.q_from = {q.data(), 0, a.q_to.token_stride, a.q_to.head_stride};
  a.k_from = {k.data(), 0, a.k_to.token_stride, a.k_to.head_stride};
  turn(a, row.table);
  const auto check = [&](const DeviceArray<float>& memory, const Heads& heads) {
    std::vector<float> expected = values(heads);
    for (std::size_t t = 0; t < kTokens; ++t)
      for (std::size_t h = 0; h < heads.count; ++h) {  // each head for itself
        const std::size_t first = t * heads.token_stride + h * heads.stride;
        DeviceArray<float> head{std::span<const float>(expected).subspan(first, kHeadDim)};
        turn(q_only<float, float>(head.data(), head.data(), positions.data(), 1, 1, kHeadDim, 4, 2),
             row.table);
        const std::vector<float> y = head.download();
        std::copy(y.begin(), y.end(), expected.begin() + static_cast<std::ptrdiff_t>(first));
      }
    CHECK(memory.download() == expected);
  };
  check(q, kOfQ);
  check(k, kOfK);
}

TEST_CASE("without sequences or tokens nothing is written") {
  const OneRow row(2);
  const DeviceArray<int> positions = ones(2);
  const std::vector<float> x(16, 1.0f);
  for (const bool sequences : {false, true}) {
    DeviceArray<float> q{std::span<const float>(x)};
    Rotation<float, float> a = q_only<float, float>(q.data(), q.data(), positions.data(), 2, 2, 4, 4);
    (sequences ? a.batch : a.tokens) = 0;
    turn(a, row.table);
    CHECK(q.download() == x);
  }
}

TEST_CASE("more sequences than a grid has rows") {
  const Chapter c = chapter();
  RunRequest request;
  suite::check_every_variant(
      c,
      random_case(request,
                  {.batch = 66000, .tokens = 1, .q_heads = 1, .kv_heads = 0, .head_dim = 2, .rotary_dim = 2},
                  Style::half, "sequences"));
}

TEST_CASE("a position outside the table gives NaN where its token turns, and the rest as it was") {
  const OneRow row(2);
  const std::vector<int> positions = {2, 1, 0};
  const DeviceArray<int> device{std::span<const int>(positions)};
  for (const bool interleaved : {false, true})
    for (const int bytes : {2, 4, 8, 16}) {
      const std::vector<float> x(24, 1.0f);
      const DeviceArray<float> from{std::span<const float>(x)};
      DeviceArray<float> to(24);
      turn(q_only<float, float>(from.data(), to.data(), device.data(), 3, 1, 8, 4, 4, interleaved), row.table,
           bytes);
      const std::vector<float> y = to.download();
      for (std::size_t i = 0; i < 24; ++i) {
        INFO("element " << i);
        const bool turns = i % 8 >= 4;
        if (turns) CHECK(std::isnan(y[i]) == (i / 8 != 1));
        if (!turns) CHECK(y[i] == 1);
      }
    }
}

#ifndef ROPEWALK_CUDA
// Addresses without memory behind them: only the pages that are touched exist. On a GPU this much would have
// to be allocated.
TEST_CASE("strides beyond 2^31 elements") {
  constexpr long long kFar = (1LL << 31) + 64;
  constexpr std::size_t kBytes = (3 * static_cast<std::size_t>(kFar) + 1024) * sizeof(__half);
  void* memory =
      mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  REQUIRE(memory != MAP_FAILED);
  const OneRow row(4);
  const DeviceArray<int> positions = ones(3);
  auto* x = static_cast<__half*>(memory);
  for (const int axis : {0, 1, 2})
    for (const bool interleaved : {false, true}) {
      CAPTURE(axis, interleaved);
      Rotation<__half, __half> a =
          q_only<__half, __half>(x, x, positions.data(), 1, 1, 16, 8, 8, interleaved);
      if (axis == 0) a.batch = 3, a.q_to.batch_stride = kFar;
      if (axis == 1) a.tokens = 3, a.q_to.token_stride = kFar;
      if (axis == 2) a.q_heads = 3, a.q_to.head_stride = kFar;
      a.q_from = {x, a.q_to.batch_stride, a.q_to.token_stride, a.q_to.head_stride};
      for (long long i = 0; i < 3; ++i)
        for (int c = 0; c < 16; ++c) x[i * kFar + c] = from_float<__half>(static_cast<float>(c));
      turn(a, row.table);
      for (long long i = 0; i < 3; ++i) {
        const __half* y = x + i * kFar;
        for (int c = 0; c < 8; ++c) CHECK(to_float(y[c]) == static_cast<float>(c));
        const float second = interleaved ? 9 : 12;
        CHECK(to_float(y[8]) == Approx(8 * std::cos(1.0f) - second * std::sin(1.0f)).epsilon(2e-3));
        CHECK(std::memcmp(y, x, 16 * sizeof(__half)) == 0);
      }
    }
  munmap(memory, kBytes);
}
#endif

}  // namespace ropewalk::strided
