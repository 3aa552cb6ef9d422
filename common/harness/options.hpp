/// \file
/// The options of all chapters as words: which there are, which were given. What they mean is
/// command_line.cpp's business.
#pragma once

#include <charconv>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "common/harness/chapter.hpp"

namespace ropewalk {

/// argv, split into options and their words.
class Options {
 public:
  /// Throws NotSupported for an option that only other chapters have and InputError for anything else that
  /// does not belong there. Prints the help if asked.
  Options(int argc, const char* const* argv, const Chapter& chapter);

  bool help() const { return help_; }
  bool given(const std::string& name) const;
  /// Was an option given that is a size of q and k?
  bool size_given() const;
  /// The word, or all words, of an option that was given.
  const std::string& text(const std::string& name) const { return values_.at(name).front(); }
  const std::vector<std::string>& texts(const std::string& name) const { return values_.at(name); }

  /// Reads a number from low to high; leaves `value` alone when the option is not given.
  template <class Number>
  void read(const std::string& name, Number& value, Number low, Number high) const {
    if (!given(name)) return;
    const std::string& word = text(name);
    Number number{};
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc{} || end != word.data() + word.size() || !(number >= low && number <= high))
      refuse_number(name, std::is_integral_v<Number> ? "whole number" : "number", low, high);
    value = number;
  }

 private:
  template <class Number>
  [[noreturn]] void refuse_number(const std::string& name, const char* kind, Number low, Number high) const {
    if constexpr (std::is_integral_v<Number>) {
      refuse_word(name, kind, std::to_string(low), std::to_string(high));
    } else {
      refuse_word(name, kind, shown(low), shown(high));
    }
  }
  [[noreturn]] void refuse_word(const std::string& name, const char* kind, const std::string& low,
                                const std::string& high) const;
  bool has(std::string_view name) const;
  std::string allowed() const;
  void refuse_other_chapters_options(int argc, const char* const* argv) const;
  void refuse_together(const char* option, const char* other) const;

  const Chapter& chapter_;
  std::map<std::string, std::vector<std::string>> values_;
  std::map<std::string, bool> switches_;
  bool help_ = false;
};

}  // namespace ropewalk
