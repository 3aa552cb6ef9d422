"""counters.py: from what Nsight Compute printed to one row per variant."""
import contextlib
import csv
import io
import subprocess
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
        self.results = self.write('results.csv', RESULTS)

    def write(self, name, text):
        (self.folder / name).write_text(text, encoding='utf-8')
        return str(self.folder / name)

    def read(self, name):
        with open(self.folder / name, encoding='utf-8', newline='') as file:
            return list(csv.DictReader(file))

    def rows(self, *words):
        """What is written for these words behind the file of results."""
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            counters.main([self.results, *words])
        return list(csv.DictReader(io.StringIO(out.getvalue())))

    def refused(self, expected, *words):
        with self.assertRaisesRegex(counters.Problem, expected), contextlib.redirect_stdout(io.StringIO()):
            counters.main(list(words))

    def test_the_middle_third_is_added_up(self):
        table, naive = self.rows('tokens=4096', 'table=' + self.write('a', profiled(3)), 'naive=' + self.write('b', profiled(6)))
        self.assertEqual((table['variant'], table['tokens'], table['commit'], table['style']), ('table', '4096', 'abc', 'half'))
        last = len(counters.METRICS) - 1
        self.assertEqual((table['instructions'], table['dram_read_bytes']), ('1000', str(1000 + last)))
        self.assertEqual((naive['instructions'], naive['dram_read_bytes']), ('5000', str(5000 + 2 * last)))

    def test_another_shape(self):
        (row,) = self.rows('tokens=4096', 'dtype=f16', 'rotary_dim=20', 'table=' + self.write('a', profiled(3)))
        self.assertEqual((row['variant'], row['dtype'], row['rotary_dim'], row['head_dim']), ('table', 'f16', '20', '128'))

    def test_into_a_file(self):
        into, words = 'into=' + str(self.folder / 'kept.csv'), ('table=' + self.write('a', profiled(3)), 'naive=' + self.write('b', profiled(6)))
        counters.main([into, self.results, 'tokens=64', *words])
        self.assertEqual([row['variant'] for row in self.read('kept.csv')], ['table', 'naive'])
        # Somebody writes a reason beside the first row; one shape is counted anew, and another one besides.
        lines = (self.folder / 'kept.csv').read_text(encoding='utf-8').splitlines()
        self.write('kept.csv', f'{lines[0]},reason\n{lines[1]},"load_requests: nvcc, at -O3"\n{lines[2]},\n')
        self.write('a', profiled(9))
        counters.main([into, self.results, 'tokens=64', words[0]])
        counters.main([into, self.results, 'tokens=65', words[1]])
        self.assertEqual([(row['variant'], row['tokens'], row['instructions'], row['reason']) for row in self.read('kept.csv')],
                         [('table', '64', '12000', 'load_requests: nvcc, at -O3'), ('naive', '64', '5000', ''), ('naive', '65', '5000', '')])

    def test_into_a_file_that_does_not_fit(self):
        path, table = str(self.folder / 'kept.csv'), 'table=' + self.write('a', profiled(3))
        counters.main([f'into={path}', self.results, 'tokens=64', table])
        whole = (self.folder / 'kept.csv').read_text(encoding='utf-8')
        self.write('kept.csv', whole + whole.splitlines()[1] + '\n')
        self.refused('kept.csv:3: there is a row for table 64 32 .* already', f'into={path}', self.results, 'tokens=64', table)
        self.write('kept.csv', whole.replace('load_requests', 'requests'))
        self.refused('kept.csv has other columns', f'into={path}', self.results, 'tokens=64', table)
        self.write('kept.csv', whole.rstrip() + ',1\n')
        self.refused('kept.csv:2: not as many cells', f'into={path}', self.results, 'tokens=64', table)
        self.assertEqual((self.folder / 'kept.csv').read_text(encoding='utf-8'), whole.rstrip() + ',1\n')

    def test_launches_have_the_names_that_the_program_prints(self):
        output = self.write('a', profiled(2).replace('Connected\n', 'Connected\none\ntwo\n'))
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            counters.main(['launches', self.results, output])
        one, two = csv.DictReader(io.StringIO(out.getvalue()))
        self.assertEqual((one['launch'], one['instructions'], two['launch'], two['load_requests']), ('one', '0', 'two', '1001'))
        self.refused('/b: 2 launches, but 0 names', 'launches', self.results, self.write('b', profiled(2)))

    def test_what_does_not_fit(self):
        first = next(iter(counters.METRICS))
        for text, expected in ((profiled(4), '/a: 4 launches, which is no multiple of 3'), (profiled(0), '/a: 0 launches'),
                               ('no profile', '/a is no output of ncu --csv'), (profiled(3, 'Kbyte'), '/a: .*give ncu --print-units base'),
                               (profiled(3).replace('dram__bytes_read.sum', 'other'), '/a has no dram_read_bytes for launch 0'),
                               (profiled(3).replace('"1,000"', '"inf"'), f'/a: {first} of launch 1 is no number: "inf"'),
                               (profiled(3).replace('"1,000"', '"n/a"'), f'/a: {first} of launch 1 is no number: "n/a"'),
                               (profiled(3) + profiled(3).split('\n', 2)[2], f'/a: {first} of launch 0 stands there twice'),
                               (profiled(3).replace('Metric Unit', 'Unit'), '/a has no column Metric Unit')):
            with self.subTest(expected):
                self.refused(expected, self.results, 'tokens=64', 'table=' + self.write('a', text))

    def test_results_that_do_not_fit(self):
        table = 'table=' + self.write('a', profiled(3))
        self.refused('results.csv has no rows', self.write('results.csv', RESULTS.splitlines()[0] + '\n'), 'tokens=64', table)
        self.refused('results.csv has no column style', self.write('results.csv', RESULTS.replace('style', 'other')), 'tokens=64', table)
        self.write('results.csv', RESULTS)
        self.refused('variant table is given twice: .*/a and .*/a', self.results, 'tokens=64', table, table)

    def test_usage(self):
        for words in ((), (self.results, 'tokens=64'), (self.results, 'tokens=64', 'table')):
            self.refused('wrong use', *words)
        self.refused('tokens=N is missing', self.results, 'dtype=f16', 'table=a')
        self.refused('VARIANT=NCU.csv is missing', self.results, 'tokens=64', 'dtype=f16')
        done = subprocess.run([sys.executable, counters.__file__, str(self.folder / 'none.csv'), 'tokens=64', 'table=a'],
                              capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (2, ''))
        self.assertRegex(done.stderr, r'^counters.py: .*none.csv.*\n$')


if __name__ == '__main__':
    unittest.main()
