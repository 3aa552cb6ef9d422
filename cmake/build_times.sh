#!/usr/bin/env bash
# build_times.sh <build folder>: what each target cost, in seconds of work, from Ninja's log; the slowest first.
set -euo pipefail

log=${1:?usage: build_times.sh BUILD_FOLDER}/.ninja_log
if [[ ! -r $log ]]; then
  echo "no $log: build times are known for Ninja builds only" >&2
  exit 2
fi
# A line is: start ms, end ms, time stamp, output, hash. Rebuilt outputs appear again; the last line counts.
awk -F '\t' '
  /^#/ { next }
  match($4, /CMakeFiles\/[^\/]+\.dir\//) { seconds[$4] = ($2 - $1) / 1000 }
  END {
    for (output in seconds) {
      match(output, /CMakeFiles\/[^\/]+\.dir\//)
      target = substr(output, RSTART + 11, RLENGTH - 16)
      total[target] += seconds[output]
      all += seconds[output]
    }
    for (target in total) printf "%8.1f s  %s\n", total[target], target | "sort -rn"
    close("sort -rn")
    printf "%8.1f s  in all\n", all
  }' "$log"
