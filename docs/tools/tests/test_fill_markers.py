"""fill.py: markers, selections, commands and edits that are written wrongly."""
import tempfile
import unittest
from pathlib import Path

from book_fixture import Book
from filler.edits import apply_edits, changed_lines, parse_edits
from filler.markers import Fences, fenced, parse, parts_of
from filler.problems import Problem
from filler.programs import parse_command
from filler.selection import choose, parse_selection
from filler.snippets import dedented, tagged


class Markers(unittest.TestCase):
    def findings(self, *lines):
        return [str(finding) for finding in parse('page.md', list(lines))[1]]

    def expect(self, pattern, *lines):
        found = self.findings(*lines)
        self.assertEqual(len(found), 1, found)
        self.assertRegex(found[0], pattern)

    def test_good(self):
        blocks, findings = parse('page.md', ['<!-- snippet: a.cpp b -->', '```cpp', '<!-- x: y -->', '```', '<!-- end snippet -->'])
        self.assertEqual((blocks[0].kind, blocks[0].text, blocks[0].start, blocks[0].end), ('snippet', 'a.cpp b', 0, 4))
        self.assertEqual(findings, [])

    def test_unknown(self):
        self.expect(r'^page.md:2: unknown marker <!-- snipet: a b -->; there are snippet, edit,', '', '<!-- snipet: a b -->')

    def test_unclosed(self):
        self.expect(r'^page.md:1: <!-- snippet: a b --> is never closed', '<!-- snippet: a b -->', 'text')

    def test_closed_by_another_kind(self):
        found = self.findings('<!-- snippet: a b -->', '<!-- end output -->')
        self.assertRegex(found[0], '<!-- snippet: a b --> is never closed')
        self.assertRegex(found[1], '^page.md:2: <!-- end output --> ends a block that was never begun')

    def test_next_marker_before_the_end(self):
        blocks, findings = parse('page.md', ['<!-- summary -->', '<!-- edit -->', '<!-- end edit -->'])
        self.assertEqual([block.kind for block in blocks], ['edit'])
        self.assertRegex(str(findings[0]), '<!-- summary --> is never closed')

    def test_a_block_does_not_swallow_the_next(self):
        blocks, findings = parse('page.md', ['<!-- snippet: a b -->', 'text', '<!-- snippet: c d -->', '<!-- end snippet -->'])
        self.assertEqual([block.text for block in blocks], ['c d'])
        self.assertRegex(str(findings[0]), '^page.md:1: <!-- snippet: a b --> is never closed')

    def test_badly_written(self):
        self.expect('is no marker: it must read', '  <!-- snippet: a b -->')
        self.expect('is no marker: it must read', '<!--snippet: a b-->')
        self.expect('must say more', '<!-- snippet -->', '<!-- end snippet -->')
        self.expect('must stand alone', '<!-- summary: x -->', '<!-- end summary -->')

    def test_what_is_no_marker(self):
        self.assertEqual(self.findings('```', '<!-- snipet: a b -->', '```', '<!-- a remark of several words -->', 'a <!-- b: c --> d'), [])

    def test_fences(self):
        fences = Fences()
        lines = ['````cpp', '```', 'x', '````', 'y', '~~~', '```', '~~~', '``` a `b`']
        self.assertEqual([fences.inside(line) for line in lines], [True] * 4 + [False] + [True] * 3 + [False])

    def test_a_fence_is_longer_than_those_inside(self):
        self.assertEqual(fenced(['```', 'x', '```'])[0], '````')

    def test_bars(self):
        self.assertEqual(parts_of('a || b | c \\| d | e'), ['a || b', 'c | d', 'e'])
        self.assertEqual(parts_of('f | x ==> | 01_a'), ['f', 'x ==>', '01_a'])


class Selections(unittest.TestCase):
    lines = ['', 'title', '', '  check  a', '  row    b', '', 'fault one', 'fault two', '', 'end', '']

    def chosen(self, text):
        return choose(self.lines, parse_selection(text))

    def test_all(self):
        self.assertEqual(self.chosen(''), self.lines[1:-1])

    def test_parts(self):
        self.assertEqual(self.chosen('from "check" until ""'), ['  check  a', '  row    b'])
        self.assertEqual(self.chosen('until "check"'), ['title'])
        self.assertEqual(self.chosen('from "fault" until "end" last 1'), ['fault two'])
        self.assertEqual(self.chosen('from row'), self.lines[4:-1])
        self.assertEqual(self.chosen('last 3'), ['fault two', '', 'end'])
        self.assertEqual(self.chosen('first 3'), ['title', '', '  check  a'])

    def test_dots_stand_only_for_what_was_left_out(self):
        self.assertEqual(self.chosen('from "check" until "" + from "fault" first 2 + last 1'), self.lines[3:-1])
        self.assertEqual(self.chosen('first 1 + last 1'), ['title', '', '...', '', 'end'])

    def test_wrong(self):
        for text, message in (('from "nothing"', 'no line of the output begins with "nothing"'),
                              ('from "end" until "title"', 'no line of the output begins with "title"'),
                              ('from "end" until ""', 'has no empty line there'),
                              ('from "fault" until "end" first 3', '3 lines are asked for, the output has only 2'),
                              ('last 1 + first 1', 'must follow each other'),
                              ('first x', 'needs a number from 1 on, not "x"'),
                              ('from', 'needs something behind it'),
                              ('first 1 last 1', 'exclude each other'),
                              ('first 1 +', 'chooses nothing'),
                              ('form "x"', 'unknown word "form"'),
                              ('from "x', 'No closing quotation')):
            with self.subTest(text), self.assertRaisesRegex(Problem, message):
                self.chosen(text)

    def test_empty_output(self):
        with self.assertRaisesRegex(Problem, 'the output is empty'):
            choose(['', ''], parse_selection(''))


class Commands(unittest.TestCase):
    def test_parts(self):
        command = parse_command('SIMT_SEED=3 03_naive --config "a b" x')
        self.assertEqual(command.environment, (('SIMT_SEED', '3'),))
        self.assertEqual((command.program, command.arguments), ('03_naive', ('--config', 'a b', 'x')))
        self.assertEqual(command.shown(), '$ SIMT_SEED=3 ./run 03 --config "a b" x')

    def test_wrong(self):
        for text in ('', 'A=b', './run 03', '03_naive "x'):
            with self.subTest(text), self.assertRaises(Problem):
                parse_command(text)


class Edits(unittest.TestCase):
    def test_apply(self):
        self.assertEqual(apply_edits(['a(b);', 'c'], parse_edits('a(b) ==> d ;; c ==>'), 'f'), ['d;', ''])

    def test_shown(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / 'f.cu').write_text('  a = 1;\n  wait();\n\n  b = 1;\n  c = 1;\n', encoding='utf-8')
            edits = parse_edits('a = 1 ==> a = 2 ;; wait(); ==> ;; b = 1 ==> b = 2 ;; c = 1 ==> c = 2')
            self.assertEqual(changed_lines(Path(folder), 'f.cu', edits), ['  a = 2;', '// ...', '  b = 2;', '  c = 2;'])
            with self.assertRaisesRegex(Problem, 'only deletes whole lines'):
                changed_lines(Path(folder), 'f.cu', parse_edits('wait(); ==>'))

    def test_only_between_tags(self):
        lines = ['x', '// [t]', 'x', '// [t]']
        self.assertEqual(apply_edits(lines, parse_edits('x ==> y'), 'f', 't'), ['x', '// [t]', 'y', '// [t]'])

    def test_wrong(self):
        for text, message in (('x ==> y', '"x" must stand in f exactly once to be edited, but is found 2 times'),
                              ('z ==> y', 'found 0 times'), ('x', 'an edit is "OLD ==> NEW"'), ('==> x', 'an edit is'),
                              ('w ==> w', 'changes nothing')):
            with self.subTest(text), self.assertRaisesRegex(Problem, message):
                apply_edits(['x x', 'w'], parse_edits(text), 'f')


class Snippets(unittest.TestCase):
    def test_wrong_tags(self):
        for lines, message in ((['a'], r'f has no tag \[t\]'), (['// [t]', 'a'], r'the tag \[t\] is opened and never closed'),
                               (['# [t]', '', '# [t]'], r'nothing stands between the tags \[t\]')):
            with self.subTest(message), self.assertRaisesRegex(Problem, message):
                tagged(lines, 'f', 't')

    def test_moved_to_the_left(self):
        self.assertEqual(dedented(['    a', '', '      b']), ['a', '', '  b'])

    def test_regions(self):
        self.assertEqual(tagged(['// [t]', 'a', '// [t]', 'b', '  // [t]', 'c', '  // [t]'], 'f', 't'), [['a'], ['c']])


class InABook(Book):
    """The same through the whole program: file and line are named."""

    def test_missing_tag(self):
        self.change(self.chapter, 'kernels.cuh turn', 'kernels.cuh spin')
        line = self.line_of(self.chapter, '<!-- snippet')
        self.expect_finding(rf'^{self.chapter}:{line}: <!-- snippet: kernels.cuh spin -->: kernels.cuh has no tag \[spin\]')

    def test_missing_file(self):
        self.change(self.chapter, 'snippet: kernels.cuh', 'snippet: kernel.cuh')
        self.expect_finding(r'<!-- snippet: kernel.cuh turn -->: cannot read kernel.cuh: No such file')

    def test_unknown_and_unclosed_marker(self):
        self.change(self.chapter, '<!-- snippet: ', '<!-- code: ')
        said = self.expect(1, 'check')
        self.assertIn('unknown marker <!-- code: kernels.cuh turn -->', said)
        self.change(self.chapter, '<!-- code: ', '<!-- snippet: ')
        self.change(self.chapter, '<!-- end snippet -->\n', '')
        self.expect_finding(r'<!-- snippet: kernels.cuh turn --> is never closed')

    def test_edit_without_a_try(self):
        self.write('docs/page.md', self.read('docs/page.md') + '\n<!-- edit -->\n<!-- end edit -->\n')
        self.expect_finding(r'docs/page.md:\d+: <!-- edit -->: .* none follows in this file')

    def test_edit_that_does_not_fit_is_seen_without_a_build(self):
        self.change(self.chapter, 'x + y ==>', 'x * y ==>')
        said = self.expect(1, 'check', '--only', 'sources')
        self.assertRegex(said, r'<!-- try: .*: "x \* y" must stand in kernels.cuh exactly once')
        self.assertIn('<!-- edit -->: "x * y" must stand in kernels.cuh exactly once', said)
        self.expect(1, 'check', '--only', 'outputs')


if __name__ == '__main__':
    unittest.main()
