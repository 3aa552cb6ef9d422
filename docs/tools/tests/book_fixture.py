"""A small book in a temporary folder for the tests of fill.py: one chapter, one figure, one page, and a build folder whose programs and
whose cmake are shell scripts."""
import contextlib
import io
import os
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

TOOLS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TOOLS))

import fill  # noqa: E402
from filler import figures, machine  # noqa: E402
from filler.rules import HEADINGS  # noqa: E402

FRONT = '''# A book

| | |
|---|---|
| [01_first](chapters/01_first/README.md) | the first |

<!-- summary -->
<!-- end summary -->

See [how it turns](docs/page.md#how-it-turns).
'''

PAGE = '''# A page

## How it turns

<!-- figure: turn.svg -->
<!-- end figure -->
'''

CHAPTER = {
    'Run it': '''<!-- output: 01_first -->
<!-- end output -->

<!-- output: GREETING=hello 01_first --loud | command from "check" first 1 + last 1 -->
<!-- end output -->''',
    'The kernel': '''<!-- snippet: kernels.cuh turn -->
<!-- end snippet -->''',
    'Is it right': '''<!-- edit -->
<!-- end edit -->

<!-- try: kernels.cuh | x + y ==> x - y | 01_first | from "sum" until "" -->
<!-- end try -->

<!-- tests: 01_first_tests | from "mistake" first 2 -->
<!-- end tests -->''',
    'How fast': '''<!-- results: results/h200.csv -->
<!-- end results -->''',
}

KERNEL = '''// [turn]
float turn(float x, float y) {
  // [inner]
  return x + y;
  // [inner]
}
// [turn]
'''

CSV_HEAD = ('device,sm,driver,toolkit,date,commit,chapter,variant,case,tokens,q_heads,kv_heads,head_dim,rotary_dim,dtype,style,median_us,'
            'p5_us,p95_us,stream_us,bytes,gbps,fraction_of_copy,reference_copy_us,empty_kernel_us,max_error,tolerance')
CSV_ROW = 'GPU,90,580,13.5,2026-01-02,abc,01_first,table,{},{},32,8,128,128,bf16,half,{},2.36,2.41,3.5,9,1485.7,0.357,1.5,0.9,0.1,0.1'

PROGRAM = '''#!/bin/sh
echo "01_first: the first"
echo
echo "  check  result $*"
echo "  left   out"
echo "greeting ${GREETING:-none} ${SIMT_SEED:-none}"
printf '01_first\\thost\\t1\\t0.50\\tsuccess\\n' >>"$ROPEWALK_SUMMARY"
echo "Success! RoPE matches expected results."
echo "a warning" >&2
'''

TESTS_PROGRAM = '''#!/bin/sh
printf 'before\\n  mistake  a\\n  other    b\\nafter\\n'
'''

# Builds what the overlay says: the edited program prints the line with the sum and fails its check, as a book's program would.
CMAKE = '''#!/bin/sh
build=$2; shift 3
echo "$*" >>"$build/cmake.log"
for target; do
  case $target in
    *_edited)
      folder=$build/edited/${target%_edited}
      grep -q 'does not compile' "$folder/overlay/chapters/01_first/kernels.cuh" && { echo "kernels.cuh:1: error: no"; exit 1; }
      mkdir -p "$folder/bin"
      { echo '#!/bin/sh'; echo "echo 'sum: $(grep return "$folder/overlay/chapters/01_first/kernels.cuh")'"
        echo 'echo; echo "seed ${SIMT_SEED:-none}"; [ "${SIMT_SEED:-}" != 3 ] || exit ${SEED_3_EXIT:-1}; exit 1'; } >"$folder/bin/01_first"
      chmod +x "$folder/bin/01_first" ;;
    *) [ -f "$build/bin/$target" ] || { echo "error: unknown target $target"; exit 1; } ;;
  esac
done
'''


class Book(unittest.TestCase):
    """Each test starts with a book that is filled and in order."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name).resolve() / 'book'
        self.build = self.root / 'build' / 'cpu-test'
        self.chapter = 'chapters/01_first/README.md'
        recorded = Path(folder.name) / 'recorded_with.txt'
        recorded.write_text('this machine\n', encoding='utf-8')
        for patch in (mock.patch.object(machine, 'RECORDED', recorded),
                      mock.patch.object(machine, 'this_machine', lambda: 'this machine'),
                      mock.patch.dict(os.environ, PATH=f'{self.root}/tools:{os.environ["PATH"]}', SIMT_SEED='99', ROPEWALK_COMMIT='x')):
            patch.start()
            self.addCleanup(patch.stop)
        self.write_book()
        self.expect(0, 'fill')
        self.expect(0, 'check')

    def write_book(self):
        self.write('README.md', FRONT)
        self.write('docs/page.md', PAGE)
        self.write('docs/index.md', '# Front\n\n[first](../chapters/01_first/README.md)\n')
        text = '# 01 The first\n'
        for heading in HEADINGS:
            text += f'\n## {heading}\n\n{CHAPTER.get(heading, "Text.")}\n'
        self.write(self.chapter, text)
        self.write('chapters/CMakeLists.txt', 'add_subdirectory(01_first)\n')
        for name in ('CMakeLists.txt', 'main.cu', 'tests.cu'):
            self.write(f'chapters/01_first/{name}', '')
        self.write('chapters/01_first/kernels.cuh', KERNEL)
        rows = [CSV_ROW.format('A', 16384, '2.38'), CSV_ROW.format('D', 1, '0.5')]
        self.write('chapters/01_first/results/h200.csv', '\n'.join([CSV_HEAD, *rows]) + '\n')
        for name in ('draw', 'style', 'turn'):
            self.write(f'figures/{name}.py', f'# {name}\n')
        comment = figures.inputs().comment(figures.inputs().own_sources('turn'), self.root)
        self.write('figures/turn.svg', '<svg xmlns="http://www.w3.org/2000/svg"><title>An arrow [turned]</title>'
                   f'<desc>It turns\n by a*b.</desc>\n{comment}\n</svg>\n')
        self.write('build/cpu-test/CMakeCache.txt', f'CMAKE_HOME_DIRECTORY:INTERNAL={self.root}\nCMAKE_CXX_FLAGS:STRING=-O1\n')
        self.write('build/cpu-test/edited/01_first/main_edited.cpp', '')
        self.program('build/cpu-test/bin/01_first', PROGRAM)
        self.program('build/cpu-test/bin/01_first_tests', TESTS_PROGRAM)
        self.program('tools/cmake', CMAKE)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding='utf-8')

    def program(self, name, text):
        self.write(name, text)
        (self.root / name).chmod(0o755)

    def read(self, name):
        return (self.root / name).read_text(encoding='utf-8')

    def change(self, name, old, new):
        """Replaces the one place where `old` stands."""
        text = self.read(name)
        self.assertEqual(text.count(old), 1, f'{old} in {name}')
        self.write(name, text.replace(old, new))

    def run_fill(self, *words):
        """Exit code, and all that was printed."""
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                code = fill.main([str(word) for word in words], self.root)
            except SystemExit as end:
                code = end.code
        return code, out.getvalue() + err.getvalue()

    def expect(self, code, *words):
        found, said = self.run_fill(*words)
        self.assertEqual(found, code, said)
        return said

    def expect_finding(self, pattern, *words):
        """check fails with exactly one finding, which fits the pattern, and writes nothing."""
        before = self.everything()
        said = self.expect(1, *(words or ('check',)))
        self.assertIn('1 place stale or wrong', said)
        self.assertRegex(said.splitlines()[0], pattern)
        self.assertEqual(self.everything(), before)

    def everything(self):
        return {path: path.read_bytes() for path in self.root.rglob('*') if path.is_file() and 'build' not in path.parts}

    def line_of(self, name, text):
        return 1 + next(i for i, line in enumerate(self.read(name).splitlines()) if text in line)
