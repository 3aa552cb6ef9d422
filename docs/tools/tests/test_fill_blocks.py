"""fill.py: what stands in the blocks, and that each kind of block is seen to be stale."""
import os
import unittest

from book_fixture import CSV_HEAD, Book


class Filled(Book):
    def test_output_in_full(self):
        self.assertIn('''<!-- output: 01_first -->
```
01_first: the first

  check  result 
  left   out
greeting none none
Success! RoPE matches expected results.
a warning
```
<!-- end output -->
''', self.read(self.chapter))  # the caller's SIMT_SEED did not reach the program

    def test_output_selected(self):
        self.assertIn('''-->
```
$ GREETING=hello ./run 01 --loud
  check  result --loud

...

a warning
```
<!-- end output -->
''', self.read(self.chapter))

    def test_snippet(self):
        self.assertIn('''<!-- snippet: kernels.cuh turn -->
```cpp
float turn(float x, float y) {
  return x + y;
}
```
<!-- end snippet -->
''', self.read(self.chapter))

    def test_edit_try_and_tests(self):
        text = self.read(self.chapter)
        self.assertIn('<!-- edit -->\n```cpp\n  return x - y;\n```\n<!-- end edit -->\n', text)
        self.assertIn('first 2 -->\n```\n  mistake  a\n  other    b\n```\n<!-- end tests -->\n', text)
        self.assertIn('until "" -->\n```\nsum:   return x - y;\n```\n<!-- end try -->\n', text)

    def test_results(self):
        self.assertIn('''<!-- results: results/h200.csv -->
GPU, driver 580, toolkit 13.5, 2026-01-02, commit abc. 32 query and 8 key heads of 128 channels, bf16. Microseconds for q and k together.

| case | tokens | variant | median | p5–p95 | stream | GB/s | of copy |
|---|---|---|---|---|---|---|---|
| A | 16,384 | table | 2.38 | 2.36–2.41 | 3.50 | 1486 | 0.357 |
| D | 1 | table | 0.50 | 2.36–2.41 | 3.50 | 1486 | 0.357 |

| case | reference copy | empty kernel |
|---|---|---|
| A | 1.50 | 0.90 |
| D | 1.50 | 0.90 |
<!-- end results -->
''', self.read(self.chapter))

    def test_counters(self):
        self.write('docs/counters.csv', 'device,sm,driver,toolkit,date,commit,chapter,variant,tokens,q_heads,kv_heads,head_dim,rotary_dim,dtype,'
                   'style,l2_requests,note\n'
                   'GPU,90,580,13.5,2026-01-02,abc,01_first,table,4096,32,8,128,128,bf16,half,1234567,\n'
                   'GPU,90,580,13.5,2026-01-02,abc,01_first,a|b,4096,32,8,128,128,bf16,interleaved,0.25,x\n')
        self.write('docs/page.md', self.read('docs/page.md') + '<!-- counters: counters.csv -->\n<!-- end counters -->\n')
        self.expect(0, 'fill')
        self.assertIn('''<!-- counters: counters.csv -->
GPU, driver 580, toolkit 13.5, 2026-01-02, commit abc. 4,096 tokens, 32 query and 8 key heads of 128 channels, bf16.

| variant | style | l2 requests | note |
|---|---|---|---|
| table | half | 1,234,567 | – |
| a\\|b | interleaved | 0.25 | x |
<!-- end counters -->
''', self.read('docs/page.md'))
        self.change('docs/page.md', 'counters.csv -->', 'counters.csv | note l2_requests -->')
        self.expect(0, 'fill')
        self.assertIn('| variant | note | l2 requests |', self.read('docs/page.md'))
        self.change('docs/page.md', '| note l2', '| notes l2')
        self.expect_finding('counters.csv has no column notes to show')
        self.change('docs/page.md', '| notes l2', '| note l2')
        self.change('docs/counters.csv', '1234567', '1234568')
        self.expect_finding('is stale: ".*1,234,567.*" should be ".*1,234,568')

    def test_compared(self):
        shape = 'tokens,q_heads,kv_heads,head_dim,rotary_dim,dtype,style'
        self.write('docs/trace.csv', shape + ',chapter,variant,kernel,line,access,bytes_per_lane,requests,sectors,ideal_sectors,wavefronts,'
                   'ideal_wavefronts\n64,8,2,128,128,f32,half,01_first,table,turn<float>,k.cuh:1,global_load,4,1000,4000,4000,0,0\n'
                   '64,8,2,128,128,f32,half,01_first,table,turn<float>,k.cuh:2,shared_load,4,50,0,0,50,50\n')
        self.write('docs/counters.csv', 'device,driver,toolkit,date,commit,variant,' + shape + ',load_requests,load_sectors,store_requests,'
                   'store_sectors,shared_load_wavefronts,shared_store_wavefronts\n'
                   'GPU,580,13.5,2026-01-02,abc,table,64,8,2,128,128,f32,half,1000,4000,0,0,53,0\n'
                   'GPU,580,13.5,2026-01-02,abc,table,64,8,2,128,128,f16,half,1000,2000,0,0,53,0\n')
        self.write('docs/page.md', self.read('docs/page.md') + '<!-- compared: trace.csv counters.csv | dtype=f32 -->\n<!-- end compared -->\n')
        self.expect(0, 'fill')
        self.assertIn('''GPU, driver 580, toolkit 13.5, 2026-01-02, commit abc. 64 tokens, 8 query and 2 key heads of 128 channels, f32.

| variant | load requests | load sectors | store requests | store sectors | shared load wavefronts | shared store wavefronts |
|---|---|---|---|---|---|---|
| table | 1,000 | 4,000 | 0 | 0 | 50 (53) | 0 |
''', self.read('docs/page.md'))
        self.change('docs/trace.csv', ',50,50', ',51,50')
        self.expect_finding('is stale: ".*50 .53.*" should be ".*51 .53')
        self.change('docs/page.md', '| dtype=f32', '| tokens=64')
        self.expect_finding('counters.csv has several shapes with tokens=64')
        self.change('docs/page.md', '| tokens=64', '| tokens=65')
        self.expect_finding('counters.csv has no rows with tokens=65')
        self.change('docs/page.md', '| tokens=65', '| dtype=f16')
        self.expect_finding('trace.csv has no variant table with tokens=64')

    def test_figure(self):
        self.assertIn('''<!-- figure: turn.svg -->
![An arrow \\[turned\\]](../figures/turn.svg)

*It turns by a\\*b.*
<!-- end figure -->
''', self.read('docs/page.md'))

    def test_summary(self):
        self.assertIn('''<!-- summary -->
```
Success! RoPE matches expected results.
a warning

chapter   device  checks  worst error / tolerance  result
01_first  host         1                     0.50  success
```
<!-- end summary -->
''', self.read('README.md'))

    def test_filling_again_touches_nothing(self):
        before = {path: os.stat(path).st_mtime_ns for path in self.everything()}
        self.assertIn('0 filled anew', self.expect(0, 'fill'))
        self.assertEqual({path: os.stat(path).st_mtime_ns for path in self.everything()}, before)

    def test_filling_repairs(self):
        whole = self.read(self.chapter)
        for old, new in (('greeting none none', 'greeting'), ('| D | 1 |', '| D | 2 |'), ('  return x + y;\n', '')):
            self.change(self.chapter, old, new)
        self.expect(1, 'check')
        self.assertIn('3 blocks filled', self.expect(0, 'fill'))
        self.assertEqual(self.read(self.chapter), whole)

    def test_one_bad_block_does_not_stop_the_others(self):
        self.change(self.chapter, 'results/h200.csv', 'results/h300.csv')
        self.change(self.chapter, '  return x + y;\n', '')
        self.assertIn('cannot read results/h300.csv: No such file', self.expect(1, 'fill'))
        self.assertIn('  return x + y;\n', self.read(self.chapter))

    def test_same_command_runs_once(self):
        self.program('build/cpu-test/bin/01_first', self.read('build/cpu-test/bin/01_first') + 'echo run >>"$0.log"\n')
        self.expect(0, 'check', '--only', 'outputs')
        self.assertEqual(self.read('build/cpu-test/bin/01_first.log'), 'run\nrun\n')  # plain: page and summary; and --loud


class Stale(Book):
    def finding(self, name, line_with, text, *words):
        self.expect_finding(rf'^{name}:{self.line_of(name, line_with)}: {text}', *words)

    def test_kernel(self):
        self.change('chapters/01_first/kernels.cuh', 'float x, float y', 'float x, float z')
        self.finding(self.chapter, 'float turn', r'<!-- snippet: kernels.cuh turn --> is stale: '
                     r'"float turn\(float x, float y\) \{" should be "float turn\(float x, float z\) \{"$', 'check', '--only', 'sources')

    def test_csv_row(self):
        self.change('chapters/01_first/results/h200.csv', ',2.38,', ',2.39,')
        self.finding(self.chapter, '| A | 16,384', r'<!-- results: results/h200.csv --> is stale: .*2\.38.* should be .*2\.39')

    def test_output_line_in_the_page(self):
        self.change(self.chapter, 'greeting none none', 'greeting none')
        self.finding(self.chapter, 'greeting none', r'<!-- output: 01_first --> is stale: "greeting none" should be "greeting none none"')

    def test_output_line_of_the_program(self):
        self.change('build/cpu-test/bin/01_first', 'the first', 'the fist')
        self.finding(self.chapter, '01_first: the first', r'<!-- output: 01_first --> is stale: ".*first" should be ".*fist"$')

    def test_missing_line(self):
        self.change(self.chapter, 'greeting none none\nSuccess', 'Success')
        self.finding(self.chapter, 'Success', '.* is stale: "Success.*" should be "greeting none none"')

    def test_missing_last_line(self):
        self.change(self.chapter, '| D | 1.50 | 0.90 |\n', '')
        self.finding(self.chapter, '<!-- end results', r'<!-- results: .* is stale: "\| D \| 1.50 \| 0.90 \|" is missing$')

    def test_additional_line(self):
        self.change(self.chapter, '  other    b\n```', '  other    b\n```\nmore')
        self.finding(self.chapter, 'more', r'<!-- tests: .* is stale: "more" should not be there$')

    def test_try(self):
        self.change(self.chapter, 'sum:   return x - y;', 'sum:   return y - x;')
        self.finding(self.chapter, 'sum:', r'<!-- try: .* is stale: "sum:   return y - x;" should be "sum:   return x - y;"')

    def test_edit(self):
        self.change(self.chapter, '```cpp\n  return x - y;', '```cpp\n  return x  - y;')
        self.finding(self.chapter, '  return x  - y;', r'<!-- edit --> is stale', 'check', '--only', 'sources')

    def test_tests(self):
        self.change('build/cpu-test/bin/01_first_tests', 'other    b', 'other    c')
        self.finding(self.chapter, 'other    b', r'<!-- tests: .* is stale: "  other    b" should be "  other    c"')

    def test_summary(self):
        self.change('build/cpu-test/bin/01_first', '\\t0.50\\t', '\\t0.60\\t')
        self.finding('README.md', '01_first  host', r'<!-- summary --> is stale: .*0\.50.* should be .*0\.60')

    def test_caption(self):
        self.change('figures/turn.svg', 'by a*b', 'by a')
        self.finding('docs/page.md', '*It turns', r'<!-- figure: turn.svg --> is stale: .* should be "\*It turns by a.\*"$')

    def test_alternative_text(self):
        self.change('docs/page.md', '![An arrow', '![An arow')
        self.finding('docs/page.md', '![An arow', r'<!-- figure: turn.svg --> is stale')

    def test_figure_that_was_not_drawn_again(self):
        self.write('figures/turn.py', '# changed\n')
        said = self.expect(1, 'check')
        self.assertIn('docs/page.md:5: <!-- figure: turn.svg -->: figures/turn.svg is stale: figures/turn.py has changed', said)
        self.assertIn('figures/turn.svg:1: figures/turn.svg is stale', said)

    def test_csv_that_holds_no_rows_of_one_run(self):
        for old, new, text in ((',D,1,', ',D,1.5,', 'results/h200.csv:3: tokens is no whole number: "1.5"'),
                               (',0.5,2.36', ',fast,2.36', 'results/h200.csv:3: median_us is no number: "fast"'),
                               (CSV_HEAD, CSV_HEAD.replace('gbps', 'speed'), 'has no column gbps')):
            with self.subTest(text):
                before = self.read('chapters/01_first/results/h200.csv')
                self.change('chapters/01_first/results/h200.csv', old, new)
                self.expect_finding(text)
                self.write('chapters/01_first/results/h200.csv', before)
        rows = self.read('chapters/01_first/results/h200.csv').replace('abc,01_first,table,D', 'abd,01_first,table,D')
        self.write('chapters/01_first/results/h200.csv', rows)
        self.expect_finding('h200.csv:3: commit is abd, but abc before')

    def test_rows_of_different_shapes_get_a_column(self):
        rows = self.read('chapters/01_first/results/h200.csv').replace('table,D,1,32,8', 'table,D,1,32,2')
        self.write('chapters/01_first/results/h200.csv', rows.replace(',128,bf16', ',64,bf16'))
        self.expect(0, 'fill')
        text = self.read(self.chapter)
        self.assertIn('commit abc. rotary_dim 64, bf16. Micro', text)
        self.assertIn('| case | tokens | variant | kv_heads | median |', text)
        self.assertIn('| D | 1 | table | 2 | 0.50 |', text)


if __name__ == '__main__':
    unittest.main()
