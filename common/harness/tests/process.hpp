/// \file
/// Runs a program as a user does, and looks at its exit code, its output and the files it leaves.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "common/testing/catch.hpp"

namespace ropewalk::testing {

struct Outcome {
  int code;
  std::string out, err;
};

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// A folder of this test's own that vanishes with it.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "ropewalk.XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  /// Writes a file and returns its path.
  std::string file(const std::string& name, const std::string& content) const {
    std::ofstream(path_ / name) << content;
    return (path_ / name).string();
  }
  std::filesystem::path path() const { return path_; }
  bool empty() const { return std::filesystem::is_empty(path_); }

 private:
  std::filesystem::path path_;
};

inline Outcome run(const std::string& command) {
  const Folder folder;
  const std::string out = (folder.path() / "out").string(), err = (folder.path() / "err").string();
  const int status = std::system((command + " >" + out + " 2>" + err).c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(out), read_file(err)};
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

inline bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

inline Outcome expect_success(const std::string& command) {
  Outcome got = run(command);
  INFO(command << "\n" << got.out << got.err);
  CHECK(got.code == 0);
  CHECK(got.err.empty());
  CHECK(ends_with(got.out, "\nSuccess! RoPE matches expected results.\n"));
  return got;
}

/// One line on stderr that holds every word, exit 2, no success line.
inline Outcome expect_refusal(const std::string& command, const std::vector<std::string>& words) {
  Outcome got = run(command);
  INFO(command << "\n" << got.out << got.err);
  CHECK(got.code == 2);
  CHECK(std::count(got.err.begin(), got.err.end(), '\n') == 1);
  CHECK_FALSE(contains(got.out, "Success"));
  for (const std::string& word : words) {
    INFO(word);
    CHECK(contains(got.err, word));
  }
  return got;
}

/// Exit 1, where the first fault lies, and no success line.
inline Outcome expect_mismatch(const std::string& command, const std::vector<std::string>& words) {
  Outcome got = run(command);
  INFO(command << "\n" << got.out << got.err);
  CHECK(got.code == 1);
  CHECK(got.err.empty());
  CHECK_FALSE(contains(got.out, "Success"));
  CHECK(ends_with(got.out, "\nFAILED: the result is not what RoPE must give.\n"));
  for (const std::string& word : words) {
    INFO(word);
    CHECK(contains(got.out, word));
  }
  return got;
}

}  // namespace ropewalk::testing
