/// \file
/// Every mistake of the fault list, made on purpose, and that the harness tells it from the others.
#include <cmath>
#include <string>
#include <vector>

#include "common/harness/check.hpp"
#include "common/harness/tests/broken_variants.hpp"
#include "common/rope/table.hpp"
#include "common/testing/catch.hpp"

namespace ropewalk::faults {
namespace {

constexpr Dtype kDtypes[] = {Dtype::f32, Dtype::f16, Dtype::bf16};

CheckResult run(Fault fault, const Case& c) {
  return check_variant(broken_variant(fault, "broken"), c, Runs::on_device);
}

CheckResult run_small(Fault fault, Dtype dtype) {
  RunRequest request;
  request.dtype = dtype;
  return run(fault, small_case(Chapter{}, request, Style::half));
}

std::string first_line(const CheckResult& result) {
  return result.fault_text.substr(0, result.fault_text.find('\n'));
}

bool shows_here(Fault fault) {
  if (fault == Fault::misaligned_access || fault == Fault::positions_of_first_sequence) return false;
#ifdef ROPEWALK_SANITIZE_ADDRESS
  if (leaves_its_buffer(fault)) return false;
#endif
#ifdef ROPEWALK_CUDA
  // Neighbours in a warp happen to run in step on today's GPUs and the result looks right: racecheck sees it.
  if (fault == Fault::missing_barrier) return false;
#endif
  return true;
}

// Whether a report in float is the one this fault must give.
bool fits(const CheckResult& result, const FaultText& text) {
  const std::string line = first_line(result);
  return (text.faults == kAny ? result.faults > 0 : result.faults == text.faults) &&
         line.find("  " + std::string(text.where)) == 0 && line.find(text.got) != std::string::npos &&
         (text.error == 0 || std::abs(result.error / text.error - 1) < 1e-4);
}

// Two sequences whose positions differ.
Case batch(Dtype dtype) {
  RunRequest request;
  request.dtype = dtype;
  request.position_offset = 1;
  const Shape shape{.batch = 2, .tokens = 3, .q_heads = 2, .kv_heads = 1, .head_dim = 8, .rotary_dim = 8};
  return random_case(request, shape, Style::half, "batch");
}

}  // namespace

TEST_CASE("the kernel without a fault passes") {
  for (Dtype dtype : kDtypes)
    for (Fault fault : {Fault::none, Fault::barrier_in_place}) {
      const CheckResult small = run_small(fault, dtype), sequences = run(fault, batch(dtype));
      INFO(small.fault_text << sequences.fault_text);
      CHECK(small.passed());
      CHECK(small.values == 5 * (3 + 1) * 12);
      CHECK(small.worst > 0);
      CHECK(small.worst <= 1);
      CHECK(sequences.passed());
      CHECK(sequences.values == 2 * 3 * (2 + 1) * 8);
    }
}

TEST_CASE("every fault of the list is caught by name, in float") {
  for (const FaultText& text : all_faults()) {
    if (!shows_here(text.fault)) continue;
    const CheckResult result = run_small(text.fault, Dtype::f32);
    INFO(text.name << ": " << result.faults << " faults, worst error " << result.error << "\n"
                   << result.fault_text);
    CHECK_FALSE(result.passed());
    CHECK(fits(result, text));
  }
}

TEST_CASE("every fault of the list is caught in the 16-bit types") {
  for (Dtype dtype : {Dtype::f16, Dtype::bf16})
    for (const FaultText& text : all_faults()) {
      if (!shows_here(text.fault)) continue;
      const CheckResult result = run_small(text.fault, dtype);
      INFO(text.name << " in " << to_string(dtype) << ":\n" << result.fault_text);
      CHECK_FALSE(result.passed());
      CHECK(first_line(result).find("  " + std::string(text.where)) == 0);
    }
}

TEST_CASE("no mistake is taken for another one") {
  for (const FaultText& made : kMistakes) {
    const CheckResult result = run_small(made.fault, Dtype::f32);
    for (const FaultText& text : all_faults()) {
      if (!shows_here(text.fault) || text.fault == made.fault) continue;
      INFO(made.name << " taken for " << text.name);
      CHECK((text.fault == Fault::missing_barrier || !fits(result, text)));
    }
  }
}

TEST_CASE("a sequence that is given the positions of another one") {
  for (Dtype dtype : kDtypes) {
    const CheckResult result = run(Fault::positions_of_first_sequence, batch(dtype));
    INFO(result.fault_text);
    // The 72 values of the second sequence, less what rounding hides in bfloat16.
    CHECK(result.faults <= 72);
    CHECK(result.faults >= (dtype == Dtype::bf16 ? 68 : 72));
    CHECK(first_line(result).find("  q[b=1 t=0 h=0] pair 0 channel 0: position 14, angle 14: ") == 0);
  }
}

TEST_CASE("rows of the table that no token asks for are NaN") {
  const Schedule schedule =
      make_schedule({.rope_type = "default", .base = 1e4, .head_dim = 4, .rotary_dim = 4});
  const std::vector<std::int32_t> positions = {5, 3};
  const CosSinTable table = make_table(schedule, positions);
  REQUIRE(table.rows == 3);
  CHECK(table.first_position == 3);
  for (std::size_t i = 0; i < 6; ++i) {
    const bool asked_for = i / 2 != 1;
    CHECK(std::isnan(table.cos[i]) != asked_for);
    CHECK(std::isnan(table.sin[i]) != asked_for);
  }
}

TEST_CASE("the fault list has no name and no fault twice") {
  const auto list = all_faults();
  for (std::size_t i = 0; i < list.size(); ++i) {
    CHECK_FALSE(list[i].meaning.empty());
    CHECK(static_cast<std::size_t>(list[i].fault) == i + 1);  // the order of the enum, from the first on
    for (std::size_t j = 0; j < i; ++j) CHECK(list[i].name != list[j].name);
  }
}

}  // namespace ropewalk::faults
