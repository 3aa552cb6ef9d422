"""Tests of md_filter.py: a small book, and what Doxygen gets for each kind of Markdown."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOLS = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TOOLS))
from book.markdown import KEEP_INDENT, convert  # noqa: E402
from book.pages import Book, PageError  # noqa: E402
from book.search import words_and_headings  # noqa: E402
from book.site import layout, namespaces, source_pages  # noqa: E402

INDEX = '# The book\n\nStart with [one](../chapters/01_one/README.md), see [terms](terms.md#a-word) and [speed](speed.md).\n\n## For whom\n\nYou.\n'
TERMS = '# Terms\n\n## A word\n\nA *sector* has 32 bytes.\n\n## Another `word`\n\nText.\n'


class SmallBook(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name).resolve()
        self.write('docs/index.md', INDEX)
        self.write('docs/terms.md', TERMS)
        self.write('docs/speed.md', '# Speed\n')
        self.write('docs/a-last.md', '# Nobody links here\n')
        self.write('README.md', '# For the code host\n')
        self.write('LICENSE', 'MIT')
        self.write('common/gpu/device.cuh', 'int x;\n')
        self.write('chapters/01_one/kernels.cuh', 'namespace ropewalk::one {\n')
        self.write('chapters/02_two/README.md', '# 02 Two "quoted"\n')
        self.write('figures/pairs.svg', '<svg/>')
        self.write('chapters/01_one/README.md', '# 01 One\n')

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding='utf-8')

    def converted(self, body, path='chapters/01_one/README.md'):
        """What Doxygen gets for this text under a title, without empty lines at its ends."""
        self.write(path, '# 01 One\n\n' + body + '\n')
        return convert(Book(self.root), path).split('}', 1)[1].strip()

    def refused(self, body, message, line):
        with self.assertRaises(PageError) as caught:
            self.converted(body)
        self.assertIn(message, str(caught.exception))
        self.assertTrue(str(caught.exception).startswith(f'chapters/01_one/README.md:{line}: '), str(caught.exception))


class Pages(SmallBook):
    def test_ids_and_order(self):
        book = Book(self.root)
        self.assertEqual([page.id for page in book.chapters], ['ch01', 'ch02'])
        self.assertEqual([page.id for page in book.other_pages], ['terms', 'speed', 'a-last'])
        self.assertNotIn('README.md', book.pages)

    def test_title_and_contents(self):
        self.write('chapters/01_one/README.md', '# 01 One\n\n## First\n\n## Second & `code`\n')
        text = convert(Book(self.root), 'chapters/01_one/README.md')
        self.assertTrue(text.startswith('# 01 One {#ch01}\n\n[TOC]\n'), text)
        self.assertIn('\n## First {#ch01_first}\n', text)
        self.assertIn('\n## Second \\& code {#ch01_second--code}\n', text)

    def test_the_front_page_has_no_sections_of_the_sidebar(self):
        text = convert(Book(self.root), 'docs/index.md')
        self.assertIn('{#mainpage}', text)
        self.assertIn('<h1><a class="anchor" id="index_for-whom"></a>For whom</h1>', text)
        self.assertNotIn('[TOC]', text)

    def test_headings_met_again_are_numbered(self):
        self.write('docs/terms.md', '# T\n\n## Same\n\n## Same\n')
        self.assertEqual([h.anchor for h in Book(self.root).pages['docs/terms.md'].headings], ['t', 'same', 'same-1'])

    def test_a_hash_in_code_is_no_heading(self):
        self.write('docs/terms.md', '# T\n\n```\n# no\n```\n\n<!--\n# no\n-->\n')
        self.assertEqual(len(Book(self.root).pages['docs/terms.md'].headings), 1)

    def test_a_page_without_title(self):
        self.write('docs/terms.md', '## Small\n')
        with self.assertRaisesRegex(PageError, 'docs/terms.md:1: the first heading must be the title'):
            Book(self.root)

    def test_two_titles(self):
        self.write('docs/terms.md', '# T\n\n# U\n')
        with self.assertRaisesRegex(PageError, 'docs/terms.md:3: a second title'):
            Book(self.root)


class Code(SmallBook):
    def test_languages(self):
        self.assertEqual(self.converted('```cpp\nint x;  // *a*\n```'), '~~~{.cpp}\nint x;  // *a*\n~~~')
        self.assertEqual(self.converted('```\n$ run | \\foo <b>\n```'), '~~~{.unparsed}\n$ run | \\foo <b>\n~~~')
        self.assertEqual(self.converted('```bash\n./run # x\n```'), '~~~{.unparsed}\n./run # x\n~~~')

    def test_indented(self):
        self.assertEqual(self.converted('Text:\n\n    y0 = x0\n      + 1\n\n    z\n\nMore.'),
                         'Text:\n\n\n~~~{.unparsed}\ny0 = x0\n  + 1\n\nz\n~~~\n\nMore\\.')

    def test_what_all_lines_are_indented_by_stays(self):
        self.assertEqual(self.converted('```\n  a\n    b\n```'), f'~~~{{.unparsed}}\n{KEEP_INDENT}  a\n    b\n~~~')

    def test_tildes_inside(self):
        self.assertEqual(self.converted('```\n~~~\n```'), '~~~~{.unparsed}\n~~~\n~~~~')

    def test_in_a_list(self):
        self.assertEqual(self.converted('- item\n\n  ```\n  x\n  ```\n\n      y'), '- item\n\n\n  ~~~{.unparsed}\n  x\n  ~~~\n\n\n      y')

    def test_wrong(self):
        self.refused('Text\n\n```\nx', 'a fence without an end', 5)
        self.refused('```\n\\endcode\n```', 'endcode', 3)


class Inlines(SmallBook):
    def test_text_is_shown_as_it_is(self):
        self.assertEqual(self.converted('--x a::b 5 % @me #1 \\foo C:\\* "q" & < > 2 * 3 a_b_c'),
                         '\\-\\-x a\\::b 5 \\% \\@me \\#1 \\\\foo C:\\* &quot;q&quot; \\& \\< \\> 2 \\* 3 a\\_b\\_c')

    def test_code(self):
        self.assertEqual(self.converted('`a_b` ``x`y`` `--x | $y$` `f()`'),
                         '<code>a\\_b</code> <code>x\\`y</code> <code>\\-\\-x \\| \\$y\\$</code> <code>%f\\(\\)</code>')

    def test_emphasis(self):
        for text, expected in (('*a* _b_ **c** __d__', '<em>a</em> <em>b</em> <b>c</b> <b>d</b>'),
                               ('**(x)** y', '<b>\\(x\\)</b> y'), ('***a** b*', '<em><b>a</b> b</em>'), ('a * b * c', 'a \\* b \\* c'), ('2*3*4', '2<em>3</em>4'),
                               ('snake_case_name __x', 'snake\\_case\\_name \\_\\_x'), ('**a\nb**', '<b>a\nb</b>'),
                               ('*a `*` b*', '<em>a <code>\\*</code> b</em>')):
            self.assertEqual(self.converted(text), expected)

    def test_entities_and_escapes(self):
        self.assertEqual(self.converted('&lt;b&gt; &#42; \\*x\\* a\\\nb'), '\\<b\\> \\* \\*x\\* a<br/>\nb')
        self.assertEqual(self.converted('m<sup>2</sup>'), 'm<sup>2</sup>')
        self.refused('x <details>', 'the HTML tag <details>', 3)

    def test_formulas(self):
        self.assertEqual(self.converted('The angle $a_p \\cdot *b*$ costs 5$ or $6.'), 'The angle \\f$a_p \\cdot *b*\\f$ costs 5\\$ or \\$6\\.')
        self.assertEqual(self.converted('$`x`$ and \\$y\\$'), '\\f$x\\f$ and \\$y\\$')
        for text in ('$$\na_1 \\\\\nb\n$$', '```math\na_1 \\\\\nb\n```'):
            self.assertEqual(self.converted(text), '\\f[\na_1 \\\\\nb\n\\f]')
        self.assertEqual(self.converted('$$x = 1$$'), '\\f[\nx = 1\n\\f]')
        self.refused('$$\nx', 'a formula that begins with $$ and does not end', 3)

    def test_links(self):
        for text, expected in (
                ('[web](https://x.org/a_b?c=1&d)', '<a href="https://x.org/a_b?c=1&amp;d">web</a>'),
                ('[a [b] `]`](https://x.org)', '<a href="https://x.org">a \\[b\\] <code>\\]</code></a>'),
                ('<https://x.org> https://y.org/z.', '<a href="https://x.org">https://x\\.org</a> <a href="https://y.org/z">https://y\\.org/z</a>\\.'),
                ('[two](../02_two/README.md)', '<a href="ch02.html">two</a>'), ('[two](../02_two)', '<a href="ch02.html">two</a>'),
                ('[word](../../docs/terms.md#a-word)', '<a href="terms.html#terms_a-word">word</a>'),
                ('[x](../../docs/terms.md#another-word)', '<a href="terms.html#terms_another-word">x</a>'),
                ('[start](../../README.md)', '<a href="index.html">start</a>'),
                ('[device](../../common/gpu/device.cuh)', '<a href="source:common/gpu/device.cuh">device</a>'),
                ('[*licence*](../../LICENSE)', '<em>licence</em>'), ('[folder](../../common/gpu)', 'folder'), ('q[a] [b][c]', 'q\\[a\\] \\[b\\]\\[c\\]')):
            self.assertEqual(self.converted(text), expected)

    def test_wrong_links(self):
        self.refused('Text\n\n[x](nothing.md)', 'the link nothing.md leads to nothing', 5)
        self.refused('[x](../../docs/terms.md#gone)', 'names a heading that docs/terms.md does not have', 3)
        self.refused('[x](../../../outside)', 'leads to nothing', 3)
        self.refused('[x](ftp://y)', 'neither a web address nor a path', 3)
        self.refused('[x][y]\n\n[y]: z', 'an address by reference', 5)


class BlocksOfText(SmallBook):
    def test_markers_are_dropped(self):
        self.assertEqual(self.converted('A\n\n<!-- output: x | last 2 -->\n```\no\n```\n<!-- end output -->\n\nB <!-- c --> D'),
                         'A\n\n\n~~~{.unparsed}\no\n~~~\n\n\nB  D')

    def test_lists(self):
        self.assertEqual(self.converted('* one\n  more\n* two\n  - deep\n\n1) x\n2) y'), '- one\n  more\n- two\n  - deep\n\n1. x\n2. y')
        self.assertEqual(self.converted('In the year\n2026. Then'), 'In the year\n2026\\. Then')
        self.refused('frequency\n1. Each', 'begins a list inside a paragraph', 4)

    def test_boxes_and_quotes(self):
        text = self.converted('> [!NOTE]\n> Mind `x`.\n>\n> - a\n\nEnd')
        self.assertIn('<div class="box note"><p class="box-title">Note</p>\n\\endhtmlonly\n\nMind <code>x</code>\\.\n\n- a\n\n\\htmlonly', text)
        self.assertEqual(self.converted('> **Real:** a\n> b'), '<blockquote>\n<b>Real:</b> a\nb\n</blockquote>')
        self.refused('> a\nb', 'a quote that goes on without >', 4)

    def test_tables(self):
        self.assertEqual(self.converted('| a | |\n|---|--:|\n| `x \\| y` | 1.5–2.25 |\n| p \\| q | |'),
                         '| a | &nbsp; |\n|---|--:|\n| <code>x \\| y</code> | <span class="number">1\\.5–2\\.25</span> |\n| p \\| q | &nbsp; |')

    def test_figures(self):
        text = self.converted('![A "pair"](../../figures/pairs.svg)\n\n*Which `x`\nis which.*\n<!-- end figure -->\n\nText')
        self.assertIn('<img src="figures/pairs.svg" alt="A &quot;pair&quot;"/>', text)
        self.assertIn('<div class="caption">Which <code>x</code>\nis which\\.</div>', text)
        self.assertTrue(text.endswith('Text'))
        self.assertNotIn('caption', self.converted('![A](../../figures/pairs.svg)\n\nText'))
        self.refused('![A](../../figures/none.svg)', 'there is no image', 3)
        self.refused('see ![A](../../figures/pairs.svg)', 'an image inside a paragraph', 3)


class Site(SmallBook):
    def test_sidebar(self):
        default = '<doxygenlayout>\n  <navindex>\n  <tab type="x"/>\n  </navindex>\n  <class/>\n</doxygenlayout>'
        text = layout(Book(self.root), default)
        order = [text.index(part) for part in ('mainpage', '"01 One"', '"02 Two &quot;quoted&quot;"', '"Terms"', '"Speed"', 'API reference', '<class/>')]
        self.assertEqual(order, sorted(order))
        self.assertNotIn('type="x"', text)

    def test_namespaces_name_their_chapter(self):
        self.assertIn('\\namespace ropewalk::one\n/// The code of chapter \\ref ch01.', namespaces(Book(self.root)))

    def test_source_pages(self):
        self.write('site/device_8cuh_source.html', '<title>Ropewalk: common/gpu/device.cuh Source File</title>')
        self.write('site/a_8hpp_source.html', f'<title>Ropewalk: {self.root}/common/a.hpp Source File</title>')
        self.assertEqual(source_pages(self.root, self.root / 'site'),
                         {'common/gpu/device.cuh': 'device_8cuh_source.html', 'common/a.hpp': 'a_8hpp_source.html'})

    def test_search_finds_headings_and_words(self):
        found = words_and_headings(Book(self.root))
        self.assertEqual(found['A word'], [['../terms.html#terms_a-word', 1, 'Terms: A word']])
        self.assertEqual(found['One'], [['../ch01.html', 1, '01 One']])
        self.assertEqual(found['sector'], [['../terms.html#terms_a-word', 1, 'Terms: A word']])


class Command(SmallBook):
    def run_filter(self, *arguments):
        return subprocess.run([sys.executable, TOOLS / 'md_filter.py', *arguments], capture_output=True, text=True, check=False)

    def test_exit_codes(self):
        good = self.run_filter(self.root / 'docs/terms.md')
        self.assertEqual((good.returncode, good.stderr), (0, ''))
        self.assertTrue(good.stdout.startswith('# Terms {#terms}'))
        self.write('docs/terms.md', '# T\n\n[x](y)\n')
        for arguments, message in (((self.root / 'docs/terms.md',), 'leads to nothing'), ((), 'usage'),
                                   ((self.root / 'LICENSE',), 'is not a page of the book'), (('/nowhere/x.md',), 'is not a page of the book')):
            bad = self.run_filter(*arguments)
            self.assertEqual((bad.returncode, bad.stdout), (2, ''), arguments)
            self.assertIn(message, bad.stderr)
            self.assertEqual(bad.stderr.count('\n'), 1, bad.stderr)


if __name__ == '__main__':
    unittest.main()
