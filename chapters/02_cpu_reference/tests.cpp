// The reference against literal values and test vectors, what 16 bits do in the wrong place, and what a check
// must be like to catch the usual mistakes.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "chapters/02_cpu_reference/accuracy.hpp"
#include "chapters/02_cpu_reference/chapter.hpp"
#include "chapters/02_cpu_reference/mistakes.hpp"
#include "common/harness/check.hpp"
#include "common/harness/tests/kernel_suite.hpp"
#include "common/rope/positions.hpp"
#include "common/rope/table.hpp"
#include "common/testing/catch.hpp"

using namespace ropewalk;
using namespace ropewalk::reference;

namespace {

const Style kStyles[] = {Style::half, Style::interleaved};

Variant table_variant() {
  return chapter().variants.front();
}

RunRequest request_for(const Shape& shape, Style style, double base = 1e4) {
  RunRequest request;
  request.shape = shape;
  request.styles = {style};
  request.schedule.base = base;
  request.schedule.head_dim = shape.head_dim;
  request.schedule.rotary_dim = shape.rotary_dim;
  request.position_offset = 1;
  return request;
}

// A case in plain memory, for checks that are weaker than the harness's own.
struct PlainRun {
  PlainRun(const Case& c, const Variant& variant) : q(c.q), k(c.k) {
    const std::vector<float> inv_freq(c.schedule.inv_freq.begin(), c.schedule.inv_freq.end());
    const CosSinTable table = make_table(c.schedule, c.positions);
    RopeCall call;
    call.shape = c.shape;
    call.style = c.style;
    call.base = c.spec.base;
    call.q = q.data();
    call.k = k.data();
    call.positions = c.positions.data();
    call.cos_table = table.cos.data();
    call.sin_table = table.sin.data();
    call.first_position = table.first_position;
    call.table_rows = table.rows;
    call.inv_freq = inv_freq.data();
    variant.run(call);
    const std::vector<double> before(c.q.begin(), c.q.end());
    expected_q = rotate(before, c.positions, c.shape.q_heads, c.shape.head_dim, c.style, c.schedule);
    const std::vector<double> k_before(c.k.begin(), c.k.end());
    expected_k = rotate(k_before, c.positions, c.shape.kv_heads, c.shape.head_dim, c.style, c.schedule);
  }

  // Whether some value of q's first `count`, or of k's, is wrong by more than the tolerance.
  bool caught(double tolerance, std::size_t count = SIZE_MAX) const {
    bool wrong = false;
    for (std::size_t i = 0; i < std::min(count, q.size()); ++i)
      wrong |= !(std::abs(static_cast<double>(q[i]) - expected_q[i]) <= tolerance);
    if (count == SIZE_MAX)
      for (std::size_t i = 0; i < k.size(); ++i)
        wrong |= !(std::abs(static_cast<double>(k[i]) - expected_k[i]) <= tolerance);
    return wrong;
  }

  std::vector<float> q, k;
  std::vector<double> expected_q, expected_k;
};

// Four tokens of whole heads with random values: how a first test is usually written.
Case usual_case(Style style, std::vector<std::int32_t> positions) {
  const Shape shape{.batch = 1, .tokens = 4, .q_heads = 2, .kv_heads = 1, .head_dim = 64, .rotary_dim = 64};
  Case c = random_case(request_for(shape, style), shape, style, "usual");
  c.positions = std::move(positions);
  return c;
}

}  // namespace

TEST_CASE("what every variant must do") {
  suite::check_kernels(chapter(), 12);
}

TEST_CASE("a table that is too short gives NaN and reads nothing") {
  for (const std::int32_t position : {-1, 4096}) {
    const std::vector<float> table(4096, 1.0f);
    float q[] = {1, 2};
    RopeCall call;
    call.shape = {.batch = 1, .tokens = 1, .q_heads = 1, .kv_heads = 0, .head_dim = 2, .rotary_dim = 2};
    call.q = q;
    call.positions = &position;
    call.cos_table = call.sin_table = table.data();
    call.table_rows = 4096;
    table_variant().run(call);
    CHECK(std::isnan(q[0]));
    CHECK(std::isnan(q[1]));
  }
}

TEST_CASE("positions as serving code makes them: padded and packed") {
  const std::vector<std::int32_t> mask = {0, 0, 1, 1, 1}, lengths = {0, 1, 4, 5};
  CHECK(positions_from_mask(mask, 5) == std::vector<std::int32_t>{0, 0, 0, 1, 2});
  CHECK(packed_positions(lengths) == std::vector<std::int32_t>{0, 0, 1, 2, 0});
}

TEST_CASE("the oracle agrees with the published code's test vectors") {
  const std::vector<TestVector> vectors = suite::vectors_of(chapter());
  CHECK(vectors.size() == 12);
  CHECK(std::count_if(vectors.begin(), vectors.end(),
                      [](const TestVector& vector) { return vector.style == Style::interleaved; }) == 4);
  for (const TestVector& vector : vectors) {
    const CheckResult oracle = check_oracle(vector);
    INFO(vector.name << "\n" << oracle.fault_text);
    CHECK(oracle.passed());
    CHECK(oracle.values == static_cast<std::int64_t>(vector.y.size()));
    CHECK(oracle.error < 1e-10);
    TestVector wrong = vector;
    wrong.y.back() += 1e-9;
    CHECK(check_oracle(wrong).faults == 1);
  }
}

TEST_CASE("every way stays within its derived bound, whatever the frequencies") {
  for (const double base : {1e4, 5e5, 1e6, 1e15})
    for (const std::int64_t rotary_dim : {2, 24, 64, 128, 256})
      for (const CheckResult& check :
           show_accuracy({.rope_type = "default", .base = base, .head_dim = 256, .rotary_dim = rotary_dim})) {
        INFO(check.what << ", base " << base << ", rotary_dim " << rotary_dim << "\n" << check.fault_text);
        CHECK(check.passed());
      }
}

TEST_CASE("a running product loses more than one product per pair") {
  const auto largest_angle_error = [](double base, std::int32_t position, bool running) {
    const ScheduleSpec spec{.rope_type = "default", .base = base, .head_dim = 128, .rotary_dim = 128};
    const Schedule schedule = make_schedule(spec);
    RopeCall call;
    call.shape.rotary_dim = 128;
    call.base = base;
    const float step = frequency_step(call);
    float product = static_cast<float>(position);
    double largest = 0;
    for (const double inv_freq : schedule.inv_freq) {
      const float angle = running ? product : static_cast<float>(position) * static_cast<float>(inv_freq);
      largest = std::max(largest, std::abs(static_cast<double>(angle) - position * inv_freq));
      product *= step;
    }
    return largest;
  };
  CHECK(largest_angle_error(1e4, 131071, true) == Approx(1.29e-2).epsilon(0.01));
  CHECK(largest_angle_error(1e4, 131071, false) == Approx(2.7e-3).epsilon(0.02));
  CHECK(largest_angle_error(5e5, 131071, true) == Approx(4.2e-3).epsilon(0.02));
  CHECK(largest_angle_error(5e5, 131071, false) == Approx(2.8e-3).epsilon(0.02));
  CHECK(largest_angle_error(1e6, 1000000, true) == Approx(5.7e-2).epsilon(0.02));
  CHECK(largest_angle_error(1e6, 1000000, false) == Approx(2.1e-2).epsilon(0.02));
}

TEST_CASE("one number in 16 bits in the wrong place") {
  const std::vector<WrongPlace> places = wrong_places();
  REQUIRE(places.size() == 6);
  const auto is = [&](std::size_t i, double exact, double got) {
    CHECK(places[i].exact == Approx(exact).margin(6e-7));
    CHECK(places[i].got == Approx(got).margin(6e-7));
  };
  is(0, 0.306693, -0.408165);
  is(1, -0.877464, -0.982772);
  is(2, -0.742366, +0.423841);
  is(3, 0.819306, -0.039791);
  is(4, std::cos(4095.0), std::cos(4096.0));  // 4095 is no bfloat16; 4096 is
  is(5, 0.994680, 0.996094);
  CHECK(places[5].got / places[5].exact - 1 == Approx(0.0014).epsilon(0.02));
}

TEST_CASE("a relative tolerance per value cannot work: the difference may cancel") {
  // cos 77906 and sin 77906 differ by 3e-5. A correct float result keeps few of the difference's digits, and
  // is wrong by less than a tenth of a rounding of the pair's length.
  const std::vector<float> y =
      suite::rotate_one(table_variant(), Runs::on_host, {.x = {1, 1}, .rotary_dim = 2, .position = 77906});
  const CosSin exact = exact_cos_sin(77906, 1.0);
  const double expected = exact.cos - exact.sin, error = std::abs(static_cast<double>(y[0]) - expected);
  CHECK(expected == Approx(3.094736e-5).epsilon(1e-6));
  CHECK(error / std::abs(expected) == Approx(4.1e-4).epsilon(0.02));
  CHECK(error / std::sqrt(2.0) < 1e-8);
}

TEST_CASE("the mistakes are those of the fault list: what a kernel makes wrong, they make wrong") {
  const std::vector<Variant> list = mistakes();
  REQUIRE(list.size() == faults::kMistakes.size());
  const Shape shape = Chapter{}.small_shape;
  const Case small = small_case(Chapter{}, request_for(shape, Style::half), Style::half);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const faults::FaultText& text = faults::kMistakes[i];
    const CheckResult result = check_variant(list[i], small, Runs::on_host);
    INFO(text.name << "\n" << result.fault_text);
    CHECK(list[i].name == text.name);
    CHECK(result.faults == text.faults);
    CHECK(result.fault_text.find("  " + std::string(text.where) + std::string(text.got)) == 0);
    if (text.error > 0) CHECK(result.error == Approx(text.error).epsilon(1e-4));
  }
}

TEST_CASE("the small case catches every mistake by name, the usual first test does not") {
  const Shape small_shape = Chapter{}.small_shape;
  std::printf("  %-27s  small case  positions 0-3  same, 1e-1  position 0  first 3 values\n", "mistake");
  std::map<std::string, int> caught;
  std::set<std::string> reports;
  for (const Variant& mistake : mistakes()) {
    std::map<std::string, bool> by;
    for (const Style style : kStyles) {
      if (mistake.name == "split at head/2" && style == Style::interleaved) continue;
      const Case small = small_case(Chapter{}, request_for(small_shape, style), style);
      const CheckResult result = check_variant(mistake, small, Runs::on_host);
      INFO(mistake.name << ", " << to_string(style) << "\n" << result.fault_text);
      CHECK(result.faults > 0);
      // No two mistakes give the same report, so a report names its mistake.
      std::ostringstream report;
      report << to_string(style) << result.faults << ' ' << result.error << result.fault_text;
      CHECK(reports.insert(report.str()).second);
      by["small"] = result.faults > 0;

      const PlainRun usual(usual_case(style, {0, 1, 2, 3}), mistake);
      const PlainRun zero(usual_case(style, {0, 0, 0, 0}), mistake);
      by["usual"] |= usual.caught(1e-6);
      by["loose"] |= usual.caught(1e-1);
      by["zero"] |= zero.caught(1e-6);
      by["first"] |= usual.caught(1e-6, 3);
    }
    for (const auto& [test, yes] : by) caught[test] += yes;
    const auto word = [&](const char* test) { return by[test] ? "caught" : "-"; };
    std::printf("  %-27s  %-10s  %-13s  %-10s  %-10s  %s\n", mistake.name.c_str(), word("small"),
                word("usual"), word("loose"), word("zero"), word("first"));
  }
  std::printf("  %-27s  %-10d  %-13d  %-10d  %-10d  %d\n", "of 15", caught["small"], caught["usual"],
              caught["loose"], caught["zero"], caught["first"]);
  CHECK(caught["small"] == 15);  // the last line of the table in README.md
  CHECK(caught["usual"] == 9);
  CHECK(caught["loose"] == 9);
  CHECK(caught["zero"] == 5);
  CHECK(caught["first"] == 2);

  for (const Style style : kStyles) {  // the pieces themselves are right
    const Case small = small_case(Chapter{}, request_for(small_shape, style), style);
    CHECK(check_variant(taken_apart("correct", {}), small, Runs::on_host).passed());
  }
}

namespace {

// The first pair from which on all pairs of 32 may stay unrotated without any value being off by more than
// 1e-1: 64 positions from 0, channel c holds (c % period) / 10 - 0.5.
std::size_t first_pair_that_is_not_needed(int period) {
  const Schedule schedule =
      make_schedule({.rope_type = "default", .base = 1e4, .head_dim = 64, .rotary_dim = 64});
  std::vector<double> x(64);
  for (int c = 0; c < 64; ++c) x[static_cast<std::size_t>(c)] = c % period / 10.0 - 0.5;
  std::size_t needed = 0;
  for (std::int32_t position = 0; position < 64; ++position) {
    const std::vector<double> y =
        rotate(x, std::vector<std::int32_t>{position}, 1, 64, Style::half, schedule);
    for (std::size_t c = 0; c < 64; ++c)
      if (std::abs(y[c] - x[c]) > 1e-1) needed = std::max(needed, c % 32 + 1);
  }
  return needed;
}

}  // namespace

TEST_CASE("a tolerance of 1e-1 does not see a large part of the rotation") {
  CHECK(first_pair_that_is_not_needed(11) == 16);  // the queries of NVIDIA's tileRope sample
  CHECK(first_pair_that_is_not_needed(13) == 20);  // its keys
}

TEST_CASE("the derived tolerances bite: one pair left out, or one position too many") {
  const ScheduleSpec spec{.rope_type = "default", .base = 1e4, .head_dim = 128, .rotary_dim = 128};
  const Schedule schedule = make_schedule(spec);
  for (const Angles angles : {Angles::exact, Angles::f32_list, Angles::f32_powf}) {
    long long checked = 0, left_out = 0, missed = 0;
    for (std::int64_t position = 1; position < 10000; ++position) {
      bool neighbour_seen = false;
      for (std::size_t p = 0; p < 64; ++p) {
        const CosSin exact = exact_cos_sin(position, schedule.inv_freq[p]);
        const double error = angle_error(angles, position, static_cast<std::int64_t>(p), spec, schedule);
        const auto fails = [&](double c, double s) {  // the pair (1, 0) becomes (c, s)
          return std::abs(c - exact.cos) > pair_tolerance(Dtype::f32, 1, exact.cos, error) ||
                 std::abs(s - exact.sin) > pair_tolerance(Dtype::f32, 1, exact.sin, error);
        };
        ++checked;
        const double chord = std::hypot(1 - exact.cos, exact.sin);  // 2 |sin(a/2)|
        if (chord <= 2 * pair_tolerance(Dtype::f32, 1, 1, error))
          ++left_out;
        else if (!fails(1, 0))
          ++missed;
        const CosSin next = exact_cos_sin(position + 1, schedule.inv_freq[p]);
        neighbour_seen |= fails(next.cos, next.sin);
      }
      if (!neighbour_seen) ++missed;
    }
    std::printf("  %s\n    %lld pairs, %lld of them turned too little to tell, %lld missed\n",
                describe(angles).c_str(), checked, left_out, missed);
    CHECK(missed == 0);
    CHECK(left_out < checked / 100);
  }
}
