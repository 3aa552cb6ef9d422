/// \file
/// --trace as a user meets it: the last lines, files, refusals.
#include <filesystem>
#include <sstream>
#include <string>

#include "common/harness/tests/process.hpp"
#include "common/testing/catch.hpp"

namespace {

using namespace ropewalk::testing;

std::string program(const char* name) {
  return std::string(ROPEWALK_BIN_DIR) + "/" + name + " ";
}

constexpr const char* kLastLines =
    "\nraces 0, uninitialised reads 0, out of bounds 0\nSuccess! RoPE matches expected results.\n";

}  // namespace

TEST_CASE("a trace ends with its own line before the success line") {
  const Outcome got = expect_success(program("04_shared_memory") + "--trace --variant token_staged");
  CHECK(ends_with(got.out, kLastLines));
  CHECK(contains(got.out,
                 "\ntoken_staged: rope_token_staged<float, FromTable> in 04_shared_memory/kernels.cuh\n"));
  CHECK(contains(got.out, "staged[i] ="));  // the text of a line
}

TEST_CASE("a table marks one line for each kind of memory and is at most 140 columns wide") {
  for (const char* name : {"03_naive", "04_shared_memory", "06_interleaved", "07_partial_and_strided"}) {
    const Outcome got = expect_success(program(name) + "--trace --dtype bf16");
    std::istringstream lines(got.out.substr(got.out.find("\n\n", got.out.find("of its tolerance"))));
    bool shared = false;
    int marks = 0, tables = 0;
    for (std::string line; std::getline(lines, line);) {
      INFO(line);
      CHECK(line.size() <= 140);
      if (contains(line, "  requests  sectors")) {
        ++tables;
        shared = contains(line, "wavefronts");
        marks = 0;
      }
      marks += line.starts_with("*") ? 1 : 0;
      if (line.starts_with("  launch 1:")) CHECK(marks == (shared ? 2 : 1));
    }
    CHECK(tables >= 4);
  }
}

TEST_CASE("without --trace the trace build is like any other") {
  const Outcome got = expect_success(program("03_naive"));
  CHECK_FALSE(contains(got.out, "races"));
  CHECK(contains(run(program("03_naive") + "--help").out, "--trace"));
}

TEST_CASE("chapters without kernels say so") {
  for (const char* name : {"01_rotation", "02_cpu_reference"})
    CHECK(contains(expect_success(program(name) + "--trace").out,
                   "\nnothing to trace: this chapter has no kernels\n"));
  const Folder folder;
  const std::string path = (folder.path() / "trace.csv").string();
  const Outcome got = expect_success(program("02_cpu_reference") + "--trace --csv " + path);
  CHECK(contains(got.out, "--csv: " + path + " is not written, there are no rows\n"));
  CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("tile kernels are not traced, and the program says why") {
  const Outcome got = expect_success(program("05_tile_api") + "--trace --variant masked");
  CHECK(contains(got.out, "\nnothing to trace: a tile kernel does not say which thread accesses what\n"));
  CHECK_FALSE(contains(got.out, "races"));
}

TEST_CASE("test vectors and every dtype can be traced") {
  const std::string vector = std::string(ROPEWALK_SOURCE_DIR) + "/common/vectors/llama-2-7b.json";
  const Outcome got = expect_success(program("03_naive") + "--trace --vectors " + vector);
  CHECK(contains(got.out, "\ntable: rope_table<float>"));
  for (const char* dtype : {"f16", "bf16"})
    CHECK(
        ends_with(expect_success(program("04_shared_memory") + "--trace --dtype " + dtype).out, kLastLines));
  expect_success(program("03_naive") + "--trace --tokens 0");
}

TEST_CASE("--csv writes the trace") {
  const Folder folder;
  const std::string path = (folder.path() / "trace.csv").string();
  expect_success(program("03_naive") + "--trace --variant table --tokens 4 --batch 1 --csv " + path);
  const std::string text = read_file(path);
  CHECK(
      text.find("chapter,variant,kernel,line,access,bytes_per_lane,requests,sectors,ideal_sectors,wavefronts,"
                "ideal_wavefronts,launches\n03_naive,table,rope_table<float>,03_naive/kernels.cuh:") == 0);
  // 4 tokens of 8 + 2 heads are 80 warps: 160 loads of 4 sectors at the pair's line.
  CHECK(contains(text, ",global_load,4,160,640,640,0,0,8x256 2x256\n"));
  CHECK(contains(text, ",global_store,4,80,320,320,0,0,8x256 2x256\n"));
}

TEST_CASE("--trace does not go with what stops before the checks") {
  expect_refusal(program("03_naive") + "--trace --list", {"--list", "--trace"});
  expect_refusal(program("03_naive") + "--trace --schedule", {"--schedule", "--trace"});
}
