"""trace_compare.py on traces and counters of a few lines."""
import contextlib
import io
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import trace_compare  # noqa: E402

TRACE = """chapter,variant,kernel,line,access,bytes_per_lane,requests,sectors,ideal_sectors,wavefronts,ideal_wavefronts
NN,plain,rope<float>,k.cuh:1,global_load,4,10,40,40,0,0
NN,plain,rope<float>,k.cuh:2,global_load,4,10,10,10,0,0
NN,plain,rope<float>,k.cuh:3,global_store,4,10,40,40,0,0
NN,plain,rope<float>,k.cuh:4,global_atomic,4,3,3,3,0,0
NN,staged,"stage<float, FromTable>",k.cuh:7,shared_store,4,5,0,0,5,5
NN,staged,"stage<float, FromTable>",k.cuh:8,shared_load,4,5,0,0,7,5
"""
COUNTERS = """chapter,variant,tokens,q_heads,kv_heads,head_dim,rotary_dim,dtype,style,load_requests,load_sectors,store_requests,store_sectors,shared_load_wavefronts,shared_store_wavefronts
NN,plain,64,8,2,128,128,f32,half,20,50,10,40,0,0
NN,staged,64,8,2,128,128,f32,half,0,0,0,0,7,5
"""
METRICS = {
    'l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum': 20, 'l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum': 50,
    'l1tex__t_requests_pipe_lsu_mem_global_op_st.sum': 10, 'l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum': 40,
    'smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum': 0, 'smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum': 0,
}
PROGRAM = """#!/bin/sh
echo "$@" >"$(dirname "$0")/arguments"
while [ "$1" != --csv ]; do shift; done
cp "$(dirname "$0")/trace.csv" "$2"
"""


def profiler_output(kernel, second_case):
    """As `ncu --csv` prints it: what the program printed first, then three launches, one for each case."""
    lines = ['==PROF== Connected', 'Success! RoPE matches expected results.', '"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"']
    for number in range(3):
        for metric, value in METRICS.items():
            unit = 'request' if 'requests' in metric else 'sector' if 'sectors' in metric else ''
            lines.append(f'"{number}","{kernel}","{metric}","{unit}","{second_case.get(metric, value) if number == 1 else 1:,}"')
    return '\n'.join(lines) + '\n'


class TraceCompare(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.trace = self.file('trace.csv', TRACE)

    def file(self, name, text):
        path = Path(self.folder.name) / name
        path.write_text(text, encoding='utf-8')
        return str(path)

    def compare(self, *words):
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            code = trace_compare.main(list(words))
        return code, output.getvalue()

    def test_equal_counters(self):
        code, output = self.compare(self.trace, self.file('counters.csv', COUNTERS))
        self.assertEqual(0, code, output)
        self.assertIn('12 of 12 counters are equal\n', output)

    def test_a_difference_is_shown_and_fails(self):
        code, output = self.compare(self.trace, self.file('counters.csv', COUNTERS.replace('half,20,50', 'half,20,54')))
        self.assertEqual(1, code)
        self.assertRegex(output, r'plain +all +load_sectors +50 +54 +\+4  <--\n')
        self.assertIn('11 of 12 counters are equal\n', output)

    def test_a_reason_explains_a_difference_and_only_that(self):
        explained = ''.join(line + (',reason' if i == 0 else ',shared_load_wavefronts: nvcc reads it once' if 'staged' in line else ',') + '\n'
                            for i, line in enumerate(COUNTERS.splitlines()))
        code, output = self.compare(self.trace, self.file('counters.csv', explained.replace(',0,0,7,5,', ',0,0,6,5,')))
        self.assertEqual(0, code, output)
        self.assertIn('11 of 12 counters are equal, 1 are explained:\n  nvcc reads it once\n', output)
        self.assertEqual(1, self.compare(self.trace, self.file('other.csv', explained.replace(',0,0,7,5,', ',0,0,6,5,').replace('20,50', '21,50')))[0])
        with self.assertRaisesRegex(trace_compare.Problem, 'staged has a reason to differ in shared_load_wavefronts, and does not'):
            self.compare(self.trace, self.file('same.csv', explained))

    def test_a_reason_names_its_counters(self):
        header = COUNTERS.splitlines()[0] + ',reason\n'
        rows = COUNTERS.splitlines()[1] + ',\n' + COUNTERS.splitlines()[2].replace(',7,5', ',6,4') + ',shared_load_wavefronts: read once\n'
        code, output = self.compare(self.trace, self.file('two.csv', header + rows))
        self.assertEqual(1, code)
        self.assertRegex(output, r'shared_store_wavefronts +5 +4 +-1  <--')
        with self.assertRaisesRegex(trace_compare.Problem, 'a reason is'):
            self.compare(self.trace, self.file('wrong.csv', header + rows.replace('shared_load_wavefronts: ', '')))

    def test_a_missing_variant_fails(self):
        code, output = self.compare(self.trace, self.file('counters.csv', COUNTERS.replace('staged', 'other')))
        self.assertEqual(1, code)
        self.assertRegex(output, r'other +all +load_requests +- +0 +missing  <--\n')

    def test_output_of_the_profiler(self):
        name = 'void ropewalk::naive::rope<float>(ropewalk::naive::Heads<T1>, ropewalk::Table)'
        good = self.file('good.txt', profiler_output(name, {}))
        code, output = self.compare(self.trace, f'plain={good}')
        self.assertEqual(0, code, output)
        self.assertIn('6 of 6 counters are equal\n', output)
        bad = self.file('bad.txt', profiler_output(name, {'l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum': 2000}))
        code, output = self.compare(self.trace, f'plain={bad}')
        self.assertEqual(1, code)
        self.assertRegex(output, r'plain +rope +load_requests +20 +2000 +\+1980  <--\n')

    def test_another_trace_is_compared_per_kernel(self):
        self.assertEqual(0, self.compare(self.trace, self.trace)[0])
        renamed = self.file('renamed.csv', TRACE.replace('rope<float>', 'rope2<float>'))
        code, output = self.compare(self.trace, renamed)
        self.assertEqual(1, code)
        self.assertRegex(output, r'plain +rope2 +load_requests +- +20 +missing')
        self.assertRegex(output, r'plain +rope +load_requests +20 +- +missing')

    def test_kernel_names(self):
        for name in ('rope', 'rope<float>', 'void a::rope<a::b<c>, (int)4>(a::Heads<T1>, int)', 'a::rope(int)'):
            self.assertEqual('rope', trace_compare.base_name(name), name)

    def test_a_program_is_run_in_the_shape_of_the_counters(self):
        program = self.file('program', PROGRAM)
        Path(program).chmod(0o755)
        kept = str(Path(self.folder.name) / 'kept.csv')
        code, output = self.compare('--run', program, '--write', kept, self.file('counters.csv', COUNTERS))
        self.assertEqual(0, code, output)
        rows = trace_compare.rows_of(kept)
        self.assertEqual(('64', 'f32', 'plain', '10'), tuple(rows[0][column] for column in ('tokens', 'dtype', 'variant', 'requests')))
        self.assertEqual(0, self.compare(kept, self.file('counters.csv', COUNTERS))[0])
        arguments = (Path(self.folder.name) / 'arguments').read_text(encoding='utf-8')
        self.assertIn('--batch 1 --tokens 64 --q-heads 8 --kv-heads 2 --head-dim 128 --rotary-dim 128 --dtype f32 --style half', arguments)

    def test_every_shape_of_the_counters_is_compared(self):
        program = self.file('program', PROGRAM)
        Path(program).chmod(0o755)
        kept = str(Path(self.folder.name) / 'kept.csv')
        two_shapes = self.file('two.csv', COUNTERS + ''.join(COUNTERS.replace(',64,', ',65,').splitlines(True)[1:]))
        code, output = self.compare('--run', program, '--write', kept, two_shapes)
        self.assertEqual(0, code, output)
        self.assertIn('24 of 24 counters are equal\n', output)
        self.assertIn('--tokens 65', (Path(self.folder.name) / 'arguments').read_text(encoding='utf-8'))
        code, output = self.compare(kept, self.file('counters.csv', COUNTERS))
        self.assertEqual(1, code)
        self.assertRegex(output, r'tokens=65 .* plain +all +load_requests +20 +- +missing')
        with self.assertRaisesRegex(trace_compare.Problem, 'one side says its shapes'):
            self.compare(self.trace, two_shapes)

    def test_wrong_use(self):
        with self.assertRaisesRegex(trace_compare.Problem, 'neither a trace nor counters'):
            self.compare(self.trace, self.file('other.csv', 'a,b\n1,2\n'))


if __name__ == '__main__':
    unittest.main()
