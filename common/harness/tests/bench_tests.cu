/// \file
/// run_benchmark() on a tiny shape. Its times mean nothing on the CPU executor, but they must be there.
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "common/harness/bench.hpp"
#include "common/harness/tests/broken_variants.hpp"
#include "common/testing/catch.hpp"

namespace ropewalk {
namespace {

using faults::Fault;

// Wrong from its n-th run on.
Variant wrong_from_run(int n, Fault fault, std::string name) {
  Variant variant = faults::broken_variant(fault, std::move(name));
  variant.run = [n, fault, runs = 0](const RopeCall& call) mutable {
    faults::run_broken(++runs < n ? Fault::none : fault, call);
  };
  return variant;
}

Chapter chapter_of(std::vector<Variant> variants) {
  Chapter chapter;
  chapter.name = "bench_test";
  chapter.styles = {Style::half};
  chapter.dtypes = {Dtype::f32};
  chapter.variants = std::move(variants);
  return chapter;
}

RunRequest tiny_request() {
  RunRequest request;
  request.shape = {.batch = 1, .tokens = 3, .q_heads = 2, .kv_heads = 1, .head_dim = 8, .rotary_dim = 8};
  request.shape_given = true;
  request.styles = {Style::half};
  request.schedule = {.rope_type = "default", .base = 1e4, .head_dim = 8, .rotary_dim = 8};
  request.position_offset = 1;
  return request;
}

std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> list(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    if (c == ',' && !quoted)
      list.emplace_back();
    else
      list.back() += c;
  }
  return list;
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> list;
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
    list.push_back(text.substr(at, text.find('\n', at) - at));
  return list;
}

// Not below zero. On a busy machine a time may be so long that a rate is printed as 0.0.
bool is_number(const std::string& cell) {
  char* end = nullptr;
  const double value = std::strtod(cell.c_str(), &end);
  return !cell.empty() && *end == '\0' && std::isfinite(value) && value >= 0;
}

}  // namespace

TEST_CASE("the benchmark times what is right, and only that") {
  const Chapter chapter = chapter_of(
      {faults::broken_variant(Fault::none, "right"), faults::broken_variant(Fault::sign, "wrong")});
  const std::vector<ResultRow> rows = run_benchmark(chapter, tiny_request());
  REQUIRE(rows.size() == 2);
  for (const ResultRow& row : rows) {
    CHECK(row.check.on == "own");
    CHECK(row.shape.tokens == 3);
    CHECK(row.style == Style::half);
    CHECK(row.check.values == 3 * (2 + 1) * 8);
  }
  CHECK(rows[0].check.what == "right");
  CHECK(rows[0].check.passed());
  REQUIRE(rows[0].timing.has_value());
  const Timing& t = *rows[0].timing;
  for (const double us :
       {t.median_us, t.p5_us, t.p95_us, t.stream_us, t.copy_us, t.reference_copy_us, t.empty_kernel_us}) {
    CHECK(std::isfinite(us));
    CHECK(us > 0);
  }
  CHECK(t.p5_us <= t.median_us);
  CHECK(t.median_us <= t.p95_us);
  // q and k read and written, three positions and three rows of two tables read.
  CHECK(t.bytes == 2 * 3 * 3 * 8 * 4 + 3 * 4 + 2 * 3 * 4 * 4);
  CHECK(t.gbps() == Approx(static_cast<double>(t.bytes) / t.median_us / 1e3));
  CHECK(t.fraction_of_copy() == Approx(t.copy_us / t.median_us));

  CHECK(rows[1].check.what == "wrong");
  CHECK(rows[1].check.faults == 3 * (2 + 1) * 8);
  CHECK_FALSE(rows[1].timing.has_value());

  const std::vector<std::string> csv = lines(format_csv(chapter, device_info(Runs::on_device), rows));
  REQUIRE(csv.size() == 3);
  const std::vector<std::string> heading = cells(csv[0]), timed = cells(csv[1]), untimed = cells(csv[2]);
  REQUIRE(heading.size() == 27);
  REQUIRE(timed.size() == 27);
  REQUIRE(untimed.size() == 27);
  CHECK(heading[16] == "median_us");
  CHECK(heading[24] == "empty_kernel_us");
  for (std::size_t i = 16; i <= 24; ++i) {
    INFO(heading[i] << ": " << timed[i]);
    CHECK(is_number(timed[i]));
    CHECK(untimed[i].empty());
  }
  for (std::size_t i = 9; i <= 13; ++i) CHECK(is_number(timed[i]));   // the sizes
  for (std::size_t i = 25; i <= 26; ++i) CHECK(is_number(timed[i]));  // max_error and tolerance
  CHECK(timed[6] == "bench_test");
  CHECK(timed[7] == "right");
  CHECK(timed[8] == "own");
  CHECK(std::strtod(timed[16].c_str(), nullptr) == Approx(t.median_us).margin(6e-4));
  CHECK(timed[20] == std::to_string(t.bytes));
}

TEST_CASE("the benchmark times one variant when one is asked for") {
  RunRequest request = tiny_request();
  request.variant = "second";
  const std::vector<ResultRow> rows =
      run_benchmark(chapter_of({faults::broken_variant(Fault::none, "first"),
                                faults::broken_variant(Fault::none, "second")}),
                    request);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].check.what == "second");
}

TEST_CASE("what breaks during the timing is seen after it") {
  const std::vector<ResultRow> rows =
      run_benchmark(chapter_of({wrong_from_run(2, Fault::sign, "wrong later"),
                                wrong_from_run(2, Fault::inv_freq_modified, "changes an input later")}),
                    tiny_request());
  REQUIRE(rows.size() == 2);
  CHECK_FALSE(rows[0].check.passed());
  CHECK(rows[0].check.fault_text.find("  q[b=0 t=0 h=0] pair 0") == 0);
  CHECK_FALSE(rows[1].check.passed());
  CHECK(rows[1].check.fault_text.find("  inv_freq: an input was modified") == 0);
}

}  // namespace ropewalk
