# Sourced by ./run and ./test: what must be installed, and installing it. Needs $root, $assume_yes and steps.sh.
# shellcheck shell=bash
: "${root:?}" "${assume_yes:=no}"

is_root() { [[ $EUID -eq 0 ]]; }
is_interactive() { [[ -t 0 ]]; }

# may_install <what>: asks, unless the answer is known
may_install() {
  if is_root || [[ -n ${CI:-} || $assume_yes == yes ]]; then return 0; fi
  is_interactive || return 1
  local answer=''
  printf 'To install: %s\nGo ahead? [y/N] ' "$1"
  read -r answer || true
  [[ $answer == [yY]* ]]
}

# find_compiler: prints the C++ compiler to use: g++ 12 or clang 14 at least
find_compiler() {
  local name minimum version
  for name in ${CXX:+"$CXX"} g++ g++-14 g++-13 g++-12 clang++; do
    version=$("$name" -dumpversion 2>/dev/null) || continue
    minimum=12
    if "$name" --version 2>/dev/null | grep -q clang; then minimum=14; fi
    if [[ ${version%%.*} -ge $minimum ]]; then
      type -P "$name"
      return 0
    fi
  done
  return 1
}

# find_gcc: prints the g++ to use, 12 at least; the trace build takes no other compiler
find_gcc() {
  local name version
  for name in ${CXX:+"$CXX"} g++ g++-14 g++-13 g++-12; do
    if "$name" --version 2>/dev/null | grep -q clang; then continue; fi
    version=$("$name" -dumpversion 2>/dev/null) || continue
    if [[ ${version%%.*} -ge 12 ]]; then
      type -P "$name"
      return 0
    fi
  done
  return 1
}

# missing_packages: prints the Debian names of what is not there
missing_packages() {
  local compiler=''
  if ! compiler=$(find_compiler); then
    if type -P g++ >/dev/null; then echo g++-12; else echo g++; fi
  fi
  type -P cmake >/dev/null || echo cmake
  type -P ninja >/dev/null || echo ninja-build
  if [[ -z $compiler ]]; then
    missing_headers_by_name
    return
  fi
  has_library "$compiler" boost_context || echo libboost-context-dev
  has_library "$compiler" fmt || echo libfmt-dev
  "$compiler" -E -P -x c++ - 2>/dev/null <<'END'
#if !__has_include(<CLI/CLI.hpp>)
libcli11-dev
#endif
#if !__has_include(<nlohmann/json.hpp>)
nlohmann-json3-dev
#endif
#if !__has_include(<catch2/catch.hpp>) && !__has_include(<catch2/catch_all.hpp>)
catch2
#endif
END
}

has_library() { # <compiler> <name>
  [[ $("$1" -print-file-name="lib$2.so") == /* || $("$1" -print-file-name="lib$2.a") == /* ]]
}

# Without a compiler nobody can be asked for headers; what apt has already, it will not install twice.
missing_headers_by_name() {
  printf '%s\n' libboost-context-dev libfmt-dev libcli11-dev nlohmann-json3-dev catch2
}

# install_packages <package>...: through apt, as root or with sudo
install_packages() {
  local -a as_root=()
  type -P apt-get >/dev/null || return 1
  if ! is_root; then
    type -P sudo >/dev/null || return 1
    as_root=(sudo)
    # The password is asked for now, where it can be seen; later sudo is in the background.
    if is_interactive; then sudo -v || return 1; else sudo -n true 2>/dev/null || return 1; fi
  fi
  run_step "installing $*" "$root/build/apt.log" "${as_root[@]}" bash -c '
    export DEBIAN_FRONTEND=noninteractive
    apt-get -o DPkg::Lock::Timeout=120 update
    apt-get -o DPkg::Lock::Timeout=120 install -y --no-install-recommends "$@"' apt "$@"
}

# is_there <package>: most packages are looked for by a command of their name
is_there() {
  local share=${PREFIX_SHARE:-/usr/share}
  case $1 in
    chromium) type -P chromium >/dev/null || type -P chromium-browser >/dev/null || type -P google-chrome >/dev/null ;;
    chromium-driver) type -P chromedriver >/dev/null || type -P chromium.chromedriver >/dev/null ;;
    doxygen-awesome-css) [[ -e $share/doxygen-awesome-css/doxygen-awesome.css ]] ;;
    libjs-mathjax) [[ -e $share/javascript/mathjax/MathJax.js ]] ;;
    python3-venv) python3 -c 'import ensurepip' 2>/dev/null ;;
    *) type -P "$1" >/dev/null ;;
  esac
}

# need_packages <optional package, or a pattern such as "a|b"> [<further package>...]: installs what is missing or ends the program.
# Optional packages come along with others; alone they are not worth a question.
need_packages() {
  local optional=$1 package missing required
  shift
  missing_now() {
    missing_packages
    for package in "$@"; do is_there "$package" || echo "$package"; done
  }
  missing=$(missing_now "$@" | xargs)
  required=$(tr ' ' '\n' <<<"$missing" | grep -vxE "$optional" | xargs || true)
  [[ -n $required ]] || return 0
  if may_install "$missing (with apt-get)"; then
    # shellcheck disable=SC2086  # a list of words
    install_packages $missing || true
    missing=$(missing_now "$@" | xargs)
    required=$(tr ' ' '\n' <<<"$missing" | grep -vxE "$optional" | xargs || true)
  fi
  [[ -z $required ]] || fail 2 "missing: $required. Install them, on Debian or Ubuntu with: sudo apt-get install $missing"
}

# install_wheels: NVIDIA's compiler from PyPI into .cuda, if that is allowed. A refusal or a failure is remembered there, so that
# a machine that has another nvcc is not asked, and does not try, each time.
install_wheels() {
  local folder=$root/.cuda
  if [[ -f $folder/not_installed.txt && $assume_yes != yes ]]; then return 1; fi
  rm -rf "$folder"
  mkdir -p "$folder" || return 1
  if ! may_install "NVIDIA's CUDA compiler from PyPI into .cuda (590 MB; the list is cmake/cuda_wheels.txt)"; then
    # Nobody was asked when there is no terminal, so nothing is to be remembered.
    if is_interactive; then echo 'declined; remove .cuda/not_installed.txt to be asked again' >"$folder/not_installed.txt"; fi
    return 1
  fi
  if python3 -c 'import ensurepip' 2>/dev/null || install_packages python3-venv; then
    if run_step 'installing the CUDA compiler into .cuda (590 MB)' "$root/build/cuda-wheels.log" install_from_pypi "$folder" "$root/cmake/cuda_wheels.txt"; then
      cp "$root/cmake/cuda_wheels.txt" "$folder/installed.txt"
      return 0
    fi
  fi
  rm -rf "$folder"
  mkdir -p "$folder"
  echo 'installing them failed, see build/cuda-wheels.log; --yes tries again' >"$folder/not_installed.txt"
  return 1
}

# install_from_pypi <folder> <list>: a Python environment of its own with what the list names, and nothing else
install_from_pypi() {
  python3 -m venv "$1" \
    && "$1/bin/python3" -m pip install --disable-pip-version-check --no-deps --retries 1 --timeout 20 -r "$2"
}

# need_python_tools: the packages of docs/tools/requirements.txt in .python, or the end of the program. What was installed is
# remembered there: the next run needs no network.
need_python_tools() {
  local folder=$root/.python list=$root/docs/tools/requirements.txt
  if [[ -f $folder/installed.txt && -x $folder/bin/python3 ]] && cmp -s "$list" "$folder/installed.txt"; then return 0; fi
  if ! may_install "matplotlib, markdown-it, selenium and what they need, from PyPI into .python (240 MB; the list is docs/tools/requirements.txt)"; then
    fail 2 'the documentation needs Python packages in .python; --yes installs them'
  fi
  rm -rf "$folder"
  run_step 'installing Python packages into .python (240 MB)' "$root/build/python-tools.log" install_from_pypi "$folder" "$list" \
    || { rm -rf "$folder"; fail 2 'the Python packages could not be installed'; }
  cp "$list" "$folder/installed.txt"
}
