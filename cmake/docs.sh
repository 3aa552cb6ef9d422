# Sourced by ./test: the site and its tests.
# shellcheck shell=bash
: "${root:?}"

# shellcheck disable=SC2034  # ./test hands them to need_packages
docs_packages=(python3 python3-venv doxygen doxygen-awesome-css libjs-mathjax chromium chromium-driver)

# The figures first: a stale one would be shown.
test_docs() {
  local python=$root/.python/bin/python3
  need_python_tools
  run_step 'checking the figures' "$root/build/figures.log" "$python" "$root/figures/draw.py" check || return 1
  configure docs "-DROPEWALK_DOCS_PYTHON=$python" && build docs 'the site' && run_tests docs || return 1
  printf '\nThe site: build/docs/site/index.html. Pictures of its pages: build/docs/screenshots.\n'
}
