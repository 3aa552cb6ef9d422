#!/usr/bin/env bash
# ./run from its command line to its exit code, in a small copy of the repository whose cmake, compilers and chapters are fake.
# shellcheck disable=SC2016  # the fake chapters expand their variables themselves
set -euo pipefail
# shellcheck source=cmake/tests/testing.sh
source "$(dirname "${BASH_SOURCE[0]}")/testing.sh"

copy="$sandbox/a copy" # the path has a space on purpose
mkdir -p "$copy/cmake" "$copy/common"
cp "$repository/run" "$copy/"
cp "$repository"/cmake/*.sh "$repository/cmake/cuda_wheels.txt" "$copy/cmake/"
echo '{}' >"$copy/CMakePresets.json"

# chapter <name> <script>: what its program does. Each records its arguments, one a line.
chapter() {
  mkdir -p "$copy/chapters/$1"
  touch "$copy/chapters/$1/CMakeLists.txt"
  printf '# The chapter %s\n' "$1" >"$copy/chapters/$1/README.md"
  printf '#!/usr/bin/env bash\nprintf "%%s\\n" "$@" >"%s"\n%s\n' "$sandbox/arguments-$1" "$2" >"$copy/chapters/$1/program"
}
success='if [[ -n ${ROPEWALK_SUMMARY:-} ]]; then printf "%s\tCPU executor\t12\t0.25\tsuccess\n" "$(basename "$0")" >>"$ROPEWALK_SUMMARY"; fi
echo "Success! RoPE matches expected results."'

fake cmake <<END
printf '%s ' "\$@" >>$sandbox/cmake-calls; echo >>$sandbox/cmake-calls
case \$1 in
  --preset) mkdir -p "build/\$2/bin"; touch "build/\$2/build.ninja" ;;
  --build)
    folder=\$2; shift 4
    if [[ \${1:-} == --target ]]; then shift; fi
    for name in "\$@"; do
      if [[ -e $sandbox/broken-\$name ]]; then echo "error: \$name does not compile"; exit 1; fi
      cp "\$folder/../../chapters/\$name/program" "\$folder/bin/\$name"; chmod +x "\$folder/bin/\$name"
    done ;;
esac
END
fake ninja <<<:
fake g++ <<'END'
case $1 in
  -dumpversion) echo 12 ;;
  -print-file-name=*) echo "/lib/${1#*=}" ;;
  -E) cat >/dev/null ;;
esac
END
fake_gpu() {
  fake nvidia-smi <<<'if [[ $* == *compute_cap* ]]; then echo "580.65, 8.9, NVIDIA L4"; else echo "CUDA Version: 13.0 "; fi'
  fake nvcc <<'END'
if [[ $1 == --version ]]; then echo 'Cuda compilation tools, release 13.4, V13.4.1'; else printf 'sm_%s\n' 75 80 89 90; fi
END
  mkdir -p "$sandbox/libraries"
  touch "$sandbox/libraries/libcuda.so.1"
  export LD_LIBRARY_PATH=$sandbox/libraries
}
no_gpu() { # a driver that does not answer hides the machine's own
  fake nvidia-smi <<<'echo "No devices were found"; exit 6'
}

# run <argument>...: sets code, out and errors
run() {
  code=0
  "$copy/run" "$@" >"$sandbox/out" 2>"$sandbox/errors" </dev/null || code=$?
  out=$(<"$sandbox/out") errors=$(<"$sandbox/errors")
}
arguments() { xargs <"$sandbox/arguments-$1"; }
forget() { rm -f "$sandbox"/arguments-* "$sandbox/cmake-calls"; }

chapter 01_first "$success"
chapter 02_second "$success"
chapter 03_third "$success"
chapter 10_tenth "$success"
no_gpu

# --- words about itself ---
run --help
expect '--help' 0 "$code"
expect_match '--help' '^usage: ./run ' "$out"
run --list
expect '--list names every chapter' '01_first 02_second 03_third 10_tenth' "$(awk '{ print $1 }' "$sandbox/out" | xargs)"
expect_match '--list shows the titles' '03_third +The chapter 03_third' "$out"
expect 'neither of them builds' no "$([[ -e $sandbox/cmake-calls ]] && echo yes || echo no)"

# --- which chapter ---
for word in 03 3 03_third 03_t 03_; do
  forget
  run "$word"
  expect "chapter '$word'" '0 Success! RoPE matches expected results.' "$code $(tail -n 1 "$sandbox/out")"
  expect "chapter '$word' and no other" arguments-03_third "$(cd "$sandbox" && echo arguments-*)"
done
run 1
expect '1 is chapter 01, although 10 begins with it too' 0 "$code"
for word in 4 99 nothing third 03_third_and_more; do
  run "$word"
  expect "unknown chapter '$word'" 2 "$code"
  expect "unknown chapter '$word': one line" "run: unknown chapter '$word': there are 01_first 02_second 03_third 10_tenth" "$errors"
done
chapter 10_twin "$success"
run 10
expect 'ambiguous' "2 run: '10' may be any of: 10_tenth 10_twin" "$code $errors"
rm -r "$copy/chapters/10_twin" "$copy/chapters/10_tenth"
run ''
expect 'an empty word' 2 "$code"

# --- whose option is it ---
forget
run --yes 03 --tokens 5 --cpu --csv 'a b.csv' --trace --help --list
expect 'options for the chapter' '--tokens 5 --csv a b.csv --help --list --trace' "$(arguments 03_third)"
expect 'one argument stays one' 'a b.csv' "$(sed -n 4p "$sandbox/arguments-03_third")"
run --trace 02
expect '--trace before the number is passed on' '--trace' "$(arguments 02_second)"
expect '--trace chooses its build' 1 "$(grep -c -e '--preset cpu-trace -DCMAKE_CXX_COMPILER=.*/g++$' <(tr -s ' ' <"$sandbox/cmake-calls" | sed 's/ $//') || true)"
expect '... and says so' 'Device: the CPU executor (which traces the kernels)' "$(head -n 1 "$sandbox/out")"
run 02 --trace --gpu
expect '--trace and --gpu' '2 run: --trace runs on the CPU executor: it does not go with --gpu' "$code $errors"
run --tokens 5
expect 'options without a chapter go to all' '--tokens 5' "$(arguments 01_first)"
run 03 --cpu --gpu
expect '--cpu and --gpu' '2 run: --cpu and --gpu exclude each other' "$code $errors"

# --- exit codes ---
for status in 0 1 2 3 77 139; do
  chapter 03_third "exit $status"
  run 03
  expect "one chapter's own exit code" $status "$code"
done
chapter 03_third "$success"
run
expect 'all succeed' 0 "$code"
expect 'no error output' '' "$errors"
expect 'the table' 'chapter device checks worst error / tolerance result
01_first CPU executor 12 0.25 success
02_second CPU executor 12 0.25 success
03_third CPU executor 12 0.25 success' "$(tail -n 4 "$sandbox/out" | tr -s ' ')"
run all
expect 'all by name' 0 "$code"
chapter 02_second 'echo "mismatch at b 0" >&2; exit 1'
run
expect 'one fails' 1 "$code"
expect_match 'the others run all the same' '03_third +CPU executor +12 +0.25 +success' "$out"
expect_match 'the table says so' '02_second +- +- +- +FAILED \(exit code 1\)' "$out"
expect 'its errors are on stderr' 'mismatch at b 0' "$errors"
chapter 02_second 'if [[ -n ${ROPEWALK_SKIP_UNSUPPORTED:-} ]]; then echo "skipped: no --vectors here"; exit 77; else exit 2; fi'
run --vectors x
expect 'under all, what a chapter does not have skips it' 0 "$code"
expect_match 'with the reason in the table' '02_second +- +- +- +skipped: no --vectors here$' "$(grep '^02_second' "$sandbox/out")"
run 02 --vectors x
expect 'alone it is an error' 2 "$code"
for name in 01_first 03_third; do chapter $name 'exit 77'; done
run
expect 'all are skipped' 77 "$code"
for name in 01_first 02_second 03_third; do chapter $name "$success"; done

# --- the folder of --csv ---
cd "$sandbox"
run --csv 'new folder'
expect '--csv names a folder under all' '--csv new folder/02_second.csv' "$(arguments 02_second)"
expect 'which is made' yes "$([[ -d 'new folder' ]] && echo yes)"
run --csv=other
expect 'the same, spelled with =' '--csv=other/03_third.csv' "$(arguments 03_third)"
touch file
run --csv file
expect 'a file is no folder' '2 run: --csv: cannot write into the folder file' "$code $errors"

# --- building ---
forget
run 03
expect 'a second run does not configure' 0 "$(grep -c -e --preset "$sandbox/cmake-calls" || true)"
echo '{ }' >"$copy/CMakePresets.json"
run 03
expect 'changed presets do' 1 "$(grep -c -e --preset "$sandbox/cmake-calls")"
touch "$sandbox/broken-03_third"
run 03
expect 'a build that fails' 1 "$code"
expect_match 'shows the end of the log and its place' "does not compile" "$errors"
expect_match 'shows the end of the log and its place' "building 03_third failed; the end of $copy/build/cpu-build.log" "$errors"
rm "$sandbox/broken-03_third"

# --- the device ---
run 03
expect 'no GPU' 'Device: the CPU executor (the NVIDIA driver is there but finds no GPU)' "$(head -n 1 "$sandbox/out")"
forget
run 03 --gpu
expect '--gpu without one' '77 skipped: the NVIDIA driver is there but finds no GPU' "$code $out"
expect 'and nothing is built' no "$([[ -e $sandbox/cmake-calls ]] && echo yes || echo no)"
fake_gpu
run 03
expect 'a GPU' 'Device: NVIDIA L4 (driver 580.65, nvcc 13.4)' "$(head -n 1 "$sandbox/out")"
expect_match 'machine code for it' "--preset cuda .*-DROPEWALK_CUDA_ARCHS=89" "$(cat "$sandbox/cmake-calls")"
run 03 --gpu
expect '--gpu' 0 "$code"
run --cpu 03
expect '--cpu' 'Device: the CPU executor (as asked with --cpu)' "$(head -n 1 "$sandbox/out")"
# A chapter of tile kernels needs more: without it, it runs on the CPU executor, and the others where they were.
echo 'ropewalk_chapter(03_third TILES)' >"$copy/chapters/03_third/CMakeLists.txt"
forget
run 03
expect 'tiles on the GPU' 'Device: NVIDIA L4 (driver 580.65, nvcc 13.4)' "$(head -n 1 "$sandbox/out")"
expect_match 'from its preset' 'build/cuda ' "$(cat "$sandbox/cmake-calls")"
fake nvcc <<'END'
if [[ $1 == --version ]]; then echo 'Cuda compilation tools, release 13.0, V13.0.1'; else printf 'sm_%s\n' 75 80 89 90; fi
END
forget
run 03
expect 'an older toolkit' '03_third: on the CPU executor (CUDA Tile C++ needs nvcc 13.3, this is 13.0)' "$(sed -n 2p "$sandbox/out")"
expect 'runs it' 0 "$code"
expect_match 'from the CPU preset' 'build/cpu ' "$(cat "$sandbox/cmake-calls")"
run 03 --gpu
expect '--gpu without tiles' '77 skipped: CUDA Tile C++ needs nvcc 13.3, this is 13.0' "$code $(tail -n 1 "$sandbox/out")"
run --gpu
expect_match 'and under all' '03_third +- +- +- +skipped: CUDA Tile' "$out"
forget
run 02
expect_match 'another chapter stays on the GPU' 'build/cuda ' "$(cat "$sandbox/cmake-calls")"
fake_gpu
fake nvidia-smi <<<'if [[ $* == *compute_cap* ]]; then echo "580.65, 7.5, NVIDIA T4"; else echo "CUDA Version: 13.0 "; fi'
run 03
expect_match 'an older GPU' '03_third: on the CPU executor .CUDA Tile C.. needs a GPU of compute capability 8.0, this is 7.5.' "$out"
fake_gpu
: >"$copy/chapters/03_third/CMakeLists.txt"
chapter 03_third 'echo "kernel launch failed: cudaErrorUnsupportedPtxVersion (text)" >&2; exit 3'
run 03
expect 'a CUDA error keeps its code' 3 "$code"
expect_match 'and is explained' 'UnsupportedPtxVersion.*The program holds PTX' "$errors"
no_gpu

# --- tracing takes g++ ---
mv "$sandbox/bin/g++" "$sandbox/bin/kept"
fake clang++ <<'END'
case $1 in
  -dumpversion) echo 14 ;;
  --version) echo 'clang version 14' ;;
  -print-file-name=*) echo "/lib/${1#*=}" ;;
  -E) cat >/dev/null ;;
esac
END
run 02
expect 'clang runs a chapter' 0 "$code"
run 02 --trace
expect 'and does not trace it' '2 run: --trace needs g++ 12 or newer: install the package g++' "$code $errors"
mv "$sandbox/bin/kept" "$sandbox/bin/g++"
without clang++

# --- the commit that is handed in ---
chapter 03_third 'echo "$ROPEWALK_COMMIT"'
run 03
expect 'no repository' unknown "$(tail -n 1 "$sandbox/out")"
git_in_copy() { git -C "$copy" -c user.name=a -c user.email=a@b "$@" >/dev/null; }
export HOME=$sandbox GIT_CONFIG_NOSYSTEM=1
git_in_copy init -q -b main
printf '/build/\n' >"$copy/.gitignore"
touch "$copy/chapters/03_third/kernels.cuh" "$copy/common/x.hpp" "$copy/chapters/03_third/program"
git_in_copy add -A
git_in_copy commit -m one
first=$(git -C "$copy" log -1 --format=%h)
echo text >>"$copy/chapters/03_third/README.md"
echo text >"$copy/chapters/03_third/results.csv"
git_in_copy commit -a -m text
run 03
expect 'text and results do not count' "$first" "$(tail -n 1 "$sandbox/out")"
echo '// x' >"$copy/chapters/03_third/kernels.cuh"
run 03
expect 'changed sources' "$first-dirty" "$(tail -n 1 "$sandbox/out")"
git_in_copy commit -a -m kernel
run 03
expect 'a new commit' "$(git -C "$copy" log -1 --format=%h)" "$(tail -n 1 "$sandbox/out")"
touch "$copy/common/new.hpp"
run 03
expect_match 'a new file in common' '-dirty$' "$(tail -n 1 "$sandbox/out")"

# --- two at once ---
chapter 03_third '[[ -e "'"$sandbox"'/finished" ]] && flock --nonblock "'"$copy"'/build/.lock-run" true'
exec 8>"$copy/build/.lock-run"
flock 8
(sleep 1; touch "$sandbox/finished"; flock -u 8) 8>&8 &
run 03
expect_match 'the second waits and says so' '^waiting for another' "$out"
expect 'until the first has built, and holds nothing up while its program runs' 0 "$code"

finish
