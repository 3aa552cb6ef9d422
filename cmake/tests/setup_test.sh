#!/usr/bin/env bash
# cmake/setup.sh with fake compilers, apt and sudo: what is found missing, who is asked, what gets installed.
set -euo pipefail
# shellcheck source=cmake/tests/testing.sh
source "$(dirname "${BASH_SOURCE[0]}")/testing.sh"
root=$sandbox/repository
mkdir -p "$root/cmake" "$root/build"
# shellcheck source=cmake/steps.sh
source "$repository/cmake/steps.sh"
trap 'rm -rf "$sandbox"' EXIT
# shellcheck source=cmake/setup.sh
source "$repository/cmake/setup.sh"

# Who runs this, and whether there is a terminal, are the test's to say.
root_user=no terminal=no
is_root() { [[ $root_user == yes ]]; }
is_interactive() { [[ $terminal == yes ]]; }

# fake_compiler <name> <version> <missing headers' packages> [<word in --version>]
fake_compiler() {
  fake "$1" <<END
case \$1 in
  -dumpversion) echo $2 ;;
  --version) echo '$1 ${4:-}' ;;
  -print-file-name=*) lib=\${1#-print-file-name=}; if [[ -e $sandbox/root/\$lib ]]; then echo $sandbox/root/\$lib; else echo \$lib; fi ;;
  *) cat >/dev/null; for package in $3; do echo \$package; done ;;
esac
END
}
# fake_apt <script run at "install">
fake_apt() {
  fake apt-get <<END
echo "\$*" >>$sandbox/apt-calls
if [[ "\$*" == *install* ]]; then $1; fi
END
  rm -f "$sandbox/apt-calls"
}
installed() { grep -o 'recommends .*' "$sandbox/apt-calls" 2>/dev/null | sed 's/recommends //' || true; }
everything() { # a machine where nothing is missing
  fake_compiler g++ 12 ''
  for tool in cmake ninja; do fake $tool <<<:; done
  touch "$sandbox/root/libboost_context.so" "$sandbox/root/libfmt.a"
}
# needs <arguments of need_packages>: its exit code and what it says
needs() { local status=0; (need_packages "$@") >"$sandbox/out" 2>&1 <<<"${answer:-}" || status=$?; echo "$status: $(xargs <"$sandbox/out")"; }

# --- compilers ---
compiler() { basename "$(find_compiler || echo none)"; }
expect 'no compiler' none "$(compiler)"
fake_compiler g++ 11 ''
expect 'g++ too old' none "$(compiler)"
expect_match 'then a newer one is missing' '^g\+\+-12 ' "$(missing_packages | xargs)"
fake_compiler clang++ 13.0.1 '' 'clang version 13.0.1'
expect 'clang too old' none "$(compiler)"
fake_compiler clang++ 14.0.6 '' 'clang version 14.0.6'
expect 'clang' clang++ "$(compiler)"
fake_compiler g++-13 13 ''
expect 'a g++ under another name' g++-13 "$(compiler)"
fake_compiler g++ 12 ''
expect 'g++' g++ "$(compiler)"
expect 'CXX' clang++ "$(CXX=clang++ compiler)"
without clang++ g++-13 g++

# --- what is missing ---
expect 'a bare machine' 'g++ cmake ninja-build libboost-context-dev libfmt-dev libcli11-dev nlohmann-json3-dev catch2' "$(missing_packages | xargs)"
everything
expect 'nothing' '' "$(missing_packages)"
rm "$sandbox/root/libfmt.a"
fake_compiler g++ 12 'libcli11-dev catch2'
without ninja
expect 'some' 'ninja-build libfmt-dev libcli11-dev catch2' "$(missing_packages | xargs)"

# --- who is asked ---
optional='libboost-context-dev|catch2'
expect_match 'an ordinary user without a terminal: one line' \
  '^2: .*missing: ninja-build libfmt-dev libcli11-dev. Install them, on Debian or Ubuntu with: sudo apt-get install ninja-build libfmt-dev libcli11-dev catch2$' \
  "$(needs "$optional")"
fake_apt "touch $sandbox/bin/ninja $sandbox/root/libfmt.so; chmod +x $sandbox/bin/ninja; sed -i s/libcli11-dev// $sandbox/bin/g++"
fake sudo <<END
echo "\$*" >>$sandbox/sudo-calls
if [[ \$1 == -* ]]; then shift; fi
"\$@"
END
expect_match 'and nothing is installed' '^2: ' "$(needs "$optional")"
expect 'not a single call of apt' '' "$(installed)"
terminal=yes
answer=n
expect_match 'refused at the terminal' '^2: To install: ninja-build libfmt-dev libcli11-dev catch2' "$(needs "$optional")"
expect 'so nothing is installed' '' "$(installed)"
answer=''
expect_match 'an empty answer refuses' '^2: ' "$(needs "$optional")"
answer=y
expect_match 'agreed at the terminal' '^0: To install' "$(needs "$optional")"
expect 'installed with what is optional' 'ninja-build libfmt-dev libcli11-dev catch2' "$(installed)"
expect_match 'through sudo' 'apt-get' "$(cat "$sandbox/sudo-calls")"
terminal=no
fake_apt :
expect 'only something optional is missing: silence' '0: ' "$(needs "$optional")"
expect '... and no installation' '' "$(installed)"
expect_match 'the same, where it is required' '^2: .*missing: catch2' "$(needs 'libboost-context-dev')"

for permission in root CI yes; do
  without ninja
  fake_apt "touch $sandbox/bin/ninja; chmod +x $sandbox/bin/ninja"
  case $permission in
    root) result=$(root_user=yes; needs "$optional") ;;
    CI) result=$(export CI=true; needs "$optional") ;;
    yes) result=$(assume_yes=yes; needs "$optional") ;;
  esac
  expect "not asked with $permission" '0: ' "$result"
  expect "but installed with $permission" 'ninja-build catch2' "$(installed)"
done
without ninja
fake_apt 'echo "E: Unable to locate package" >&2; exit 100'
expect_match 'apt fails' '^2: .*Unable to locate package .*missing: ninja-build\. ' "$(assume_yes=yes; needs "$optional")"
without sudo
expect_match 'neither root nor sudo' '^2: .*missing: ninja-build\.' "$(assume_yes=yes; needs "$optional")"
without apt-get
expect_match 'no apt' '^2: .*missing: ninja-build\.' "$(root_user=yes; needs "$optional")"
everything
expect_match 'a program by its name' '^2: .*missing: clang-format\.' "$(needs "$optional" clang-format)"
fake clang-format <<<:
expect 'which is there' '0: ' "$(needs "$optional" clang-format)"

# --- the documentation's packages, which are not named like a command ---
docs=(python3-venv doxygen-awesome-css libjs-mathjax chromium chromium-driver)
export PREFIX_SHARE=$sandbox/share
expect_match 'all of them are missed' "missing: ${docs[*]}\." "$(needs "$optional" "${docs[@]}")"
mkdir -p "$PREFIX_SHARE/doxygen-awesome-css" "$PREFIX_SHARE/javascript/mathjax"
touch "$PREFIX_SHARE/doxygen-awesome-css/doxygen-awesome.css"
fake chromium-browser <<<:
fake python3 <<<'exit 1'
expect_match 'a file, a browser of another name' 'missing: python3-venv libjs-mathjax chromium-driver\.' "$(needs "$optional" "${docs[@]}")"
touch "$PREFIX_SHARE/javascript/mathjax/MathJax.js"
fake chromedriver <<<:
fake python3 <<<:
expect 'all there' '0: ' "$(needs "$optional" "${docs[@]}")"

# --- the CUDA wheels ---
echo 'nvidia-cuda-nvcc==13.5.37' >"$root/cmake/cuda_wheels.txt"
fake_python() { # <exit code of pip>
  fake python3 <<END
if [[ \$1 == -c ]]; then exit 0; fi
if [[ \$1 == -m && \$2 == venv ]]; then mkdir -p "\$3/bin"; cp "\$0" "\$3/bin/python3"; exit 0; fi
echo "\$*" >>$sandbox/pip-calls
exit $1
END
  rm -f "$sandbox/pip-calls"
}
wheels() { local status=0; (install_wheels) >"$sandbox/out" 2>&1 <<<"${answer:-}" || status=$?; echo "$status"; }
pip_calls() { if [[ -e $sandbox/pip-calls ]]; then wc -l <"$sandbox/pip-calls"; else echo 0; fi; }
fake_python 0
expect 'an ordinary user without a terminal' 1 "$(wheels)"
expect 'is not remembered as a refusal' no "$([[ -e $root/.cuda/not_installed.txt ]] && echo yes || echo no)"
terminal=yes answer=n
expect 'refused' 1 "$(wheels)"
expect_match 'the question names the size' '590 MB' "$(cat "$sandbox/out")"
answer=y
expect 'a refusal is remembered' 1 "$(wheels)"
expect 'nobody was asked' '' "$(cat "$sandbox/out")"
expect 'pip was never called' 0 "$(pip_calls)"
rm "$root/.cuda/not_installed.txt"
expect 'agreed' 0 "$(wheels)"
expect_match 'the pinned list' "--no-deps .*-r $root/cmake/cuda_wheels.txt" "$(cat "$sandbox/pip-calls")"
expect 'complete' yes "$(cmp -s "$root/cmake/cuda_wheels.txt" "$root/.cuda/installed.txt" && echo yes)"
rm -r "$root/.cuda"
terminal=no root_user=yes
fake_python 1
expect 'pip fails' 1 "$(wheels)"
expect 'half an installation is removed' not_installed.txt "$(ls "$root/.cuda")"
expect 'a failure is remembered' 1 "$(wheels)"
expect 'so pip was called once' 1 "$(pip_calls)"
assume_yes=yes
expect '--yes tries again' 1 "$(wheels)"
expect 'so pip was called twice' 2 "$(pip_calls)"

# --- the documentation's Python packages ---
mkdir -p "$root/docs/tools"
echo 'matplotlib==3.9.4' >"$root/docs/tools/requirements.txt"
python_tools() { local status=0; (need_python_tools) >"$sandbox/out" 2>&1 <<<"${answer:-}" || status=$?; echo "$status"; }
assume_yes=no root_user=no terminal=no
fake_python 0
expect 'nobody can be asked' 2 "$(python_tools)"
expect_match 'and is told what to do' '--yes installs them' "$(cat "$sandbox/out")"
terminal=yes answer=n
expect 'refused' 2 "$(python_tools)"
expect 'pip was never called' 0 "$(pip_calls)"
answer=y
expect 'agreed' 0 "$(python_tools)"
expect_match 'the pinned list' "--no-deps .*-r $root/docs/tools/requirements.txt" "$(cat "$sandbox/pip-calls")"
terminal=no
expect 'there already: no question, no network' 0 "$(python_tools)"
expect 'so pip was called once' 1 "$(pip_calls)"
echo 'matplotlib==3.9.5' >"$root/docs/tools/requirements.txt"
expect 'another list: asked again' 2 "$(python_tools)"
expect 'agreed by --yes' 0 "$(assume_yes=yes; python_tools)"
expect 'so pip was called twice' 2 "$(pip_calls)"
fake_python 1
rm -r "$root/.python"
expect 'pip fails' 2 "$(assume_yes=yes; python_tools)"
expect 'nothing is left' no "$([[ -e $root/.python ]] && echo yes || echo no)"

finish
