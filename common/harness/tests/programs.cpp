/// \file
/// A chapter's program as a user meets it: exit codes, messages and files.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "common/testing/catch.hpp"

namespace {

namespace fs = std::filesystem;

const std::string kSource = ROPEWALK_SOURCE_DIR;
const std::string kNaive = std::string(ROPEWALK_BIN_DIR) + "/03_naive ";
const std::string kReference = std::string(ROPEWALK_BIN_DIR) + "/02_cpu_reference ";

struct Outcome {
  int code;
  std::string out, err;
};

std::string read_file(const fs::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// A folder of this test's own that vanishes with it.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "ropewalk.XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string file(const std::string& name, const std::string& content) const {
    std::ofstream(path_ / name) << content;
    return (path_ / name).string();
  }
  fs::path path() const { return path_; }

 private:
  fs::path path_;
};

Outcome run(const std::string& command) {
  const Folder folder;
  const std::string out = (folder.path() / "out").string(), err = (folder.path() / "err").string();
  const int status = std::system((command + " >" + out + " 2>" + err).c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(out), read_file(err)};
}

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

void expect_success(const std::string& command) {
  const Outcome got = run(command);
  INFO(command << "\n" << got.out << got.err);
  CHECK(got.code == 0);
  CHECK(got.err.empty());
  CHECK(ends_with(got.out, "\nSuccess! RoPE matches expected results.\n"));
}

// One line on stderr that holds every word, exit 2, no success line.
void expect_refusal(const std::string& command, const std::vector<std::string>& words) {
  const Outcome got = run(command);
  INFO(command << "\n" << got.out << got.err);
  CHECK(got.code == 2);
  CHECK(std::count(got.err.begin(), got.err.end(), '\n') == 1);
  CHECK(got.out.find("Success") == std::string::npos);
  for (const std::string& word : words) {
    INFO(word);
    CHECK(got.err.find(word) != std::string::npos);
  }
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
  expect_success(kReference + "--style interleaved --head-dim 64");
}

TEST_CASE("test vectors: the ones that apply succeed, the others are refused by name") {
  int applied = 0, interleaved = 0, refused = 0;
  for (const auto& entry : fs::directory_iterator(kSource + "/common/vectors")) {
    if (entry.path().extension() != ".json") continue;
    const std::string text = read_file(entry.path());
    const auto has = [&](const char* field) { return text.find(field) != std::string::npos; };
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
  expect_refusal(kNaive + "--variant fast", {"--variant", "fast", "table"});
  expect_refusal(kNaive + "--position-offset 2147483647", {"--position-offset", "32 bits"});
  expect_refusal(kNaive + "--frobnicate", {"--frobnicate", "--tokens"});
  expect_refusal(kNaive + "--tokens", {"--tokens"});
  expect_refusal(kNaive + "--tokens 1 --tokens 2", {"--tokens"});
  expect_refusal(kNaive + "stray", {"stray"});
  expect_refusal(kNaive + "--seq-len 5", {"--seq-len"});
  expect_refusal(kNaive + "--trace", {"--trace"});
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
  CHECK(run(kNaive + "--list").out.find("row_per_block") != std::string::npos);
  CHECK(run(kNaive + "--schedule --base 500000").out.find("0.814617234") != std::string::npos);
}

TEST_CASE("under ./run all, what a chapter does not have skips it") {
  const Outcome got = run("ROPEWALK_SKIP_UNSUPPORTED=1 " + kNaive + "--style interleaved");
  CHECK(got.code == 77);
  CHECK(got.out.find("skipped: --style") != std::string::npos);
  CHECK(run("ROPEWALK_SKIP_UNSUPPORTED=1 " + kNaive + "--style diagonal").code == 2);
}
