/// \file
/// What a chapter's program does when its kernel is wrong: every fault of the list, as a program.
#include <string>

#include "common/harness/tests/fault_names.hpp"
#include "common/harness/tests/process.hpp"

namespace ropewalk::testing {
namespace {

std::string program(std::string_view fault) {
  return std::string(ROPEWALK_BIN_DIR) + "/harness_broken_chapter '" + std::string(fault) + "' ";
}

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("the same program without a fault succeeds") {
  const Outcome got = expect_success(program("none"));
  CHECK(count(got.out, " ok\n") == 6);
  CHECK(contains(got.out, "\n6 checks, "));
}

TEST_CASE("every fault of the list makes the program fail") {
  for (const faults::FaultText& text : faults::all_faults()) {
    if (text.fault == faults::Fault::misaligned_access) continue;
#ifdef ROPEWALK_SANITIZE_ADDRESS
    if (faults::leaves_its_buffer(text.fault)) continue;
#endif
#ifdef ROPEWALK_CUDA
    if (text.fault == faults::Fault::missing_barrier) continue;  // happens to work on today's GPUs
#endif
    const Folder folder;
    const Outcome got = expect_mismatch(program(text.name) + "--csv " + (folder.path() / "rows.csv").string(),
                                        {"WRONG", "wrong on random"});
    INFO(text.name << "\n" << got.out);
    CHECK(count(got.out, " ok\n") >= 3);          // those of the right variant
    CHECK_FALSE(contains(got.out, "right on "));  // whose faults would be listed
    CHECK(contains(got.out, "  " + std::string(text.where)));
    CHECK(contains(got.out, std::string(text.got)));
    CHECK(folder.empty());
    CHECK_FALSE(contains(got.out, "Times"));
  }
}

TEST_CASE("a mismatch says where, and how many") {
  const Outcome got = expect_mismatch(program("sign of the sine"),
                                      {"wrong on small: 240 faults, the first of them\n",
                                       "  q[b=0 t=0 h=0] pair 0 channel 0: position 7, angle 7: expected "
                                       "0.0165298522, got 0.36042"});
  // Two sequences of four tokens, then the far case's five tokens.
  CHECK(contains(got.out, "wrong on random: 384 faults"));
  CHECK(contains(got.out, "wrong on far: 240 faults"));
  CHECK(contains(got.out, "position 131071, angle"));
}

TEST_CASE("a misaligned vector access ends the program") {
  const Outcome got = run(program("misaligned vector access") + "--dtype f32");
  INFO(got.out << got.err);
#if defined(ROPEWALK_CUDA)
  CHECK(got.code == 3);
  CHECK(contains(got.err, "cudaErrorMisalignedAddress"));
#elif defined(ROPEWALK_CHECKS_ALIGNMENT)
  CHECK(got.code != 0);
  CHECK(contains(got.err, "misaligned address"));
  CHECK(contains(got.err, " at tests/broken_kernels.cuh:"));
  CHECK(contains(got.err, " by thread (0,0,0) of block (0,0,0)"));
#else
  CHECK(got.code == 0);  // x86 forgives it: only the builds above see it
#endif
#if defined(ROPEWALK_CUDA) || defined(ROPEWALK_CHECKS_ALIGNMENT)
  CHECK_FALSE(contains(got.out, "Success"));
#endif
}

TEST_CASE("no time is measured while a result is wrong") {
  const Outcome got = run(program("sign of the sine") + "--bench");
  INFO(got.out << got.err);
  CHECK_FALSE(contains(got.out, "Times"));
  CHECK_FALSE(contains(got.out, "Success"));
#ifdef ROPEWALK_CUDA
  CHECK(got.code == 1);
#else
  CHECK(got.code == 2);
#endif
}

TEST_CASE("--variant picks one") {
  const Outcome right = expect_success(program("sign of the sine") + "--variant right");
  CHECK(contains(right.out, "\n3 checks, "));
  CHECK_FALSE(contains(right.out, "  wrong "));
  const Outcome wrong =
      expect_mismatch(program("sign of the sine") + "--variant wrong", {"\n3 checks, ", "wrong on small"});
  CHECK_FALSE(contains(wrong.out, "  right "));
}

TEST_CASE("--seed decides the random values, and nothing else does") {
  const std::string command = program("sign of the sine") + "--seed ";
  const auto faults_of = [](const Outcome& got, const char* which) {
    const std::size_t at = got.out.find(std::string("wrong on ") + which);
    REQUIRE(at != std::string::npos);
    return got.out.substr(at, got.out.find("\n\n", at) - at);
  };
  const Outcome one = run(command + "1"), two = run(command + "2"), again = run(command + "1");
  CHECK(one.out == again.out);
  CHECK(one.out == run(program("sign of the sine")).out);  // the default is 1
  CHECK(faults_of(one, "random") != faults_of(two, "random"));
  CHECK(faults_of(one, "far") != faults_of(two, "far"));
  CHECK(faults_of(one, "small") == faults_of(two, "small"));
}

}  // namespace ropewalk::testing
