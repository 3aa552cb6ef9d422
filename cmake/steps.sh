# Sourced by ./run and ./test: messages, long commands with a sign of life, configuring and building. Needs $root.
# shellcheck shell=bash
: "${root:?}"

fail() { # <exit code> <message>
  printf '%s: %s\n' "$(basename "$0")" "$2" >&2
  exit "$1"
}

skip() { # <reason>
  echo "skipped: $1"
  exit 77
}

prepare_build_folder() {
  if ! mkdir -p "$root/build" 2>/dev/null || [[ ! -w $root/build ]]; then fail 2 "cannot write to $root/build"; fi
}

# run_step <what> <log> <command>...: the command's output goes to the log. A command that takes longer than a second shows
# what is going on, a number every ten seconds, and how long it took. On failure: the end of the log and where it lies.
run_step() {
  local what=$1 log=$2 start=$SECONDS shown='' next=10 ticks=0 status=0
  shift 2
  mkdir -p "$(dirname "$log")"
  set -m # a process group of its own, so that Ctrl-C can end all of it
  "$@" >"$log" 2>&1 </dev/null &
  step_pid=$!
  set +m
  while kill -0 "$step_pid" 2>/dev/null; do
    sleep 0.1
    ticks=$((ticks + 1))
    if [[ -z $shown && $ticks -ge 10 ]]; then
      printf '%s ...' "$what"
      shown=yes
    fi
    if [[ $((SECONDS - start)) -ge $next ]]; then
      printf ' %d' $next
      next=$((next + 10))
    fi
  done
  wait "$step_pid" || status=$?
  step_pid=''
  if [[ -n $shown ]]; then printf ' %d s\n' $((SECONDS - start)); fi
  if [[ $status -ne 0 ]]; then
    printf '%s failed; the end of %s:\n' "$what" "$log" >&2
    tail -n 25 "$log" | sed 's/^/  /' >&2
    return 1
  fi
}

step_pid=''
trap 'if [[ -n $step_pid ]]; then echo; kill -- "-$step_pid" 2>/dev/null; fi; exit 130' INT TERM

# lock_build_folder run|test: two of the same command would build in the same folder: the second one waits for the first.
lock_build_folder() {
  command -v flock >/dev/null || return 0
  exec {build_lock}>"$root/build/.lock-$1"
  if ! flock --nonblock "$build_lock"; then
    echo "waiting for another ./$1 to finish building"
    flock "$build_lock"
  fi
}

unlock_build_folder() {
  if [[ -n ${build_lock:-} ]]; then exec {build_lock}>&-; fi
  build_lock=''
}

build_jobs() {
  echo "${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}"
}

# configure <preset> [<cmake argument>...]: only when it was not configured with the same arguments before. Ninja itself looks
# after changed CMakeLists.txt.
configure() {
  local preset=$1 folder=$root/build/$1 wanted
  shift
  wanted="$* $(cksum <"$root/CMakePresets.json")"
  if [[ -f $folder/build.ninja && -f $folder/configured_with && $(<"$folder/configured_with") == "$wanted" ]]; then
    return 0
  fi
  run_step "configuring $preset" "$root/build/$preset-configure.log" \
    env -C "$root" cmake --preset "$preset" "$@" || return 1
  printf '%s\n' "$wanted" >"$folder/configured_with"
}

# build <preset> <what> [<target>...]
build() {
  local preset=$1 what=$2
  shift 2
  run_step "building $what" "$root/build/$preset-build.log" \
    cmake --build "$root/build/$preset" --parallel "$(build_jobs)" ${1:+--target "$@"}
}
