"""A page: from Markdown as a code host shows it to Markdown that Doxygen 1.9 shows the same way.

Understood: headings, paragraphs, lists, tables, fenced and indented code, formulas, quotes and boxes, rules, figures, comments. What
Doxygen could not show is an error that names the line.
"""
import re

from .inline import Inline, attribute, escape
from .pages import FENCE, HEADING, PageError

ITEM = re.compile(r'^(\s*)([-*+]|\d{1,9}[.)])(\s+)(?=\S)')
RULE = re.compile(r'^ {0,3}([-*_])(\s*\1){2,}\s*$')
TABLE_RULE = re.compile(r'^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$')
IMAGE = re.compile(r'^!\[([^\]]*)\]\(([^()\s]+)\)\s*$')
NUMBER = re.compile(r'^[-−+]?\d[\d.,]*(?:[-–][\d.,]+)?\s*%?$')
BOX = re.compile(r'^\[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]\s*$')
# Languages that Doxygen colours. Everything else is shown plain: a guess would colour the output of a program.
LANGUAGES = {'cpp': '.cpp', 'c++': '.cpp', 'cuda': '.cpp', 'c': '.cpp', 'python': '.py', 'py': '.py'}
# Doxygen takes away what all lines of a block of code are indented by. This character in front of the first line holds it off; it is
# removed from the finished pages.
KEEP_INDENT = '\ue000'


def convert(book, path):
    """The text that Doxygen gets for the page `path`."""
    return Blocks(book, path, book.text(path).split('\n'), 1).convert()


class Blocks:
    def __init__(self, book, path, lines, first):
        self.book, self.path, self.page, self.lines, self.first = book, path, book.pages[path], lines, first
        self.at = 0
        self.out = []
        self.in_list = False  # an indented line belongs to the item above
        self.headings = {heading.line: heading for heading in self.page.headings}

    def fail(self, message, at=None):
        raise PageError(self.path, self.first + (self.at if at is None else at), message)

    def convert(self):
        while self.at < len(self.lines):
            self._block()
        return '\n'.join(self.out)

    def _block(self):
        line = self.lines[self.at]
        if line.strip() and not line.startswith(' ') and not ITEM.match(line):
            self.in_list = False
        if not line.strip():
            self.out.append('')
            self.at += 1
        elif line.lstrip().startswith('<!--'):
            self._comment()
        elif FENCE.match(line):
            self._fence()
        elif re.match(' {4}|\t', line) and not self.in_list:
            self._indented()
        elif line.lstrip().startswith('$$'):
            self._formula()
        elif HEADING.match(line):
            self._heading()
        elif re.match(r' {0,3}\[[^\]]+\]:\s', line):
            self.fail('an address by reference, [name]: address; write it in place: [text](address)')
        elif RULE.match(line):
            self.out.append('<hr/>')
            self.at += 1
        elif line.lstrip().startswith('>'):
            self._quote()
        elif IMAGE.match(line):
            self._figure()
        elif '|' in line and self.at + 1 < len(self.lines) and TABLE_RULE.match(self.lines[self.at + 1]) and '|' in self.lines[self.at + 1]:
            self._table()
        else:
            self._paragraph()

    def inline(self, text, at):
        def link(url):
            return self.book.link(self.path, self.first + at, url)

        return Inline(text, link, lambda message: self.fail(message, at)).convert()

    def _comment(self):
        start = self.at
        while '-->' not in self.lines[self.at]:
            self.at += 1
            if self.at == len(self.lines):
                self.fail('a comment without an end', start)
        if self.lines[self.at].split('-->', 1)[1].strip():
            self.fail('text behind a comment; a comment has lines of its own')
        self.at += 1

    def _fence(self):
        start, mark = self.at, FENCE.match(self.lines[self.at])
        indent = len(self.lines[start]) - len(self.lines[start].lstrip())
        content = []
        while True:
            self.at += 1
            if self.at == len(self.lines):
                self.fail('a fence without an end', start)
            line = self.lines[self.at]
            if re.match(rf'\s*{mark[1][0]}{{{len(mark[1])},}}\s*$', line):
                break
            content.append(line[min(indent, len(line) - len(line.lstrip())):])
        self.at += 1
        if mark[2] == 'math':
            self._display(content, start, indent)
        else:
            self._code(content, LANGUAGES.get(mark[2].lower(), '.unparsed'), start, indent)

    def _code(self, content, language, start, indent=0):
        text = '\n'.join(content)
        if re.search(r'[\\@]endcode\b', text):
            self.fail('code with the word endcode behind a backslash or @; Doxygen would take it for the end', start)
        tildes = '~' * max([3] + [len(run) + 1 for run in re.findall('~{3,}', text)])
        if content and all(line.startswith(' ') for line in content if line.strip()):
            content = [KEEP_INDENT + content[0], *content[1:]]
        block = [f'{tildes}{{{language}}}', *content, tildes]
        self.out += ['', *((' ' * indent + line).rstrip() for line in block), '']

    def _indented(self):
        start, content = self.at, []
        while self.at < len(self.lines) and (re.match(' {4}|\t', self.lines[self.at]) or not self.lines[self.at].strip()):
            content.append(re.sub('^( {4}|\t)', '', self.lines[self.at]))
            self.at += 1
        while not content[-1].strip():
            content.pop()
        self._code(content, '.unparsed', start)

    def _formula(self):
        """$$ ... $$ that stands alone, on one line or several."""
        start, text = self.at, self.lines[self.at].strip()[2:]
        indent = len(self.lines[start]) - len(self.lines[start].lstrip())
        while '$$' not in text:
            self.at += 1
            if self.at == len(self.lines) or not self.lines[self.at].strip():
                self.fail('a formula that begins with $$ and does not end', start)
            text += '\n' + self.lines[self.at]
        formula, behind = text.split('$$', 1)
        if behind.strip():
            self.fail('text behind a formula; $$ ... $$ stands on lines of its own')
        self.at += 1
        self._display(formula.strip().split('\n'), start, indent)

    def _display(self, content, start, indent):
        text = '\n'.join(line.strip() for line in content if line.strip())
        if not text:
            self.fail('an empty formula', start)
        self.out += ['', *(' ' * indent + line for line in ['\\f[', *text.split('\n'), '\\f]']), '']

    def _heading(self):
        heading = self.headings.get(self.first + self.at)
        if heading is None:
            self.fail('a heading inside a quote')
        # Titles are not read as Markdown by the search and the contents, so they have no markup.
        title = re.sub(r'([\\@#$%&<>|*_`\[\]])', r'\\\1', heading.plain)
        if heading.level == 1:
            self.out.append(f'# {title} {{#{"mainpage" if self.page.id == "index" else self.page.id}}}')
            if sum(h.level in (2, 3) for h in self.page.headings) > 1 and self.page.id != 'index':
                self.out += ['', '[TOC]', '']
        elif self.page.id == 'index':
            # Sections of the front page would come before the chapters in the sidebar.
            section = f'<a class="anchor" id="{self.page.section_id(heading.anchor)}"></a>'
            self.out += ['', f'<h{heading.level - 1}>{section}{escape(heading.plain)}</h{heading.level - 1}>', '']
        else:
            self.out += ['', f'{"#" * heading.level} {title} {{#{self.page.section_id(heading.anchor)}}}', '']
        self.at += 1

    def _quote(self):
        start, inner = self.at, []
        while self.at < len(self.lines) and self.lines[self.at].lstrip().startswith('>'):
            inner.append(re.sub(r'^\s*> ?', '', self.lines[self.at]))
            self.at += 1
        # Lines without > go on with the paragraph above for a code host. Nobody writes that on purpose.
        if self.at < len(self.lines) and self.lines[self.at].strip() and not self.lines[self.at].startswith('<!--'):
            self.fail('a quote that goes on without >')
        box = BOX.match(inner[0])
        begin, end = ['<blockquote>'], ['</blockquote>']
        if box:
            # A list at the end of a <div> would swallow its end; HTML that Doxygen does not read is safe.
            title = f'<div class="box {box[1].lower()}"><p class="box-title">{box[1].capitalize()}</p>'
            begin, end = ['\\htmlonly[block]', title, '\\endhtmlonly', ''], ['', '\\htmlonly[block]', '</div>', '\\endhtmlonly']
            start, inner = start + 1, inner[1:]
        self.out += ['', *begin, Blocks(self.book, self.path, inner, self.first + start).convert(), *end, '']

    def _figure(self):
        """![alt](figure), then perhaps an empty line and a caption: one paragraph in italics."""
        start, image = self.at, IMAGE.match(self.lines[self.at])
        target = self.book.resolve(self.path, image[2])
        if target is None or not (self.book.root / target).is_file():
            self.fail(f'there is no image {image[2]}')
        self.at += 1
        self.out += ['', '\\htmlonly[block]', '<div class="figure">']
        # Figures keep their place below the site's folder, as in the repository.
        self.out += [f'<div class="drawing"><img src="{attribute(target)}" alt="{attribute(image[1])}"/></div>', '\\endhtmlonly']
        following = self.at
        while following < len(self.lines) and not self.lines[following].strip():
            following += 1
        end = following
        while end < len(self.lines) and self.lines[end].strip() and not self.lines[end].startswith('<!--'):
            end += 1
        caption = '\n'.join(self.lines[following:end])
        if following > start and re.fullmatch(r'\*(?!\*)[^*]*\*', caption, re.DOTALL):
            self.out += ['', f'<div class="caption">{self.inline(caption[1:-1], following)}</div>', '']
            self.at = end
        self.out += ['\\htmlonly[block]', '</div>', '\\endhtmlonly', '']

    def _table(self):
        """Rows as they are, cell by cell."""
        self.out.append('')
        rule = self.at + 1
        while self.at < len(self.lines) and '|' in self.lines[self.at]:
            line = self.lines[self.at].strip()
            if self.at == rule:
                self.out.append(line)
            else:
                cells = re.split(r'(?<!\\)\|', re.sub(r'(?<!\\)\|$', '', line.removeprefix('|')))
                cells = [self._cell(cell.strip().replace('\\|', '|')) for cell in cells]
                self.out.append('| ' + ' | '.join(cells) + ' |')
            self.at += 1
        self.out.append('')

    def _cell(self, text):
        if NUMBER.match(text):
            return f'<span class="number">{escape(text)}</span>'
        return self.inline(text, self.at) or '&nbsp;'

    def _paragraph(self):
        """A paragraph, or an item's first: up to an empty line or whatever else begins."""
        start = self.at
        marker = ITEM.match(self.lines[start])
        head = ''
        if marker:
            self.in_list = True
            head = marker[1] + ('-' if marker[2] in '-*+' else marker[2].replace(')', '.')) + marker[3]
        text = [self.lines[start][marker.end() if marker else 0:]]
        self.at += 1
        while self.at < len(self.lines) and not self._interrupts(self.lines[self.at]):
            text.append(self.lines[self.at])
            self.at += 1
        if self.at < len(self.lines) and not self.in_list and ITEM.match(self.lines[self.at]):
            self.fail('this line begins a list inside a paragraph; put an empty line before it, or break the line elsewhere')
        if self.at < len(self.lines) and re.match(r' {0,3}(=+|-+)\s*$', self.lines[self.at]) and not marker:
            self.fail('a heading by a line below it; write it with #')
        indent = re.match(r'\s*', text[0])[0] if not marker else ''
        self.out.append(head + indent + self.inline('\n'.join(text)[len(indent):], start))

    def _interrupts(self, line):
        if not line.strip() or line.startswith('<!--') or FENCE.match(line) or HEADING.match(line) or RULE.match(line):
            return True
        if line.lstrip().startswith(('>', '$$')) or re.match(r' {0,3}(=+|-+)\s*$', line):
            return True
        item = ITEM.match(line)
        # A number begins a list inside a paragraph only if it is 1, for a code host: a sentence may end a line with a year.
        return bool(item) and (item[2] in '-*+' or self.in_list or item[2][:-1] == '1')


