#!/usr/bin/env python3
"""Test of the built site: each page says what its Markdown says. Nothing lost, nothing added, code and program output unchanged.

usage: site_text.py REPOSITORY SITE

The Markdown's text is taken apart here in the simplest way, on purpose not by the filter that made the page. Tables, rows and items of lists
are those that markdown-it finds.
"""
import html
import re
import sys
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from book.markdown import reader  # noqa: E402
from book.pages import Book  # noqa: E402

STRUCTURE = {'table': 'tables', 'tr': 'rows of tables', 'li': 'items of lists'}
EMPTY = ('br', 'hr', 'img', 'link', 'meta', 'input')  # elements without an end


class PageText(HTMLParser):
    """What the page's text block shows: blocks of code, code in the text, and all the rest."""

    def __init__(self, text):
        super().__init__()
        self.blocks, self.codes, self.text, self.guessed, self.formulas, self.images = [], [], [], [], 0, 0
        self.structure = Counter()
        self.open = []  # (tag, class) of the elements around
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        kind = dict(attributes).get('class') or ''
        if tag in EMPTY:
            self.images += tag == 'img' and self.inside('figure')
            return
        if kind == 'fragment':
            self.blocks.append([])
        if kind == 'line' and self.inside('fragment'):
            self.blocks[-1].append('')
        if tag in STRUCTURE and self.inside('textblock') and not self.inside('toc'):
            self.structure[tag] += 1
        if tag == 'code':
            self.codes.append('')
        if tag == 'a' and kind == 'el' and self.inside('textblock') and not self.inside('fragment'):
            self.guessed.append(dict(attributes).get('href'))
        self.open.append((tag, kind))

    def handle_endtag(self, tag):
        while tag not in EMPTY and self.open and self.open.pop()[0] != tag:
            pass

    def inside(self, *kinds):
        return any(kind in kinds or tag in kinds for tag, kind in self.open)

    def handle_data(self, data):
        if not self.inside('textblock', 'title') or self.inside('toc', 'box-title', 'script'):
            return
        if self.inside('title') and not self.inside('headertitle'):
            return
        if self.inside('line'):
            self.blocks[-1][-1] += data
        elif not self.inside('fragment'):
            if self.inside('code'):
                self.codes[-1] += data
            self.text.append(data)

    def letters(self):
        text = ''.join(self.text)
        formulas = re.compile(r'\\\(.*?\\\)|\\\[.*?\\\]', re.DOTALL)
        self.formulas = len(formulas.findall(text))
        return letters(formulas.sub('', text))


def letters(text):
    """Letters, digits and some signs: blanks and Markdown's own marks differ between Markdown and a page."""
    return ''.join(c for c in text if c.isalnum() or c in '%@&=+/;?"')


class MarkdownText:
    def __init__(self, text):
        self.blocks, self.formulas, prose, comment = [], 0, [], False
        lines = iter(text.split('\n'))
        before = ''
        for line in lines:
            fence = re.match(r'(\s*)(`{3,}|~{3,})\s*(\w*)', line)
            if comment or line.startswith('<!--'):
                comment = '-->' not in line
                continue
            if fence:
                block = []
                for inner in lines:
                    if inner.strip() == fence[2]:
                        break
                    block.append(inner.removeprefix(fence[1]))
                if fence[3] == 'math':
                    self.formulas += 1
                else:
                    self.blocks.append(block)
            elif line.startswith('    ') and (not before or before == 'code') and not self.in_list(prose):
                if before == 'code':
                    self.blocks[-1].append(line[4:])
                else:
                    self.blocks.append([line[4:]])
                before = 'code'
                continue
            else:
                prose.append(line.replace('\\|', '|') if line.startswith('|') else line)
            before = line.strip()
        text = '\n'.join(prose)
        text = re.sub(r'^\s*> ?', '', text, flags=re.MULTILINE)
        text = re.sub(r'^\[!\w+\]$', '', text, flags=re.MULTILINE)
        text = re.sub(r'^[|:\- ]+$', '', text, flags=re.MULTILINE)
        text = re.sub(r'^(\s*)(?:[-*+]|\d+[.)])\s', r'\1', text, flags=re.MULTILINE)
        images = re.compile(r'!\[[^\]]*\]\([^)]*\)')
        self.images = len(images.findall(text))
        text = images.sub('', text)
        found = re.compile(r'(?s)(`+)(?!`)(.+?)(?<!`)\1(?!`)|\$\$.+?\$\$|(?<![\w$\\])\$(?![\s$])[^$\n]+?(?<!\s)\$(?!\w)')
        self.codes = [self.code(match[2]) for match in found.finditer(text) if match[1]]
        self.formulas += sum(not match[1] for match in found.finditer(text))
        text = found.sub(lambda match: match[2] if match[1] else '', text)
        text = re.sub(r'\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*\)', ']', text)
        text = re.sub(r'</?(?:br|sub|sup|kbd)\s*/?>', '', text)
        self.letters = letters(html.unescape(text))

    @staticmethod
    def in_list(prose):
        """Whether the last line that is not indented is an item of a list."""
        last = next((line for line in reversed(prose) if line.strip() and not line.startswith('  ')), '')
        return bool(re.match(r'(?:[-*+]|\d+[.)])\s', last))

    @staticmethod
    def code(text):
        text = text.replace('\n', ' ')
        return text[1:-1] if text[0] == text[-1] == ' ' and text.strip() else text


def first_difference(what, expected, got):
    if expected == got:
        return []
    at = next((i for i, (a, b) in enumerate(zip(expected, got)) if a != b), min(len(expected), len(got)))
    if what == 'code block' and at < min(len(expected), len(got)):
        return first_difference(f'code block {at + 1}, line', expected[at], got[at])
    return [f'{what} {at + 1} of {len(expected)}: expected {expected[at:at + 1] or "the end"}, the page has {got[at:at + 1] or "the end"}']


def compare(path, markdown, page):
    source, shown = MarkdownText(markdown), PageText(page)
    text = shown.letters()
    # Doxygen draws an empty line as a blank.
    blocks = [[line.rstrip().replace('\xa0', ' ') for line in block] for block in shown.blocks]
    problems = first_difference('code block', [[line.rstrip() for line in block] for block in source.blocks], blocks)
    problems += first_difference('code', [' '.join(code.split()) for code in source.codes], [' '.join(code.split()) for code in shown.codes])
    if source.letters != text:
        at = next((i for i, (a, b) in enumerate(zip(source.letters, text)) if a != b), min(len(source.letters), len(text)))
        problems.append(f'text: expected ...{source.letters[max(0, at - 30):at + 30]}..., the page has ...{text[max(0, at - 30):at + 30]}...')
    if source.formulas != shown.formulas:
        problems.append(f'{source.formulas} formulas, the page has {shown.formulas}')
    problems += [f'Doxygen made a link to {address} that the text does not have' for address in shown.guessed]
    if source.images != shown.images:
        problems.append(f'{source.images} figures, the page has {shown.images}')
    structure = Counter(token.tag for token in reader().parse(markdown) if token.nesting == 1)
    problems += [f'{structure[tag]} {name}, the page has {shown.structure[tag]}' for tag, name in STRUCTURE.items()
                 if structure[tag] != shown.structure[tag]]
    return [f'{path}: {problem}' for problem in problems], len(text)


def main(repository, site):
    book, problems, total = Book(repository), [], 0
    for path, page in book.pages.items():
        found, count = compare(path, book.text(path), (Path(site) / page.html).read_text(encoding='utf-8'))
        problems += found
        total += count
    print('\n'.join(problems))
    print(f'{len(book.pages)} pages, {total} letters compared, {len(problems)} differences')
    return 1 if problems or not total else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
