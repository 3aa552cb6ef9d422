"""Tests of md_filter.py and site_text.py: a small book, and what Doxygen gets for each kind of Markdown. Most need markdown-it."""
import importlib.util
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOLS = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TOOLS))
from book.pages import KEEP_INDENT, Book, PageError  # noqa: E402
from book.search import words_and_headings  # noqa: E402
from book.site import layout, namespaces, source_pages  # noqa: E402

HAS_MARKDOWN_IT = all(importlib.util.find_spec(name) for name in ('markdown_it', 'mdit_py_plugins'))
if HAS_MARKDOWN_IT:
    import site_text
    from book.markdown import convert
needs_markdown_it = unittest.skipUnless(HAS_MARKDOWN_IT, 'markdown-it-py and mdit-py-plugins are not installed')

INDEX = '# The book\n\nStart with [one](../chapters/01_one/README.md), see [terms](terms.md#a-word) and [speed](speed.md).\n\n## For whom\n\nYou.\n\n## How\n'
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
        """What Doxygen gets for this text under a title; H[ and ]H around what is HTML."""
        self.write(path, '# 01 One\n\n' + body + '\n')
        text = convert(Book(self.root), path).split('}', 1)[1].strip()
        return text.replace('\\htmlonly[block]\n', 'H[').replace('\n\\endhtmlonly', ']H').replace('\n]H', ']H')

    def paragraph(self, body):
        """The HTML in the only paragraph."""
        text = self.converted(body)
        self.assertTrue(text.startswith('H[<p>') and text.endswith('</p>]H'), text)
        return text[len('H[<p>'):-len('</p>]H')]

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

    @needs_markdown_it
    def test_title_and_contents(self):
        self.write('chapters/01_one/README.md', '# 01 One\n\n## First\n\n## Second & `code`\n')
        text = convert(Book(self.root), 'chapters/01_one/README.md')
        self.assertTrue(text.startswith('# 01 One {#ch01}\n\n[TOC]\n'), text)
        self.assertIn('\n## First {#ch01_first}\n', text)
        self.assertIn('\n## Second \\& code {#ch01_second--code}\n', text)

    @needs_markdown_it
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


@needs_markdown_it
class Code(SmallBook):
    def test_languages(self):
        self.assertEqual(self.converted('```cpp\nint x;  // *a*\n```'), '~~~{.cpp}\nint x;  // *a*\n~~~')
        self.assertEqual(self.converted('```\n$ run | \\foo <b>\n\n\n```'), '~~~{.unparsed}\n$ run | \\foo <b>\n\n\n~~~')
        self.assertEqual(self.converted('```\n```'), '~~~{.unparsed}\n\n~~~')
        self.assertEqual(self.converted('```bash\n./run # x\n```'), '~~~{.unparsed}\n./run # x\n~~~')

    def test_indented(self):
        self.assertEqual(self.converted('    y0 = x0\n      + 1\n\n    z\n'), '~~~{.unparsed}\ny0 = x0\n  + 1\n\nz\n~~~')

    def test_what_all_lines_are_indented_by_stays(self):
        self.assertEqual(self.converted('```\n  a\n    b\n```'), f'~~~{{.unparsed}}\n{KEEP_INDENT}  a\n    b\n~~~')

    def test_tildes_inside(self):
        self.assertEqual(self.converted('```\n~~~\n```'), '~~~~{.unparsed}\n~~~\n~~~~')

    def test_in_a_list(self):
        self.assertEqual(self.converted('- a\n\n  ```\n  x\n  ```\n\n  b'),
                         'H[<ul>\n<li>\n<p>a</p>]H\n\n~~~{.unparsed}\nx\n~~~\n\nH[<p>b</p>\n</li>\n</ul>]H')

    def test_wrong(self):
        self.refused('Text\n\n```\nx', 'a fence without an end', 5)
        self.refused('- a\n\n  ```\n  x\n\nb', 'a fence without an end', 5)
        self.converted('> ~~~\n> x\n> ~~~~')
        self.refused('```\n\\endcode\n```', 'endcode', 3)
        self.refused('a\n`@endhtmlonly`', 'endhtmlonly', 4)


@needs_markdown_it
class Inlines(SmallBook):
    def test_tags_and_comments(self):
        self.assertEqual(self.paragraph('m<sup>2</sup> a<br/>b<!-- c --> \\*x\\* &lt;b&gt;'), 'm<sup>2</sup> a<br/>b *x* &lt;b&gt;')
        self.refused('a\nx <details>', 'the HTML tag <details>', 4)

    def test_formulas(self):
        self.assertEqual(self.paragraph('The angle $a_p \\cdot *b* < 1$ costs 5$ or $6.'), 'The angle \\(a_p \\cdot *b* &lt; 1\\) costs 5$ or $6.')
        self.assertEqual(self.paragraph('$`x`$ and \\$y\\$ are 5'), '\\(x\\) and $y$ are 5')
        for text in ('$$\na_1 \\\\\n  b < c\n$$', '```math\na_1 \\\\\nb < c\n```'):
            self.assertEqual(self.converted(text), 'H[<p class="formulaDsp">\n\\[\na_1 \\\\\nb &lt; c\n\\]\n</p>]H')
        self.assertIn('\\[\nx = 1\n\\]', self.converted('$$x = 1$$'))

    def test_wrong_formulas(self):
        self.refused('a\n\n$$\nx', '$$ that neither begins nor ends a formula', 5)
        self.refused('a\n$$x$$', 'a formula in $$ inside a paragraph', 4)
        self.refused('$$x$$ (1)', 'a formula in $$ inside a paragraph', 3)
        self.refused('$$\nx\n\ny\n$$', '$$ that neither', 3)
        for text in ('a$x$', '$x$2', '$5-`$ x`'):
            self.refused(text, 'a formula for some readers', 3)

    def test_links(self):
        self.write('chapters/01_one/a b.txt', '')
        for text, expected in (
                ('[web](https://x.org/a_b?c=1&d)', '<a href="https://x.org/a_b?c=1&amp;d">web</a>'),
                ('<https://x.org>.', '<a href="https://x.org">https://x.org</a>.'),
                ('[two](../02_two/README.md)', '<a href="ch02.html">two</a>'), ('[two](../02_two)', '<a href="ch02.html">two</a>'),
                ('[word](../../docs/terms.md#a-word)', '<a href="terms.html#terms_a-word">word</a>'),
                ('[x](../../docs/terms.md#another-word)', '<a href="terms.html#terms_another-word">x</a>'),
                ('[start](../../README.md)', '<a href="index.html">start</a>'),
                ('[device](../../common/gpu/device.cuh)', '<a href="source:common/gpu/device.cuh">device</a>'),
                ('[*licence*](../../LICENSE)', '<em>licence</em>'), ('[folder](../../common/gpu)', 'folder'),
                ('[gap](a%20b.txt)', 'gap'), ('[web](https://x.org/a%20b)', '<a href="https://x.org/a%20b">web</a>')):
            self.assertEqual(self.paragraph(text), expected)

    def test_wrong_links(self):
        self.refused('Text\n\nmore\n[x](nothing.md)', 'the link nothing.md leads to nothing', 6)
        self.refused('| a |\n|---|\n| b |\n| [x](nothing.md) |', 'leads to nothing', 6)
        self.refused('[x](../../docs/terms.md#gone)', 'names a heading that docs/terms.md does not have', 3)
        self.refused('[x](../../../outside)', 'leads to nothing', 3)
        self.refused('[x](ftp://y)', 'neither a web address nor a path', 3)
        self.refused('[x][y]\n\n[y]: z', 'an address by reference', 5)
        self.refused('a\nhttps://x.org', 'write <https://...>', 4)


@needs_markdown_it
class BlocksOfText(SmallBook):
    def test_markers_are_dropped(self):
        self.assertEqual(self.converted('A\n\n<!-- output: x | last 2 -->\n```\no\n```\n<!-- end output -->\n'), 'H[<p>A</p>]H\n\n~~~{.unparsed}\no\n~~~')

    def test_wrong_comments(self):
        for text in ('<!-- a --> b', '<!-- a\n\nb', '<div>\nx\n</div>'):
            self.refused(text, 'HTML, or a comment without an end, or text behind one', 3)

    def test_wrong_headings(self):
        for text in ('Small\n-----', '> ## Small', ' ## Small'):
            self.refused(text, 'a heading that the contents would not have', 3)

    def test_boxes_and_quotes(self):
        box = 'H[<div class="box note"><p class="box-title">Note</p>\n'
        self.assertEqual(self.converted('> [!NOTE]\n> Mind `x`.\n>\n> > a'),
                         box + '<p>\nMind <code>x</code>.</p>\n<blockquote>\n<p>a</p>\n</blockquote>\n</div>]H')
        self.assertEqual(self.converted('> [!NOTE]\n>\n> Mind'), box + '<p>Mind</p>\n</div>]H')
        self.assertEqual(self.converted('> a'), 'H[<blockquote>\n<p>a</p>\n</blockquote>]H')
        self.refused('> [!NOTE]\n> a\n> [x](y)', 'leads to nothing', 5)

    def test_tables(self):
        self.assertEqual(self.converted('| a | |\n|---|--:|\n| `x \\| y` | 1.5–2.25 |'),
                         'H[<table class="markdownTable">\n<tr>\n<th class="markdownTableHeadNone">a</th>\n<th class="markdownTableHeadRight"></th>\n</tr>\n'
                         '<tr>\n<td class="markdownTableBodyNone"><code>x | y</code></td>\n<td class="markdownTableBodyRight number">1.5–2.25</td>\n</tr>\n'
                         '</table>]H')

    def test_figures(self):
        figure = 'H[<div class="figure"><div class="drawing"><img src="figures/pairs.svg" alt="A &quot;pair&quot;" /></div>'
        text = self.converted('![A "pair"](../../figures/pairs.svg)\n\n*Which `x`\nis which.*\n<!-- end figure -->\n\nText')
        self.assertEqual(text, figure + '\n<div class="caption">Which <code>x</code>\nis which.</div></div>\n<p>Text</p>]H')
        for behind in ('', '\n\nText', '\n\n*a* *b*', '\n\n![A "pair"](../../figures/pairs.svg)'):
            self.assertTrue(self.converted('![A "pair"](../../figures/pairs.svg)' + behind).startswith(figure + '</div>'), behind)
        self.refused('![A](../../figures/none.svg)', 'there is no image', 3)
        self.refused('see\n![A](../../figures/pairs.svg)', 'an image inside a paragraph', 4)


@needs_markdown_it
class SiteText(unittest.TestCase):
    MARKDOWN = '# T\n\n- a\n- b\n\n| c | d |\n|---|---|\n| e | f |\n'
    LIST, TABLE = '<ul><li>a</li><li>b</li></ul>', '<table><tr><th>c</th><th>d</th></tr><tr><td>e</td><td>f</td></tr></table>'

    def problems(self, *shown):
        page = f'<div class="headertitle"><div class="title">T</div></div><div class="textblock">{"".join(shown)}</div>'
        return site_text.compare('x.md', self.MARKDOWN, page)[0]

    def test_lost_structure(self):
        self.assertEqual(self.problems(self.LIST, self.TABLE), [])
        self.assertEqual(self.problems(self.LIST, '<p>c d e f</p>'), ['x.md: 1 tables, the page has 0', 'x.md: 2 rows of tables, the page has 0'])
        self.assertEqual(self.problems(self.LIST, self.TABLE.replace('</tr><tr>', '')), ['x.md: 2 rows of tables, the page has 1'])
        self.assertEqual(self.problems('<ul><li>a b</li></ul>', self.TABLE), ['x.md: 2 items of lists, the page has 1'])

    def test_other_text(self):
        self.assertIn('expected ...Tabcdef..., the page has ...Taxcdef...', self.problems(self.LIST.replace('b', 'x'), self.TABLE)[0])


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


@needs_markdown_it
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
