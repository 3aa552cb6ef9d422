# Sourced by the script tests: a sandbox in which only chosen programs exist, and comparison.
# shellcheck shell=bash

# shellcheck disable=SC2034  # used where this is sourced
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
sandbox=$(mktemp -d)
# The script under test sets a trap of its own where it is sourced: see finish.
trap 'rm -rf "$sandbox"' EXIT
checks=0 failures=0

# The sandbox's PATH: everyday tools, but no compiler, no driver, no package manager.
mkdir "$sandbox/bin" "$sandbox/root"
for tool in awk basename bash cat chmod cksum cmp cp cut dirname echo env flock git grep head ls mkdir mktemp mv nproc readlink rm sed seq sleep \
  sort tail tee touch tr true uname wc xargs; do
  if type -P "$tool" >/dev/null; then ln -s "$(type -P "$tool")" "$sandbox/bin/$tool"; fi
done
export PATH=$sandbox/bin
unset CI CUDACXX CUDA_HOME CUDA_PATH CUDA_VISIBLE_DEVICES LD_LIBRARY_PATH CXX CMAKE_BUILD_PARALLEL_LEVEL

# fake <name or path>: a program, its text on stdin, in the sandbox
fake() {
  local file=$1
  if [[ $file != /* ]]; then file=$sandbox/bin/$file; fi
  mkdir -p "$(dirname "$file")"
  { echo '#!/usr/bin/env bash'; cat; } >"$file"
  chmod +x "$file"
}

without() { rm -f "${@/#/$sandbox/bin/}"; }

expect() { # <what> <expected> <actual>
  checks=$((checks + 1))
  if [[ $2 != "$3" ]]; then
    failures=$((failures + 1))
    printf 'FAILED: %s\n  expected: %s\n  actual:   %s\n' "$1" "$2" "$3"
  fi
}

expect_match() { # <what> <extended regular expression> <actual>
  checks=$((checks + 1))
  if ! [[ $3 =~ $2 ]]; then
    failures=$((failures + 1))
    printf 'FAILED: %s\n  expected a match of: %s\n  actual: %s\n' "$1" "$2" "$3"
  fi
}

finish() {
  echo "$checks checks, $failures failed"
  [[ $failures -eq 0 && $checks -gt 0 ]]
}
