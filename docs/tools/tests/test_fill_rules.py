"""fill.py: headings, links and the files of a chapter."""
import unittest

from book_fixture import Book
from filler.links import anchor_of, targets


class Headings(Book):
    def test_missing(self):
        self.change(self.chapter, '## The idea', '### The idea')
        self.expect_finding(rf'^{self.chapter}:\d+: heading "The idea" is missing$')

    def test_out_of_order(self):
        self.change(self.chapter, '## The idea', '## x')
        self.change(self.chapter, '## Run it', '## The idea')
        self.change(self.chapter, '## x', '## Run it')
        line = self.line_of(self.chapter, '## Run it')
        self.expect_finding(rf'^{self.chapter}:{line}: heading "Run it" must stand before "The idea"$')

    def test_unknown(self):
        self.change(self.chapter, '## Next\n', '## Exercises\n\n## Next\n')
        self.expect_finding(r'heading "Exercises": it is none of the fixed headings')

    def test_twice(self):
        self.change(self.chapter, '## Next\n', '## Next\n\n## Next\n')
        self.assertIn('heading "Next" stands here 2 times', self.expect(1, 'check'))

    def test_first_line(self):
        self.change(self.chapter, '# 01 The first', '# 02 The first')
        self.expect_finding(rf'^{self.chapter}:1: the first line must be "# 01 Title", not "# 02 The first"')

    def test_in_a_code_block_there_are_none(self):
        self.change(self.chapter, '## Next\n', '```\n## Nothing\n```\n\n## Next\n')
        self.expect(0, 'check')

    def test_without_kernels(self):
        (self.root / 'chapters/01_first/kernels.cuh').unlink()
        said = self.expect(1, 'check', '--only', 'sources')
        for heading in ('The kernel', 'How fast'):
            self.assertIn(f'heading "{heading}": a chapter without kernels.cuh has no such heading', said)


class Links(Book):
    def link(self, text, pattern):
        before = self.read('docs/page.md')
        self.write('docs/page.md', before + f'\n{text}\n')
        if pattern:
            self.expect_finding(rf'^docs/page.md:\d+: link to {pattern}')
        else:
            self.expect(0, 'check')
        self.write('docs/page.md', before)

    def test_good_ones(self):
        for text in ('[a](../README.md)', '[a](../README.md#a-book "title")', '[a](#how-it-turns)', '[a](../chapters/01_first/)',
                     '![a](../figures/turn.svg)', '[a](https://example.com/x(y)#z)', '`[a](nothing.md)`', '[a]: ../README.md',
                     '<a id="here"></a> [a](#here)', '```\n[a](nothing.md)\n```'):
            with self.subTest(text):
                self.link(text, None)

    def test_bad_ones(self):
        for text, pattern in (('[a](nothing.md)', 'nothing.md: there is no such file'), ('![a](x.svg)', 'x.svg: there is no such file'),
                              ('[a](../README.md#the-book)', '../README.md#the-book: README.md has no heading or id'),
                              ('[a](#how-it-turn)', '#how-it-turn: docs/page.md has no heading or id'),
                              ('[a](/README.md)', '/README.md: links within the repository are relative'),
                              ('[a](../../x)', '../../x: it leads out of the repository'), ('[a]()', ': it is empty'),
                              ('[a]: nothing.md', 'nothing.md: there is no such file'), ('[![a](x.svg)](../README.md)', 'x.svg'),
                              ('<img alt="" src="x.svg">', 'x.svg: there is no such file')):
            with self.subTest(text):
                self.link(text, pattern)

    def test_a_heading_that_was_renamed(self):
        self.change('docs/page.md', '## How it turns', '## How they turn')
        self.expect_finding(r'^README.md:\d+: link to docs/page.md#how-it-turns: docs/page.md has no heading or id of this name')

    def test_anchors(self):
        self.assertEqual(anchor_of('What `a_b` is, *and* why: C++ / [x](y)'), 'what-a_b-is-and-why-c--x')

    def test_targets(self):
        self.assertEqual(targets('[a](b) ``[c](`d)`` [e](<f g>)'), ['b', 'f g'])


class Files(Book):
    def test_each_file_of_a_chapter(self):
        for name, text in (('tests.cu', 'no tests.cu or tests.cpp'), ('main.cu', 'no main.cu or main.cpp'),
                           ('CMakeLists.txt', 'no CMakeLists.txt')):
            with self.subTest(name):
                (self.root / 'chapters/01_first' / name).unlink()
                self.expect_finding(f'^chapters/01_first:1: this chapter has {text}$', 'check', '--only', 'sources')
                self.write(f'chapters/01_first/{name}', '')
        (self.root / 'chapters/01_first/results/h200.csv').unlink()
        self.assertIn('this chapter has no results/*.csv', self.expect(1, 'check', '--only', 'sources'))

    def test_results_of_another_device_are_shown_too(self):
        self.write('chapters/01_first/results/mine.csv', self.read('chapters/01_first/results/h200.csv'))
        self.expect_finding('^chapters/01_first/README.md:1: nothing shows results/mine.csv$', 'check', '--only', 'sources')

    def test_a_trace_and_its_counters_need_each_other_and_no_place_in_the_text(self):
        self.write('chapters/01_first/results/trace.csv', '')
        self.expect_finding('^chapters/01_first:1: results/trace.csv is alone', 'check', '--only', 'sources')
        self.write('chapters/01_first/results/trace_h200.csv', '')
        self.expect(0, 'check', '--only', 'sources')

    def test_a_block_that_was_taken_out_with_its_numbers(self):
        text = self.read(self.chapter)
        start, end = text.index('<!-- results:'), text.index('<!-- end results -->') + len('<!-- end results -->')
        self.write(self.chapter, text[:start] + text[end:])
        self.expect_finding('^chapters/01_first/README.md:1: nothing shows results/h200.csv$', 'check', '--only', 'sources')

    def test_a_fence_that_hides_the_rest(self):
        self.write('docs/page.md', self.read('docs/page.md') + '\n```\n[dead](nowhere.md)\n')
        self.expect_finding(r'^docs/page.md:\d+: this code block is never closed', 'check', '--only', 'sources')

    def test_a_target_that_is_no_program(self):
        self.write('docs/page.md', self.read('docs/page.md') + '<!-- output: clean -->\n<!-- end output -->\n')
        self.expect_finding('clean is no program of a chapter', 'check', '--only', 'sources')

    def test_what_is_saved_meanwhile_is_kept(self):
        program = self.read('build/cpu-test/bin/01_first')
        saved = self.read(self.chapter).replace('# 01 The first', '# 01 Saved meanwhile')
        self.write('saved.md', saved)
        self.program('build/cpu-test/bin/01_first', program.replace('left   out', 'left   in') + f'cp saved.md {self.chapter}\n')
        self.assertIn('was changed while its blocks were made', self.expect(1, 'fill'))
        self.assertEqual(self.read(self.chapter), saved)

    def test_typed_code(self):
        self.write(self.chapter, self.read(self.chapter) + '\n```cpp\nint typed;\n```\n')
        self.expect_finding(r'README.md:\d+: C\+\+ that no snippet filled in', 'check', '--only', 'sources')

    def test_chapter_without_text(self):
        self.write('chapters/02_second/main.cpp', '')
        said = self.expect(1, 'check')
        for text in ('chapters/02_second:1: this chapter has no README.md', 'chapters/CMakeLists.txt:1: 02_second is not added here',
                     'README.md:1: the table of chapters has no link to chapters/02_second/README.md',
                     'docs/index.md:1: the table of chapters has no link to ../chapters/02_second/README.md'):
            self.assertIn(text, said)

    def test_figure_that_no_page_shows(self):
        self.write('figures/other.svg', '<svg/>')
        self.expect_finding('^figures/other.svg:1: figures/other.svg: there is no figures/other.py')


if __name__ == '__main__':
    unittest.main()
