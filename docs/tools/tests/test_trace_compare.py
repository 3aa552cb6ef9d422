"""trace_compare.py on traces and counters of a few lines."""
import contextlib
import io
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import trace_compare  # noqa: E402

TRACE = """chapter,variant,kernel,line,access,bytes_per_lane,requests,sectors,ideal_sectors,wavefronts,ideal_wavefronts,launches
NN,plain,rope<float>,k.cuh:1,global_load,4,10,40,40,0,0,1x320
NN,plain,rope<float>,k.cuh:2,global_load,4,10,10,10,0,0,1x320
NN,plain,rope<float>,k.cuh:3,global_store,4,10,40,40,0,0,1x320
NN,plain,rope<float>,k.cuh:4,global_atomic,4,3,3,3,0,0,1x320
NN,staged,"stage<float, FromTable>",k.cuh:7,shared_store,4,5,0,0,5,5,1x160
NN,staged,"rope<float, FromTable>",k.cuh:8,shared_load,4,5,0,0,7,5,1x160
"""
SHAPE = 'tokens,q_heads,kv_heads,head_dim,rotary_dim,dtype,style'
KEPT = ''.join((SHAPE if i == 0 else '64,8,2,128,128,f32,half') + ',' + line for i, line in enumerate(TRACE.splitlines(True)))
COUNTERS = f"""chapter,variant,{SHAPE},load_requests,load_sectors,store_requests,store_sectors,shared_load_wavefronts,shared_store_wavefronts
NN,plain,64,8,2,128,128,f32,half,20,50,10,40,0,0
NN,staged,64,8,2,128,128,f32,half,0,0,0,0,7,5
"""
PROGRAM = """#!/bin/sh
echo "$@" >"$(dirname "$0")/arguments"
while [ "$1" != --csv ]; do shift; done
cp "$(dirname "$0")/trace.csv" "$2"
"""


def with_reasons(text, reasons):
    """Counters with the column `reason`: {what stands in a row: its reason}."""
    lines = text.splitlines()
    return '\n'.join([f'{lines[0]},reason', *(line + ',' + ''.join(why for word, why in reasons.items() if word in line) for line in lines[1:])]) + '\n'


class TraceCompare(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.file('trace.csv', TRACE)
        self.kept = self.file('kept.csv', KEPT)
        self.program = self.file('program', PROGRAM)
        Path(self.program).chmod(0o755)

    def file(self, name, text):
        path = Path(self.folder.name) / name
        path.write_text(text, encoding='utf-8')
        return str(path)

    def compare(self, *words):
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            code = trace_compare.main(list(words))
        return code, output.getvalue()

    def compare_with(self, counters):
        return self.compare(self.kept, self.file('counters.csv', counters))

    def refused(self, expected, *words):
        with self.assertRaisesRegex(trace_compare.Problem, expected):
            self.compare(*words)

    def test_equal_counters(self):
        code, output = self.compare_with(COUNTERS)
        self.assertEqual(0, code, output)
        self.assertIn('12 of 12 counters are equal\n', output)

    def test_a_difference_is_shown_and_fails(self):
        code, output = self.compare_with(COUNTERS.replace('half,20,50', 'half,20,54'))
        self.assertEqual(1, code)
        self.assertRegex(output, r'tokens=64 .* plain +load_sectors +50 +54 +\+4  <--\n')
        self.assertIn('11 of 12 counters are equal\n', output)

    def test_a_reason_explains_a_difference_and_only_that(self):
        explained = with_reasons(COUNTERS, {'staged': 'shared_load_wavefronts: nvcc reads it once'})
        code, output = self.compare_with(explained.replace(',0,0,7,5,', ',0,0,6,5,'))
        self.assertEqual(0, code, output)
        self.assertIn('11 of 12 counters are equal, 1 are explained:\n  nvcc reads it once\n', output)
        self.assertEqual(1, self.compare_with(explained.replace(',0,0,7,5,', ',0,0,6,5,').replace('20,50', '21,50'))[0])
        code, output = self.compare_with(explained)
        self.assertEqual(1, code)
        self.assertIn('counters.csv: staged has a reason to differ in shared_load_wavefronts, and does not: tokens=64', output)

    def test_a_reason_names_its_counters(self):
        reason = {'staged': 'shared_load_wavefronts: read once'}
        code, output = self.compare_with(with_reasons(COUNTERS.replace(',7,5', ',6,4'), reason))
        self.assertEqual(1, code)
        self.assertRegex(output, r'shared_store_wavefronts +5 +4 +-1  <--')
        self.refused('wrong.csv:3: a reason is', self.kept, self.file('wrong.csv', with_reasons(COUNTERS, {'staged': 'read once'})))

    def test_a_missing_variant_fails(self):
        code, output = self.compare_with(COUNTERS.replace('staged', 'other'))
        self.assertEqual(1, code)
        self.assertRegex(output, r'other +load_requests +- +0 +missing  <--\n')
        self.assertRegex(output, r'staged +load_requests +0 +- +missing  <--\n')

    def test_a_missing_variant_is_missing_with_a_reason_too(self):
        code, output = self.compare_with(with_reasons(COUNTERS.replace('staged', 'other'), {'other': 'load_requests: read once'}))
        self.assertEqual(1, code)
        self.assertRegex(output, r'other +load_requests +- +0 +missing  <--\n')
        self.assertNotIn('does not', output)

    def test_no_row_stands_there_twice(self):
        self.refused('twice.csv:4: there is a row for plain 64 .* already', self.kept, self.file('twice.csv', COUNTERS + COUNTERS.splitlines()[1] + '\n'))
        self.refused('twice.csv:8: there is a row for 64 .* k.cuh:1 .* already', self.file('twice.csv', KEPT + KEPT.splitlines()[1] + '\n'),
                     self.file('counters.csv', COUNTERS))

    def test_a_program_is_run_in_the_shape_of_the_counters(self):
        made = str(Path(self.folder.name) / 'made.csv')
        code, output = self.compare('--run', self.program, '--write', made, self.file('counters.csv', COUNTERS))
        self.assertEqual(0, code, output)
        self.assertEqual(KEPT, Path(made).read_text(encoding='utf-8'))
        arguments = (Path(self.folder.name) / 'arguments').read_text(encoding='utf-8')
        self.assertIn('--batch 1 --tokens 64 --q-heads 8 --kv-heads 2 --head-dim 128 --rotary-dim 128 --dtype f32 --style half', arguments)

    def test_every_shape_of_the_counters_is_compared(self):
        made = str(Path(self.folder.name) / 'made.csv')
        two_shapes = self.file('two.csv', COUNTERS + ''.join(COUNTERS.replace(',64,', ',65,').splitlines(True)[1:]))
        code, output = self.compare('--run', self.program, '--write', made, two_shapes)
        self.assertEqual(0, code, output)
        self.assertIn('24 of 24 counters are equal\n', output)
        self.assertIn('--tokens 65', (Path(self.folder.name) / 'arguments').read_text(encoding='utf-8'))
        code, output = self.compare(made, self.file('counters.csv', COUNTERS))
        self.assertEqual(1, code)
        self.assertRegex(output, r'tokens=65 .* plain +load_requests +20 +- +missing')

    def test_the_trace_that_is_expected(self):
        counters = self.file('counters.csv', COUNTERS)
        code, output = self.compare('--run', self.program, '--expect', self.kept, counters)
        self.assertEqual(0, code, output)
        for old, new, expected in (('k.cuh:2,', 'k.cuh:3,', r'kept.csv:3: .*k.cuh:3,.*, and now .*k.cuh:2,'), ('1x160', '2x80', 'kept.csv:6: .*2x80, and now .*1x160'),
                                   (KEPT.splitlines(True)[-1], '', 'kept.csv:7: no row, and now 64,'),
                                   (',launches', ',shapes', 'the columns are .*,shapes, and now .*,launches')):
            with self.subTest(new):
                self.file('kept.csv', KEPT.replace(old, new))
                code, output = self.compare('--run', self.program, '--expect', self.kept, counters)
                self.assertEqual(1, code)
                self.assertIn('12 of 12 counters are equal\n', output)
                self.assertRegex(output, f'kept.csv is not what the program counts now(.*\n)*.*{expected}')

    def test_a_program_that_does_not_trace(self):
        counters = self.file('counters.csv', COUNTERS)
        self.refused('/bin/false .* ended with exit code 1: it said nothing', '--run', '/bin/false', counters)
        self.refused('/bin/true .* wrote no trace', '--run', '/bin/true', counters)
        done = subprocess.run([sys.executable, trace_compare.__file__, '--run', '/bin/false', counters], capture_output=True, text=True, check=False)
        self.assertEqual((2, '', 1), (done.returncode, done.stdout, done.stderr.count('\n')), done.stderr)

    def test_files_that_do_not_fit(self):
        counters = self.file('counters.csv', COUNTERS)
        self.refused('other.csv has no column tokens', self.file('other.csv', 'a,b\n1,2\n'), counters)
        self.refused('one.csv has no column tokens', self.file('one.csv', TRACE), counters)  # of --csv: it does not say its shape
        self.refused('other.csv has no column variant', self.kept, self.file('other.csv', 'a,b\n1,2\n'))
        self.refused('kept.csv:3: requests is no number: "inf"', self.file('kept.csv', KEPT.replace('4,10,10', '4,inf,10')), counters)
        self.refused('counters.csv:2: load_sectors is no number: ""', self.kept, self.file('counters.csv', COUNTERS.replace('20,50', '20,')))

    def test_wrong_use(self):
        for words in (('a',), ('a', 'b', 'c'), ('--run', 'a', 'b', 'c'), ('--write', 'a', 'b', 'c'), ('--expect', 'a', 'b', 'c'),
                      ('--run', 'a', '--write', 'b', '--expect', 'c', 'd')):
            with self.subTest(words), self.assertRaises(SystemExit) as end, contextlib.redirect_stderr(io.StringIO()):
                self.compare(*words)
            self.assertEqual(2, end.exception.code)


if __name__ == '__main__':
    unittest.main()
