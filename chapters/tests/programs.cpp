/// \file
/// The chapters' programs as a user meets them: exit codes, messages and files.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "common/harness/tests/process.hpp"
#include "common/testing/catch.hpp"

namespace {

using namespace ropewalk::testing;
namespace fs = std::filesystem;

const std::string kSource = ROPEWALK_SOURCE_DIR;
const std::string kRotation = std::string(ROPEWALK_BIN_DIR) + "/01_rotation ";
const std::string kReference = std::string(ROPEWALK_BIN_DIR) + "/02_cpu_reference ";
const std::string kNaive = std::string(ROPEWALK_BIN_DIR) + "/03_naive ";
const std::string kSharedMemory = std::string(ROPEWALK_BIN_DIR) + "/04_shared_memory ";
const std::string kTiles = std::string(ROPEWALK_BIN_DIR) + "/05_tile_api ";
const std::string kInterleaved = std::string(ROPEWALK_BIN_DIR) + "/06_interleaved ";
const std::string kPartial = std::string(ROPEWALK_BIN_DIR) + "/07_partial_and_strided ";

std::string vectors(const char* name) {
  return "--vectors " + kSource + "/common/vectors/" + name + ".json ";
}

// A file with one piece of its text replaced.
std::string changed(const std::string& path, const std::string& from, const std::string& to) {
  std::string text = read_file(path);
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("what must succeed") {
  expect_success(kNaive + "--config " + kSource + "/common/models/llama-3-8b.json");
  expect_success(kNaive + "--config " + kSource + "/common/models/gpt-neox-20b.json");
  expect_success(kNaive + "--dtype bf16 --kv-heads 1 --head-dim 80");
  expect_success(kNaive + "--dtype f16 --tokens 1 --batch 3 --position-offset -5");
  expect_success(kNaive + "--tokens 0");
  expect_success(kNaive + "--kv-heads 0 --q-heads 3 --head-dim 6 --rotary-dim 2");
  expect_success(kNaive + "--variant angles --base 1000000 --seed 18446744073709551615");
  expect_success(kNaive + "--position-offset -2147483648 --tokens 2");
  for (const std::string& program : {kTiles, kInterleaved, kPartial})
    expect_success(program + "--dtype bf16");
  expect_success(kReference + "--style interleaved --head-dim 64");
  expect_success(kRotation + "--tokens 100 --head-dim 64");
}

TEST_CASE("a chapter is checked on the small, the random and the far case") {
  for (const auto& [program, styles, variants] : {std::tuple{kNaive, 1, 4}, std::tuple{kReference, 2, 3}}) {
    const Folder folder;
    const std::string path = (folder.path() / "rows.csv").string();
    expect_success(program + "--csv " + path);
    std::map<std::string, int> rows;  // by case
    std::istringstream lines(read_file(path));
    for (std::string line; std::getline(lines, line);) {
      std::istringstream cells(line);
      std::string cell;
      for (int i = 0; i < 9; ++i) std::getline(cells, cell, ',');
      ++rows[cell];
    }
    for (const char* name : {"small", "random", "far"}) {
      INFO(program << name);
      CHECK(rows[name] == styles * variants);
    }
  }
}

TEST_CASE("a test vector that is wrong is not believed") {
  const Folder folder;
  const std::string good = kSource + "/common/vectors/llama-2-7b.json";
  const std::string frequency =
      folder.file("frequency.json", changed(good, "\"inv_freq\":[1.0,", "\"inv_freq\":[1.0000001,"));
  for (const std::string& program : {kReference, kNaive})
    expect_mismatch(program + "--vectors " + frequency,
                    {"frequencies on llama-2-7b", ": 1 faults", "pair 0: the vector's frequency is 1.00000"});

  const std::string result = folder.file("y.json", changed(good, "\"y\":[0.75,", "\"y\":[0.85,"));
  expect_mismatch(kNaive + "--vectors " + result, {"table on llama-2-7b: 2 faults", "q[b=0 t=0 h=0] pair 0"});
  expect_mismatch(kReference + "--vectors " + result, {"oracle on llama-2-7b: 1 faults"});

  // Only the variant with float angles is compared with those results.
  const std::string angles =
      folder.file("angles.json", changed(good, "\"y_f32_angle\":[0.75,", "\"y_f32_angle\":[0.76,"));
  const Outcome got = expect_mismatch(kNaive + "--vectors " + angles,
                                      {"angles on llama-2-7b: 2 faults", "expected 0.76, got 0.75"});
  CHECK_FALSE(contains(got.out, "table on llama-2-7b"));
}

TEST_CASE("every model's file succeeds or is refused by name") {
  int succeeded = 0, refused = 0;
  for (const auto& entry : fs::directory_iterator(kSource + "/common/models")) {
    if (entry.path().extension() != ".json") continue;
    const std::string file = entry.path().filename().string();
    for (const std::string& program : {kReference, kNaive}) {
      const std::string command = program + "--tokens 2 --batch 1 --config " + entry.path().string();
      const int code = run(command).code;
      INFO(command);
      if (code == 0) {
        ++succeeded;
        expect_success(command);
      } else {
        ++refused;
        expect_refusal(command, {file});
      }
    }
  }
  CHECK(succeeded >= 20);
  CHECK(refused >= 8);
}

TEST_CASE("an option wins over the model's file, and takes nothing else with it") {
  // 24 of 96 channels turn in GPT-NeoX-20B: another head_dim does not change the 24.
  const Outcome got =
      expect_success(kNaive + "--config " + kSource + "/common/models/gpt-neox-20b.json --head-dim 64");
  CHECK(contains(got.out, "  rotary    24 of 64 channels, half style, base 10000,"));
  CHECK(contains(expect_success(kNaive + "--head-dim 64").out, "  rotary    64 of 64 channels"));
}

TEST_CASE("test vectors: the ones that apply succeed, the others are refused by name") {
  int applied = 0, interleaved = 0, refused = 0;
  for (const auto& entry : fs::directory_iterator(kSource + "/common/vectors")) {
    if (entry.path().extension() != ".json") continue;
    const std::string text = read_file(entry.path());
    const auto has = [&](const char* field) { return contains(text, field); };
    const bool plain = !has("\"op\":\"") && has("\"layout\":\"1d\"") && has("\"rope_type\":\"default\"");
    const bool half = has("\"style\":\"half\"");
    const std::string option = "--vectors " + entry.path().string();
    if (plain) {
      expect_success(kReference + option);
      half ? ++applied : ++interleaved;
    } else {
      ++refused;
      expect_refusal(kReference + option, {entry.path().filename().string(), "implemented"});
    }
    if (plain && half) {
      expect_success(kNaive + option);
    } else {
      expect_refusal(kNaive + option, {entry.path().filename().string(), "implemented"});
    }
  }
  CHECK(applied >= 8);
  CHECK(interleaved >= 4);
  CHECK(refused >= 15);
  expect_refusal(kNaive + "--vectors " + kSource + "/common/vectors/qwen2.5-7b-yarn4.json",
                 {"yarn", "default"});
}

TEST_CASE("bad options: the option and what is allowed, exit 2") {
  expect_refusal(kNaive + "--rotary-dim 3", {"--rotary-dim", "3", "even"});
  expect_refusal(kNaive + "--rotary-dim 0", {"--rotary-dim", "0"});
  expect_refusal(kNaive + "--rotary-dim 66 --head-dim 64", {"--rotary-dim", "66", "64"});
  expect_refusal(kNaive + "--head-dim 64 --rotary-dim 33", {"--rotary-dim", "33"});
  expect_refusal(kNaive + "--dtype f8", {"--dtype", "f8", "f32, f16, bf16"});
  expect_refusal(kNaive + "--style diagonal", {"--style", "diagonal", "half", "interleaved"});
  expect_refusal(kNaive + "--style interleaved", {"--style", "interleaved", "half"});
  expect_refusal(kReference + "--dtype bf16", {"--dtype", "bf16", "f32"});
  expect_refusal(kNaive + "--tokens many", {"--tokens", "many", "whole number"});
  expect_refusal(kNaive + "--tokens -1", {"--tokens", "-1"});
  expect_refusal(kNaive + "--tokens 1.5", {"--tokens", "1.5"});
  expect_refusal(kNaive + "--tokens 99999999999999999999", {"--tokens"});
  expect_refusal(kNaive + "--tokens 1000000000", {"--tokens", "memory"});
  expect_refusal(kNaive + "--tokens 1000000000 --batch 1000000000", {"--tokens", "2^60"});
  expect_refusal(kNaive +
                     "--tokens 1000000000 --batch 1000000000 --position-offset -2147483648 --q-heads 65536 "
                     "--head-dim 65536",
                 {"allowed"});
  expect_refusal(kNaive + "--base nan", {"--base", "nan"});
  expect_refusal(kNaive + "--base inf", {"--base", "inf"});
  expect_refusal(kNaive + "--base 0", {"--base"});
  expect_refusal(kNaive + "--base -10000", {"--base"});
  expect_refusal(kNaive + "--q-heads 7 --kv-heads 2", {"--kv-heads", "2", "7"});
  expect_refusal(kNaive + "--q-heads 7", {"--kv-heads", "2", "7"});
  expect_refusal(kNaive + "--tokens 1100000 --q-heads 1 --kv-heads 0 --head-dim 2", {"--tokens", "1048576"});
  expect_refusal(kNaive + vectors("llama-2-7b") + "--tokens 5", {"--vectors", "--tokens"});
  expect_refusal(kNaive + vectors("llama-2-7b") + "--seed 5", {"--vectors", "--seed"});
  expect_refusal(kNaive + vectors("llama-2-7b") + "--schedule", {"--vectors", "--schedule"});
  expect_refusal(kNaive + "--schedule --csv /nowhere/rows.csv", {"--schedule", "--csv"});
  expect_refusal(kNaive + "--list --csv /nowhere/rows.csv", {"--list", "--csv"});
  expect_refusal(kNaive + "--variant fast", {"--variant", "fast", "table"});
  expect_refusal(kNaive + "--position-offset 2147483647", {"--position-offset", "32 bits"});
  expect_refusal(kNaive + "--frobnicate", {"--frobnicate", "--tokens"});
  expect_refusal(kNaive + "--tokens", {"--tokens"});
  expect_refusal(kNaive + "--tokens 1 --tokens 2", {"--tokens"});
  expect_refusal(kNaive + "stray", {"stray"});
  expect_refusal(kNaive + "--seq-len 5", {"--seq-len"});
  expect_refusal(kNaive + "--trace", {"--trace", "./run 03 --trace"});
  expect_refusal(kReference + "--bench", {"--bench"});
#ifndef ROPEWALK_CUDA
  expect_refusal(kNaive + "--bench", {"--bench", "CPU"});
#endif
}

TEST_CASE("bad files: the file, the field and what is allowed, exit 2") {
  const Folder folder;
  const auto config = [&](const std::string& text) {
    return kNaive + "--config " + folder.file("config.json", text);
  };
  expect_refusal(kNaive + "--config /nowhere.json", {"/nowhere.json"});
  expect_refusal(kNaive + "--config " + folder.path().string(), {folder.path().string()});
  expect_refusal(kNaive + "--config /dev/null", {"/dev/null"});
  expect_refusal(config(""), {"config.json"});
  expect_refusal(config("not json"), {"config.json", "JSON"});
  expect_refusal(config("[1, 2]"), {"config.json"});
  const std::string good =
      R"("model_type":"llama","num_attention_heads":4,"num_key_value_heads":2,"head_dim":8)";
  expect_success(config("{" + good + R"(,"rope_theta":10000.0})"));
  expect_refusal(config("{" + good + R"(,"rope_theta":NaN})"), {"config.json"});
  expect_refusal(config("{" + good + R"(,"rope_theta":"big"})"), {"rope_theta"});
  expect_refusal(config("{" + good + R"(,"rope_theta":-1})"), {"rope_theta"});
  expect_refusal(config("{" + good + R"(,"rope_theta":1e999})"), {"config.json"});
  expect_refusal(config("{" + good + R"(,"rope_theta":1e4,"rope_scaling":{"type":"yarn","factor":4}})"),
                 {"yarn", "default"});
  expect_refusal(config("{" + good + R"(,"rope_theta":1e4,"rope_scaling":{"type":"spiral"}})"),
                 {"spiral", "default"});
  expect_refusal(config("{" + good + R"(,"rope_theta":1e4,"partial_rotary_factor":0.4})"), {"rotary"});
  expect_refusal(
      config(R"({"model_type":"llama","num_attention_heads":3,"num_key_value_heads":2,"head_dim":8})"),
      {"config.json"});
  expect_refusal(
      config(R"({"model_type":"unheard-of","num_attention_heads":4,"head_dim":8,"rope_theta":1e4})"),
      {"unheard-of"});
  expect_refusal(kNaive + "--vectors /nowhere.json", {"/nowhere.json"});
  expect_refusal(kNaive + "--vectors " + folder.file("v.json", "{}"), {"v.json", "format"});
  expect_refusal(kNaive + "--vectors " + folder.file("big.json", std::string(17u << 20, ' ')), {"big.json"});
}

TEST_CASE("the CSV is written whole or not at all") {
  const Folder folder;
  const std::string path = (folder.path() / "rows.csv").string();
  expect_success(kNaive + "--dtype bf16 --csv " + path);
  std::istringstream lines(read_file(path));
  std::string heading, row;
  std::getline(lines, heading);
  CHECK(heading ==
        "device,sm,driver,toolkit,date,commit,chapter,variant,case,tokens,q_heads,kv_heads,head_dim,rotary_"
        "dim,dtype,style,"
        "median_us,p5_us,p95_us,stream_us,bytes,gbps,fraction_of_copy,reference_copy_us,empty_kernel_us,max_"
        "error,tolerance");
  int rows = 0;
  while (std::getline(lines, row)) {
    ++rows;
    CHECK(std::count(row.begin(), row.end(), ',') == std::count(heading.begin(), heading.end(), ','));
    CHECK(row.find(",03_naive,") != std::string::npos);
    CHECK(row.find(",bf16,half,") != std::string::npos);
#ifndef ROPEWALK_CUDA
    CHECK(row.find("half,,,,,,,,,,") != std::string::npos);  // a CPU run has no times
#endif
  }
  CHECK(rows == 12);
  expect_refusal(kNaive + "--csv /nowhere/rows.csv", {"--csv", "/nowhere/rows.csv"});
  expect_refusal(kNaive + "--csv " + folder.path().string(), {"--csv"});
  CHECK(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()) ==
        1);  // no half-written rest
}

TEST_CASE("a disk without space left") {
  const Outcome got = run(kNaive + "--csv /dev/full");
  CHECK(got.code == 2);
  CHECK(got.err.find("/dev/full") != std::string::npos);
  CHECK(got.out.find("Success") == std::string::npos);
}

TEST_CASE("numbers are read and written with points in every locale") {
  expect_success("LC_ALL=de_DE.UTF-8 " + kNaive + "--base 10000.5");
}

TEST_CASE("help, list and the schedule") {
  for (const char* option : {"--help", "--list", "--schedule"}) {
    const Outcome got = run(kNaive + option);
    INFO(option);
    CHECK(got.code == 0);
    CHECK(got.err.empty());
    CHECK(got.out.find("Success") == std::string::npos);
  }
  CHECK(run(kNaive + "--help").out.find("--position-offset") != std::string::npos);
  CHECK(run(kNaive + "--help").out.find("./run NN --trace") != std::string::npos);
  CHECK(run(kNaive + "--list").out.find("row_per_block") != std::string::npos);
  CHECK(run(kNaive + "--schedule --base 500000").out.find("0.814617234") != std::string::npos);
}

TEST_CASE("under ./run all, what a chapter does not have skips it") {
  const Outcome got = run("ROPEWALK_SKIP_UNSUPPORTED=1 " + kNaive + "--style interleaved");
  CHECK(got.code == 77);
  CHECK(got.out.find("skipped: --style") != std::string::npos);
  CHECK(run("ROPEWALK_SKIP_UNSUPPORTED=1 " + kNaive + "--style diagonal").code == 2);
}

TEST_CASE("a chapter may refuse sizes that its kernels cannot do") {
  const std::string too_wide = kSharedMemory + "--tokens 1 --head-dim 12290";
  expect_refusal(too_wide, {"--rotary-dim", "12290", "allowed: up to 12288"});
  expect_success(too_wide + " --rotary-dim 12288");
  const Outcome got = run("ROPEWALK_SKIP_UNSUPPORTED=1 " + too_wide);
  CHECK(got.code == 77);
  CHECK(got.out.find("skipped: --rotary-dim") != std::string::npos);
}

TEST_CASE("a window anywhere in the head, or a refusal") {
  const Outcome end =
      expect_success(kPartial + "--head-dim 192 --rotary-dim 64 --rotary-offset 128 --style interleaved");
  CHECK(contains(end.out, "  rotary    64 of 192 channels from channel 128 on, interleaved style,"));
  expect_success(kPartial + vectors("gpt-neox-20b") + "--dtype bf16");
  expect_success(kPartial + vectors("glm-4-9b-0414"));
  expect_refusal(kPartial + "--rotary-dim 0", {"--rotary-dim", "0"});
  expect_refusal(kPartial + "--rotary-dim 33", {"--rotary-dim", "33", "even"});
  expect_refusal(kPartial + "--rotary-dim 130", {"--rotary-dim", "130", "128"});
  expect_refusal(kPartial + "--rotary-offset 15", {"--rotary-offset", "15 is odd", "from 0 to", "64"});
  expect_refusal(kPartial + "--rotary-offset 66", {"--rotary-offset", "66", "out of the head", "64"});
  expect_refusal(kPartial + "--rotary-offset -2", {"--rotary-offset", "-2"});
  expect_refusal(kPartial + vectors("gpt-neox-20b") + "--rotary-offset 2", {"--vectors", "--rotary-offset"});
  // Rows of results have no column for it.
  expect_refusal(kPartial + "--csv /dev/null --rotary-offset 2",
                 {"--rotary-offset: 2", "--csv", "allowed: 0"});
  expect_refusal(kPartial + "--bench --rotary-offset 2", {"--bench"});  // a CPU build refuses every --bench
  expect_success(kPartial + "--csv /dev/null --rotary-offset 0 --variant in_place");
  expect_refusal(kNaive + "--rotary-offset 2", {"--rotary-offset", "03_naive has no such option"});
}
