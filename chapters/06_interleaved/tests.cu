/// \file
/// Chapter 06: what every chapter's kernels must do, which accesses fit where, and heads that begin at odd
/// places.
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "chapters/06_interleaved/chapter.cuh"
#include "common/harness/tests/kernel_suite.hpp"
#include "common/testing/catch.hpp"

namespace ropewalk::interleaved {
namespace {

const void* at(std::uintptr_t address) {
  return reinterpret_cast<const void*>(address);
}

/// What fits tensors and tables at these addresses; nothing is read.
template <class T>
int fits(int head_dim, int rotary_dim, int wanted, std::uintptr_t q = 1 << 20, std::uintptr_t k = 1 << 21,
         std::uintptr_t table = 1 << 22, std::uintptr_t sines = 1 << 23) {
  const Tensors<T> a{static_cast<T*>(const_cast<void*>(at(q))),
                     static_cast<T*>(const_cast<void*>(at(k))),
                     nullptr,
                     1,
                     2,
                     1,
                     head_dim,
                     rotary_dim};
  return pairs_that_fit(
      a, Table{static_cast<const float*>(at(table)), static_cast<const float*>(at(sines)), 0, 1}, wanted);
}

}  // namespace

TEST_CASE("what every kernel must do") {
  suite::check_kernels(chapter(), 4);
}

TEST_CASE("how many pairs fit into an access") {
  CHECK(fits<__half>(128, 128, 4) == 4);
  CHECK(fits<__half>(128, 128, 2) == 2);
  CHECK(fits<__half>(128, 128, 1) == 1);
  CHECK(fits<__half>(128, 128, 0) == 0);
  CHECK(fits<float>(128, 128, 4) == 4);
  SECTION("heads that begin at a multiple of less") {
    CHECK(fits<__half>(80, 80, 4) == 4);  // 160 bytes
    CHECK(fits<__half>(84, 80, 4) == 2);  // 168 bytes: a multiple of 8
    CHECK(fits<__half>(82, 80, 4) == 1);  // 164 bytes: a multiple of 4
    CHECK(fits<__half>(81, 80, 4) == 0);  // every second head begins at an odd channel
    CHECK(fits<float>(82, 80, 4) == 1);   // 328 bytes: a multiple of 8
    CHECK(fits<float>(81, 80, 4) == 0);
    CHECK(fits<float>(132, 128, 4) == 4);  // 528 bytes: a multiple of 16, which is all an access moves
  }
  SECTION("rows whose end would cut a pack") {
    CHECK(fits<__half>(128, 24, 4) == 4);  // 12 pairs
    CHECK(fits<__half>(128, 20, 4) == 2);  // 10 pairs
    CHECK(fits<__half>(128, 2, 4) == 1);
  }
  SECTION("addresses") {
    CHECK(fits<__half>(128, 128, 4, (1 << 20) + 2) == 0);
    CHECK(fits<__half>(128, 128, 4, (1 << 20) + 4) == 1);
    CHECK(fits<__half>(128, 128, 4, 1 << 20, (1 << 21) + 8) == 2);
    CHECK(fits<__half>(128, 128, 4, 1 << 20, 1 << 21, (1 << 22) + 4) == 1);
    CHECK(fits<__half>(128, 128, 4, 1 << 20, 1 << 21, 1 << 22, (1 << 23) + 4) == 1);  // the sines alone
    CHECK(fits<__half>(128, 128, 4, 1 << 20, 1 << 21, 1 << 22, (1 << 23) + 8) == 2);
    CHECK(fits<__half>(128, 128, 4, 1 << 20, 0) == 4);  // no k
    CHECK(fits<float>(128, 128, 4, (1 << 20) + 4) == 0);
    CHECK(fits<float>(128, 128, 4, (1 << 20) + 8) == 1);
  }
}

// Each combination of a head's size and a rotary width takes another kernel; beyond 256 threads a thread has
// several rounds.
TEST_CASE("sizes that take narrower accesses, and tails") {
  const Chapter c = chapter();
  for (const std::int64_t head_dim : {2, 6, 7, 9, 18, 20, 36, 64, 80, 81, 96, 192, 256, 2062})
    for (const std::int64_t rotary_dim : {head_dim / 2 * 2, std::int64_t{2}, head_dim / 8 * 8}) {
      if (rotary_dim == 0) continue;
      for (const std::int64_t q_heads : {1, 7}) {
        RunRequest request;
        request.position_offset = -3;
        for (const Dtype dtype : c.dtypes) {
          request.dtype = dtype;
          suite::check_every_variant(c, random_case(request,
                                                    {.batch = 1,
                                                     .tokens = 3,
                                                     .q_heads = q_heads,
                                                     .kv_heads = 1,
                                                     .head_dim = head_dim,
                                                     .rotary_dim = rotary_dim},
                                                    Style::interleaved, "sizes"));
        }
      }
    }
}

TEST_CASE("a slice that begins two bytes off is rotated by the narrow kernel") {
  for (const int offset : {0, 1, 2, 3, 4}) {
    INFO("offset " << offset);
    const std::vector<float> table = {std::cos(1.0f), std::cos(0.01f), std::sin(1.0f), std::sin(0.01f)};
    std::vector<__half> x(16, from_float<__half>(7));
    for (int i = 0; i < 4; ++i) x[static_cast<std::size_t>(offset + i)] = from_float<__half>(float(i + 1));
    DeviceArray<__half> dx{std::span<const __half>(x)};
    const DeviceArray<float> dt{std::span<const float>(table)};
    const std::vector<int> position = {1};
    const DeviceArray<int> dp{std::span<const int>(position)};
    const Stream stream;
    launch_interleaved(stream, Tensors<__half>{dx.data() + offset, nullptr, dp.data(), 1, 1, 0, 4, 4},
                       Table{dt.data(), dt.data() + 2, 1, 1}, 4);
    stream.synchronize();
    const std::vector<__half> y = dx.download();
    const double expected[] = {std::cos(1.0) - 2 * std::sin(1.0), std::sin(1.0) + 2 * std::cos(1.0),
                               3 * std::cos(0.01) - 4 * std::sin(0.01),
                               3 * std::sin(0.01) + 4 * std::cos(0.01)};
    for (int i = 0; i < 16; ++i) {
      const double want = i < offset || i >= offset + 4 ? 7 : expected[i - offset];
      INFO("element " << i);
      CHECK(std::abs(static_cast<double>(to_float(y[static_cast<std::size_t>(i)])) - want) <=
            2e-3 * std::abs(want));
    }
  }
}

TEST_CASE("a block is as small as its rounds allow") {
  CHECK(block_for(16, 40).x == 16);
  CHECK(block_for(16, 40).y == 14);  // 16 rows need three rounds, and so do 14
  CHECK(block_for(64, 40).y == 4);
  CHECK(block_for(16, 3).y == 3);
  CHECK(block_for(300, 40).x == 256);
  CHECK(block_for(300, 40).y == 1);
}

TEST_CASE("a position outside the table gives NaN for its own token only") {
  for (const int wanted : {0, 1, 2, 4}) {
    const std::vector<float> x(16, 1.0f), row(4, 0.5f);
    DeviceArray<float> dx{std::span<const float>(x)}, table{std::span<const float>(row)};
    const std::vector<int> positions = {6, 5};
    const DeviceArray<int> dp{std::span<const int>(positions)};
    const Stream stream;
    launch_interleaved(stream, Tensors<float>{dx.data(), nullptr, dp.data(), 2, 1, 0, 8, 8},
                       Table{table.data(), table.data(), 5, 1}, wanted);
    stream.synchronize();
    const std::vector<float> y = dx.download();
    for (std::size_t i = 0; i < 8; ++i) CHECK(std::isnan(y[i]));
    for (std::size_t i = 8; i < 16; ++i) CHECK(y[i] == static_cast<float>(i % 2));
  }
}

TEST_CASE("a converted checkpoint gives the same q and k, and the same scores") {
  for (const auto& [head_dim, rotary_dim] :
       {std::pair<std::int64_t, std::int64_t>{128, 128}, {80, 20}, {6, 6}}) {
    const ScheduleSpec spec = {
        .rope_type = "default", .base = 1e4, .head_dim = head_dim, .rotary_dim = rotary_dim};
    const std::vector<CheckResult> results = check_conversion(spec, 3);
    REQUIRE(results.size() == 2);
    for (const CheckResult& result : results) {
      INFO(result.what << "\n" << result.fault_text);
      CHECK(result.passed());
    }
    CHECK(results[0].what == "channels");
    CHECK(results[0].values == 6 * (4 + 2) * head_dim);
    CHECK(results[0].error == 0);
    CHECK(results[1].what == "q·k");
    CHECK(results[1].values == 4 * (1 + 2 + 3 + 4 + 5 + 6));
    CHECK(results[1].tolerance > 0);  // 0 for keys of zeros
  }
}

TEST_CASE("a wrong channel and a wrong key are noticed") {
  const Layer layer{.tokens = 2, .q_heads = 2, .kv_heads = 1, .head_dim = 4, .rotary_dim = 4, .x = {}};
  RandomValues random(1);
  const QueriesAndKeys right{random.take(2 * 2 * 4), random.take(2 * 4)};
  const auto scores = [&](const QueriesAndKeys& other) {
    CheckResult result{.what = "q·k", .on = "test"};
    compare_scores(layer, right, other, result);
    return result;
  };
  CHECK(scores(right).passed());
  CHECK(scores(right).values == 2 * (1 + 2));
  QueriesAndKeys wrong = right;
  wrong.k[5] += 0.01f;  // of the second token, which only its own two heads meet
  CHECK(scores(wrong).faults == 2);
  CHECK(scores(wrong).fault_text.find("head 0 tokens 1 and 1: expected ") != std::string::npos);
  wrong.k = std::vector<float>(8, 0.0f);
  CHECK(scores(wrong).faults == 6);
  wrong = right;
  wrong.q[0] += 0.01f;  // head 0 of the first token
  CHECK(scores(wrong).faults == 1);

  // Half: pairs (0, 2) and (1, 3). Interleaved: (0, 1) and (2, 3).
  const std::vector<float> half = {1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<float> adjacent = {1, 3, 2, 4, 5, 7, 6, 8};
  const auto channels = [&] {
    CheckResult result{.what = "channels", .on = "test"};
    compare_channels(layer, 1, half, adjacent, result);
    return result;
  };
  CHECK(channels().passed());
  CHECK(channels().values == 8);
  adjacent[6] = 6.000001f;
  CHECK(channels().faults == 1);
  CHECK(channels().fault_text.find("token 1 row 2: expected 6, got ") != std::string::npos);
}

TEST_CASE("wide heads: fewer of them show the same error") {
  const ScheduleSpec spec = {.rope_type = "default", .base = 1e4, .head_dim = 30000, .rotary_dim = 30000};
  CHECK(error_of_wrong_style(make_schedule(spec), 30000, 1, 1) == Approx(0.3).margin(0.05));
}

TEST_CASE("the wrong style is harmless at position 0 only") {
  const ScheduleSpec spec = {.rope_type = "default", .base = 1e4, .head_dim = 128, .rotary_dim = 128};
  const Schedule schedule = make_schedule(spec);
  CHECK(error_of_wrong_style(schedule, 128, 0, 1) == 0);
  CHECK(error_of_wrong_style(schedule, 128, 1, 1) > 0.3);
  CHECK(error_of_wrong_style(schedule, 128, 1024, 1) > 1);
}

}  // namespace ropewalk::interleaved
