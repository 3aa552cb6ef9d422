#!/usr/bin/env bash
# compile_rules.sh <rules.cu> <compiler> [<argument>...]: every rule's wrong line must be refused, and the right one compile.
set -euo pipefail

rules=$1
shift
failed=0
cases=$(grep -cE '^#(if|elif) CASE ==' "$rules")
for ((number = 1; number <= cases; number++)); do
  name=$(sed -n "s/^#\(if\|elif\) CASE == $number  *\/\/ //p" "$rules")
  if ! "$@" -DCASE="$number" -DRIGHT "$rules" >/dev/null 2>&1; then
    echo "FAILED: $name: what is right does not compile"
    "$@" -DCASE="$number" -DRIGHT "$rules" 2>&1 | grep -m 3 error || true
    failed=1
  fi
  if "$@" -DCASE="$number" "$rules" >/dev/null 2>&1; then
    echo "FAILED: $name: what is wrong compiles"
    failed=1
  fi
done
echo "$cases rules"
exit $failed
