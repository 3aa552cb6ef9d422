#!/usr/bin/env bash
# The parts of cmake/lint.sh that are this project's own, on a small tree.
set -euo pipefail
real_path=$PATH
# shellcheck source=cmake/tests/testing.sh
source "$(dirname "${BASH_SOURCE[0]}")/testing.sh"
export PATH=$real_path
root=$sandbox/tree
mkdir -p "$root"/common/{gpu,rope/tests,simt/include} "$root/chapters/03_a"
# shellcheck source=cmake/steps.sh
source "$repository/cmake/steps.sh"
trap 'rm -rf "$sandbox"' EXIT
# shellcheck source=cmake/setup.sh
source "$repository/cmake/setup.sh"
# shellcheck source=cmake/lint.sh
source "$repository/cmake/lint.sh"

lines() { for ((i = 0; i < $1; i++)); do echo "int x$i;  // one"; done; }
result() { if "$@" >"$sandbox/out" 2>&1; then echo ok; else echo failed; fi; }

# --- what is a line of code ---
cat >"$root/sample.hpp" <<'END'
/// \file
/* one line */

int a;  // counts
/* three
   lines
*/ int b;
int c; /* here
 goes on */
	// a tab before it
/* x */ int d; /* y */
END
expect 'lines without blanks and comments' 4 "$(code_lines "$root/sample.hpp")"

# --- budgets ---
lines 300 >"$root/common/gpu/a.hpp"
lines 100 >"$root/common/gpu/b.cuh"
expect 'a folder at its limit' ok "$(result check_budgets)"
expect_match 'the sizes are printed' 'common/gpu +400 of +400 lines' "$(<"$sandbox/out")"
lines 1 >"$root/common/gpu/c.hpp"
expect 'a folder above it' failed "$(result check_budgets)"
rm "$root/common/gpu/c.hpp"
for i in 1 2 3 4 5; do lines 400 >"$root/common/rope/tests/t$i.cpp"; done
expect 'tests do not count towards the folder' ok "$(result check_budgets)"
lines 401 >"$root/chapters/03_a/main.cu"
expect 'a file above its limit' failed "$(result check_budgets)"
expect_match 'is named' 'chapters/03_a/main.cu: 401 lines of code, 400 are allowed' "$(<"$sandbox/out")"
rm -r "$root/common/rope/tests" "$root/chapters/03_a/main.cu"

# --- every header alone ---
expect 'headers that compile alone' ok "$(result check_headers)"
echo 'inline std::size_t f() { return 0; }' >"$root/common/gpu/needs_cstddef.hpp"
expect 'one that does not' failed "$(result check_headers)"
expect_match 'is named' 'common/gpu/needs_cstddef.hpp does not compile alone' "$(<"$sandbox/out")"

# --- which files clang-tidy sees ---
fake ninja <<END
cat <<'DEPS'
rope.o: #deps 3, deps mtime 1 (VALID)
    $root/common/rope/types.cpp
    /usr/include/stdlib.h

main.o: #deps 2, deps mtime 1 (VALID)
    $root/chapters/03_a/main.cpp
    $root/common/simt/include/cuda_runtime.h

main.cu.o: #deps 2, deps mtime 1 (VALID)
    $root/build/x/main.cu.cpp
    $root/chapters/03_a/main.cu

last.o: #deps 1, deps mtime 1 (VALID)
    $root/common/rope/last.cpp
DEPS
END
expect 'host code only' 'common/rope/last.cpp common/rope/types.cpp' "$(PATH=$sandbox/bin:$PATH host_sources | sed "s|$root/||" | xargs)"

finish
