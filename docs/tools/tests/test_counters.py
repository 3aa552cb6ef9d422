"""counters.py: from what Nsight Compute printed to one row per variant."""
import contextlib
import csv
import io
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import counters  # noqa: E402

RESULTS = ('device,sm,driver,toolkit,date,commit,chapter,variant,case,q_heads,kv_heads,head_dim,rotary_dim,dtype,style\n'
           'GPU,90,580,13.5,2026-01-02,abc,01_first,table,A,32,8,128,128,bf16,half\n')


def profiled(launches, unit='inst'):
    """What ncu prints for so many launches: launch i counted 10 * i + number of the metric."""
    lines = ['==PROF== Connected', '"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"']
    for i in range(launches):
        for n, metric in enumerate(counters.METRICS):
            lines.append(f'"{i}","k","{metric}","{unit}","{1000 * i + n:,}"')
    return '\n'.join(lines) + '\n'


class Counters(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.write('results.csv', RESULTS)

    def write(self, name, text):
        (self.folder / name).write_text(text, encoding='utf-8')
        return str(self.folder / name)

    def run_tool(self, *words):
        return self.run_words(str(self.folder / 'results.csv'), 'tokens=4096', *words)

    def run_words(self, *words):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                counters.main(list(words))
                code = 0
            except SystemExit as end:
                code = end.code
        return code, out.getvalue(), err.getvalue()

    def test_the_middle_third_is_added_up(self):
        code, out, _ = self.run_tool('table=' + self.write('a', profiled(3)), 'naive=' + self.write('b', profiled(6)))
        self.assertEqual(code, 0)
        table, naive = csv.DictReader(io.StringIO(out))
        self.assertEqual((table['variant'], table['tokens'], table['commit'], table['style']), ('table', '4096', 'abc', 'half'))
        last = len(counters.METRICS) - 1
        self.assertEqual((table['instructions'], table['dram_read_bytes']), ('1000', str(1000 + last)))
        self.assertEqual((naive['instructions'], naive['dram_read_bytes']), ('5000', str(5000 + 2 * last)))

    def test_another_shape(self):
        code, out, _ = self.run_tool('dtype=f16', 'rotary_dim=20', 'table=' + self.write('a', profiled(3)))
        self.assertEqual(code, 0)
        (row,) = csv.DictReader(io.StringIO(out))
        self.assertEqual((row['variant'], row['dtype'], row['rotary_dim'], row['head_dim']), ('table', 'f16', '20', '128'))

    def test_launches_have_the_names_that_the_program_prints(self):
        results = str(self.folder / 'results.csv')
        output = self.write('a', profiled(2).replace('Connected\n', 'Connected\none\ntwo\n'))
        code, out, _ = self.run_words('launches', results, output)
        self.assertEqual(code, 0)
        one, two = csv.DictReader(io.StringIO(out))
        self.assertEqual((one['launch'], one['instructions'], two['launch'], two['load_requests']), ('one', '0', 'two', '1001'))
        code, out, err = self.run_words('launches', results, self.write('b', profiled(2)))
        self.assertEqual((code, out), (2, ''))
        self.assertIn('2 launches, but 0 names', err)

    def refused(self, text, expected):
        code, out, err = self.run_tool('table=' + self.write('a', text))
        self.assertEqual((code, out), (2, ''))
        self.assertIn(expected, err)
        self.assertEqual(err.count('\n'), 1)

    def test_what_does_not_fit(self):
        self.refused(profiled(4), '4 launches, which is no multiple of 3')
        self.refused(profiled(0), '0 launches')
        self.refused('no profile', 'is no output of ncu --csv')
        self.refused(profiled(3, 'Kbyte'), 'give ncu --print-units base')
        self.refused(profiled(3).replace('dram__bytes_read.sum', 'other'), 'has no dram_read_bytes')

    def test_usage(self):
        self.assertEqual(self.run_tool()[0], 2)
        self.assertEqual(self.run_tool('table')[0], 2)
        self.assertEqual(self.run_words(str(self.folder / 'results.csv'), 'dtype=f16', 'table=a')[0], 2)


if __name__ == '__main__':
    unittest.main()
