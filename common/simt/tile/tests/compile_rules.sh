#!/usr/bin/env bash
# compile_rules.sh <rules.cu> stand-in|toolkit <compiler> [<argument>...]: every rule's wrong line must be refused, with the words that
# rules.cu demands of this header, and the right one compile. The stand-in must say them in its first error.
set -euo pipefail

rules=$1 header=$2
shift 2
failed=0
cases=$(grep -cE '^#(if|elif) CASE ==' "$rules")
for ((number = 1; number <= cases; number++)); do
  name=$(sed -n "s/^#\(if\|elif\) CASE == $number  *\/\/ //p" "$rules")
  words=$(sed -n "/^#\(if\|elif\) CASE == $number /,/^#/s/^ *\/\/ $header: //p" "$rules")
  if ! "$@" -DCASE="$number" -DRIGHT "$rules" >/dev/null 2>&1; then
    echo "FAILED: $name: what is right does not compile"
    "$@" -DCASE="$number" -DRIGHT "$rules" 2>&1 | grep -m 3 error || true
    failed=1
  fi
  if said=$("$@" -DCASE="$number" "$rules" 2>&1); then
    echo "FAILED: $name: what is wrong compiles"
    failed=1
    continue
  fi
  if [[ $header == stand-in ]]; then said=$(grep -m 1 error <<<"$said"); fi
  if [[ -z $words || $said != *"$words"* ]]; then
    echo "FAILED: $name: the message does not say '$words'"
    grep -m 3 -E 'error|not satisfied' <<<"$said" || true
    failed=1
  fi
done
echo "$cases rules"
exit $failed
