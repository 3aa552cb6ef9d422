#!/usr/bin/env bash
# Who may include whom, read off the compiler's own list of included files:
#   - common/'s headers, kernels.cuh and a chapter's main never reach CLI11, {fmt}, nlohmann_json or Catch2; its tests reach Catch2 only
#   - chapters -> harness -> rope and gpu; rope never reaches CUDA, gpu reaches nothing of the book
#   - a chapter includes its own folder and common/, and the kernels.cuh of its BASELINE
set -euo pipefail

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
compiler=${CXX:-g++}
failures=0

libraries='/CLI/|/fmt/|/nlohmann/|/catch2/'
cuda='/cuda[a-z0-9_]*\.h$|common/simt/'

# dependencies <root> <file>: what it includes, directly or not; the book's own files relative to the root
dependencies() {
  local rule
  rule=$("$compiler" -std=c++20 -M -MT x -I "$1" -isystem "$1/common/simt/include" -x c++ "$2") || return 1
  tr -s '[:space:]' '\n' <<<"$rule" | sed "s|^$1/||" | grep -vxF -e "${2#"$1"/}" -e x: -e "\\" || true
}

# rule <file> <dependencies> <pattern> <what the rule says>
rule() {
  local found
  found=$(grep -E "$3" <<<"$2" | head -n 1 || true)
  if [[ -n $found ]]; then
    echo "$1: $4, but it includes $found"
    failures=$((failures + 1))
  fi
}

check_file() { # <root> <file relative to it>
  local root=$1 file=$2 list chapter baseline
  if ! list=$(dependencies "$root" "$root/$file"); then
    echo "$file: its includes cannot be listed"
    failures=$((failures + 1))
    return
  fi
  case $file in
    common/*.hpp | common/*.cuh | common/*.h | chapters/*/kernels.cuh | chapters/*/main.c*)
      rule "$file" "$list" "$libraries" 'may reach none of CLI11, fmt, nlohmann_json, Catch2' ;;
    chapters/*/*tests.c*)
      rule "$file" "$list" "${libraries%|*}" 'may reach none of CLI11, fmt, nlohmann_json' ;;
  esac
  case $file in
    common/rope/*)
      rule "$file" "$list" "$cuda" 'is plain C++ without CUDA'
      rule "$file" "$list" '^common/(gpu|harness)/|^chapters/' 'may include nothing of the book but common/rope' ;;
    common/gpu/*) rule "$file" "$list" '^common/(rope|harness)/|^chapters/' 'may include nothing of the book but common/gpu' ;;
    common/simt/*) rule "$file" "$list" '^common/(rope|gpu|harness)/|^chapters/' 'knows nothing of the book' ;;
    common/harness/*) rule "$file" "$list" '^chapters/' 'may not know a chapter' ;;
    chapters/*)
      chapter=$(cut -d / -f 2 <<<"$file")
      baseline=$(sed -n 's/.*BASELINE *\([0-9a-z_]*\).*/\1/p' "$root/chapters/$chapter/CMakeLists.txt" 2>/dev/null || true)
      rule "$file" "$(grep -v "^chapters/$chapter/" <<<"$list" | grep -vxF "chapters/${baseline:-none}/kernels.cuh")" \
        '^chapters/' "may include no other chapter than the kernels of its baseline ${baseline:-(it names none)}" ;;
  esac
}

check_all() { # <root>
  local file
  while read -r file; do
    check_file "$1" "$file"
  done < <(cd "$1" && find common chapters -name '*.hpp' -o -name '*.cuh' -o -name '*.h' -o -name '*.cpp' -o -name '*.cu' \
    | grep -vE '^common/testing/|^common/([a-z]+/)+tests/|/launch_syntax\.cu$' | sort)
}

# A test that cannot fail is none: each rule must be seen to bite.
prove_that_rules_bite() {
  local broken
  broken=$(mktemp -d)
  trap 'rm -rf "$broken"' RETURN
  mkdir -p "$broken"/common/{rope,gpu,harness,simt/include} "$broken"/chapters/{03_a,04_b,05_c}
  touch "$broken/common/simt/include/cuda_runtime.h" "$broken/chapters/03_a/kernels.cuh" "$broken/common/harness/h.hpp"
  echo 'ropewalk_chapter(04_b BASELINE 03_a)' >"$broken/chapters/04_b/CMakeLists.txt"
  echo 'ropewalk_chapter(05_c)' >"$broken/chapters/05_c/CMakeLists.txt"
  bites() { # <file> <its text> <expected number of failures>
    printf '%s\n' "$2" >"$broken/$1"
    failures=0
    check_file "$broken" "$1" >/dev/null
    rm "$broken/$1"
    if [[ $failures -ne $3 ]]; then
      echo "the rules gave $failures failures instead of $3 for $1 with: $2"
      wrong=$((wrong + 1))
    fi
  }
  local wrong=0
  bites common/gpu/x.hpp '#include <fmt/format.h>' 1
  bites common/harness/x.hpp '#include <CLI/CLI.hpp>' 1
  bites common/harness/x.cpp '#include <CLI/CLI.hpp>' 0
  bites common/rope/x.hpp '#include <nlohmann/json.hpp>' 1
  bites common/rope/x.cpp '#include <cuda_runtime.h>' 1
  bites common/rope/x.cpp '#include "common/harness/h.hpp"' 1
  bites common/gpu/x.cuh '#include <cuda_runtime.h>' 0
  bites common/gpu/x.cuh '#include "common/harness/h.hpp"' 1
  bites common/simt/x.hpp '#include "common/harness/h.hpp"' 1
  bites common/harness/x.cpp '#include "chapters/03_a/kernels.cuh"' 1
  bites chapters/04_b/main.cu '#include "chapters/03_a/kernels.cuh"' 0
  bites chapters/05_c/main.cu '#include "chapters/03_a/kernels.cuh"' 1
  bites chapters/05_c/kernels.cuh '#include <catch2/catch.hpp>' 1
  bites chapters/05_c/main.cpp '#include <fmt/format.h>' 1
  bites chapters/05_c/tests.cu '#include <catch2/catch.hpp>' 0
  bites chapters/05_c/tests.cu '#include <fmt/format.h>' 1
  bites chapters/05_c/trace_tests.cu '#include <fmt/format.h>' 1
  bites chapters/05_c/view_tests.cu '#include <fmt/format.h>' 1
  bites chapters/05_c/tests.cu '#include "not_there.hpp"' 1
  failures=$wrong
}

prove_that_rules_bite 2>/dev/null
check_all "$repository"
if [[ $failures -ne 0 ]]; then exit 1; fi
echo 'every include follows the rules'
