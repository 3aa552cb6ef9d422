# Sourced by ./test: what --lint looks at.
# shellcheck shell=bash
: "${root:?}"

# repository_files <extension>...: the project's own sources, tracked or not yet
repository_files() {
  local extension
  for extension in "$@"; do
    find "$root/common" "$root/chapters" -name "*.$extension" -not -path '*/build/*'
  done | sort
}

lint_step() { # <what> <command>...
  local what=$1 start=$SECONDS
  shift
  if "$@"; then
    printf '%-28s ok (%d s)\n' "$what" $((SECONDS - start))
  else
    printf '%-28s FAILED\n' "$what"
    lint_failed=1
  fi
}

check_format() {
  local wrong
  wrong=$(repository_files cpp hpp cu cuh h | xargs -d '\n' clang-format --dry-run 2>&1 | sed -n 's/^\([^ ]*\):[0-9]*:[0-9]*: .*/\1/p' | uniq)
  if [[ -n $wrong ]]; then
    printf 'to be formatted with clang-format -i:\n%s\n' "${wrong//$root\//  }" >&2
    return 1
  fi
}

# Every header must compile alone: whoever includes it needs nothing else before it.
check_headers() {
  local compiler
  compiler=$(find_compiler)
  # shellcheck disable=SC2016  # expanded by the inner shell
  repository_files hpp cuh h | xargs -d '\n' -P "$(build_jobs)" -I '{}' bash -c '
    echo "#include \"$3\"" | "$1" -std=c++20 -x c++ -fsyntax-only -Wall -Wextra -Werror \
      "-DROPEWALK_SOURCE_DIR=\"\"" -I "$2" -isystem "$2/common/simt/include" - || { echo "$3 does not compile alone" >&2; exit 1; }' \
    lint "$compiler" "$root" '{}'
}

check_clang_build() {
  configure cpu-clang && build cpu-clang 'with clang' && run_tests cpu-clang
}

# clang-tidy 14 cannot parse CUDA's own headers, so it sees the files that reach none.
check_tidy() {
  local -a files
  mapfile -t files < <(host_sources)
  printf '%s\n' "${files[@]}" | xargs -d '\n' -P "$(build_jobs)" -n 1 clang-tidy --quiet -p "$root/build/cpu-clang" 2>/dev/null
}

# The .cpp files whose includes, as Ninja recorded them for the clang build, hold no CUDA header. Without the tests: most of what
# clang-tidy finds there is inside Catch2's macros.
host_sources() {
  ninja -C "$root/build/cpu-clang" -t deps | awk -v root="$root/" '
    function flush() { if (source != "" && !cuda && index(source, root) == 1) print source }
    /^[^ ].*#deps/ { flush(); source = ""; cuda = 0; next }
    /^ / { file = $1; if (source == "" && file ~ /\.cpp$/) source = file; if (file ~ /\/cuda[a-z0-9_]*\.h$/) cuda = 1 }
    END { flush() }' | grep -vE "^$root/build/|/tests/|/tests\.cpp$|/testing/" | sort -u
}

# check_budgets: lines without blanks and comments; tests do not count towards a folder
check_budgets() {
  local failed=0 file lines
  folder_budget gpu 400 || failed=1
  folder_budget harness 1800 || failed=1 # 200 of them lay out strided tensors
  folder_budget rope 1800 || failed=1
  while read -r file; do
    lines=$(code_lines "$file")
    if [[ $lines -gt 400 ]]; then
      echo "${file#"$root"/}: $lines lines of code, 400 are allowed" >&2
      failed=1
    fi
  done < <(repository_files cpp hpp cu cuh h)
  return $failed
}

folder_budget() { # <folder of common> <lines>
  local -a files
  local lines=0
  mapfile -t files < <(repository_files cpp hpp cu cuh h | grep "^$root/common/$1/" | grep -vE '/tests/|/tests?\.c|_tests?\.c')
  if [[ ${#files[@]} -gt 0 ]]; then lines=$(code_lines "${files[@]}"); fi
  printf '  common/%-8s %5d of %5d lines\n' "$1" "$lines" "$2"
  [[ $lines -le $2 ]]
}

# Comments are // to the end of the line and /* ... */ over whole lines, as this book writes them.
code_lines() { # <file>...
  awk '
    inside { if (sub(/^.*\*\//, "")) inside = 0; else next }
    { sub(/\/\/.*/, ""); gsub(/\/\*[^*]*\*\//, ""); if (sub(/\/\*.*/, "")) inside = 1 }
    /[^ \t]/ { lines++ }
    END { print lines + 0 }' "$@"
}

check_scripts() {
  if ! command -v shellcheck >/dev/null; then
    echo '  Skipped: no shellcheck was found'
    return 0
  fi
  (cd "$root" && shellcheck -x run test .ci/run cmake/*.sh cmake/tests/*.sh)
}

test_lint() {
  lint_failed=0
  lint_step 'clang-format' check_format
  lint_step 'line budgets' check_budgets
  lint_step 'scripts' check_scripts
  lint_step 'every header alone' check_headers
  lint_step 'clang build and tests' check_clang_build
  lint_step 'clang-tidy' check_tidy
  if [[ $lint_failed -ne 0 ]]; then
    echo 'lint: FAILED'
    return 1
  fi
  echo 'lint: ok'
}
