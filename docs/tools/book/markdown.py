"""A page for Doxygen 1.9, shown as a code host shows it. markdown-it reads the page and makes HTML of it, which Doxygen only hands through.
Headings and code are left to Doxygen: it makes the contents of the headings and colours the code.

What a code host shows differently, or Doxygen could not show, is an error that names the line.
"""
import html
import re
from urllib.parse import unquote

from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin

from .pages import KEEP_INDENT, PageError

COMMENT = re.compile(r'<!--.*?-->', re.DOTALL)
CAPTION = re.compile(r'\*[^*]+\*')
NUMBER = re.compile(r'[-−+]?\d[\d.,]*(?:[-–][\d.,]+)?\s*%?')
BOX = re.compile(r'\[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]\s*(?:\n|$)')
TAG = re.compile(r'</?(br|sub|sup|kbd)\s*/?>')
# Languages that Doxygen colours. Everything else is shown plain: a guess would colour the output of a program.
LANGUAGES = {'cpp': '.cpp', 'c++': '.cpp', 'cuda': '.cpp', 'c': '.cpp', 'python': '.py', 'py': '.py'}


def reader():
    """Reads Markdown as a code host does, formulas between dollar signs too."""
    md = MarkdownIt('commonmark').enable(['table', 'strikethrough'])
    md.use(dollarmath_plugin, allow_labels=False, allow_space=False, allow_blank_lines=False, double_inline=True)
    md.add_render_rule('raw', lambda _, tokens, at, *rest: tokens[at].content)
    return md


def convert(book, path):
    """The text that Doxygen gets for the page `path`."""
    return Converter(book, path).convert()


def set_raw(token, text):
    token.type, token.content = 'raw', text


def for_doxygen(text):
    """A gap in the HTML, with Markdown that Doxygen reads."""
    return f'\n\\endhtmlonly\n\n{text}\n\n\\htmlonly[block]\n'


class Converter:
    """Goes through the tokens of a page. A method named after a type of token checks and rewrites those that cannot stay as they are."""

    def __init__(self, book, path):
        self.book, self.path, self.page, self.text, self.line = book, path, book.pages[path], book.text(path), 1
        self.links = []  # those around: whether each is shown as a link
        self.headings = {heading.line: heading for heading in self.page.headings}

    def fail(self, message):
        raise PageError(self.path, self.line, message)

    def convert(self):
        md, found = reader(), {}
        tokens = md.parse(self.text, found)
        for reference in found.get('references', {}).values():
            self.line = reference['map'][0] + 1
            self.fail('an address by reference, [name]: address; write it in place: [text](address)')
        self._rewrite(tokens)
        text = f'\\htmlonly[block]\n{md.renderer.render(tokens, md.options, found)}\n\\endhtmlonly'
        return re.sub(r'\\htmlonly\[block\]\s*\\endhtmlonly\n*', '', text)

    def _rewrite(self, tokens):
        for at, token in enumerate(tokens):
            if token.map:
                self.line = token.map[0] + 1
            if token.type != 'inline' and re.search(r'[\\@]end(code|htmlonly)\b', token.content):
                self.fail('the word endcode or endhtmlonly behind a backslash or @; Doxygen would take it for an end')
            rewrite = getattr(self, f'_{token.type}', None)
            if rewrite:
                rewrite(tokens, at)

    def _inline(self, tokens, at):
        self._rewrite(tokens[at].children)

    def _softbreak(self, _, __):
        self.line += 1

    _hardbreak = _softbreak

    def _heading_open(self, tokens, at):
        heading = self.headings.get(self.line)
        if heading is None:
            self.fail('a heading that the contents would not have: it begins with # at the beginning of a line, not in a quote or a list')
        section = self.page.section_id(heading.anchor)
        # Titles are not read as Markdown by the search and the contents, so they have no markup.
        title = re.sub(r'([\\@#$%&<>|*_`\[\]])', r'\\\1', heading.plain)
        if heading.level == 1:
            text = for_doxygen(f'# {title} {{#{"mainpage" if self.page.id == "index" else self.page.id}}}')
            if sum(h.level in (2, 3) for h in self.page.headings) > 1 and self.page.id != 'index':
                text += for_doxygen('[TOC]')
        elif self.page.id == 'index':
            # Sections of the front page would come before the chapters in the sidebar.
            title = html.escape(heading.plain)
            text = f'<h{heading.level - 1}><a class="anchor" id="{section}"></a>{title}</h{heading.level - 1}>\n'
        else:
            text = for_doxygen(f'{"#" * heading.level} {title} {{#{section}}}')
        for token, content in zip(tokens[at:at + 3], (text, '', '')):
            set_raw(token, content)

    def _fence(self, tokens, at):
        token = tokens[at]
        end = self.text.split('\n')[token.map[1] - 1].strip(' >')
        if token.map[1] - token.map[0] < 2 or not re.fullmatch(f'{token.markup[0]}{{{len(token.markup)},}}', end):
            self.fail('a fence without an end')
        if token.info.strip() == 'math':
            self._math_block(tokens, at)
        else:
            self._code_block(tokens, at)

    def _code_block(self, tokens, at):
        text = tokens[at].content.removesuffix('\n')
        if text and all(line.startswith(' ') for line in text.split('\n') if line.strip()):
            text = KEEP_INDENT + text
        language = LANGUAGES.get(tokens[at].info.strip().lower(), '.unparsed')
        tildes = '~' * max([3] + [len(run) + 1 for run in re.findall('~{3,}', text)])
        set_raw(tokens[at], for_doxygen(f'{tildes}{{{language}}}\n{text}\n{tildes}'))

    def _math_block(self, tokens, at):
        formula = '\n'.join(line.strip() for line in tokens[at].content.split('\n') if line.strip())
        set_raw(tokens[at], f'<p class="formulaDsp">\n\\[\n{html.escape(formula)}\n\\]\n</p>\n')

    def _math_inline(self, tokens, at):
        around = ''.join([t.content[-1:] for t in tokens[:at][-1:]] + [t.content[:1] for t in tokens[at + 1:at + 2]])
        formula = tokens[at].content
        if re.search(r'\w', around) or not re.fullmatch('`[^`]+`|[^`]+', formula):
            self.fail(f'${formula}$: a formula for some readers of Markdown and not for others; write \\$ for a dollar')
        set_raw(tokens[at], f'\\({html.escape(formula.strip("`"))}\\)')

    def _math_inline_double(self, _, __):
        self.fail('a formula in $$ inside a paragraph; it must stand alone, with empty lines around it')

    def _text(self, tokens, at):
        if '$$' in tokens[at].content:
            self.fail('$$ that neither begins nor ends a formula')
        if not self.links and re.search('https?://', tokens[at].content):
            self.fail('an address that only some readers of Markdown make a link of; write <https://...>')

    def _link_open(self, tokens, at):
        url = tokens[at].attrs['href']
        url = self.book.link(self.path, self.line, url if ':' in url else unquote(url))
        self.links.append(url is not None)
        if url is None:
            set_raw(tokens[at], '')
        else:
            tokens[at].attrs['href'] = url

    def _link_close(self, tokens, at):
        if not self.links.pop():
            set_raw(tokens[at], '')

    def _html_block(self, tokens, at):
        rest = COMMENT.sub('', tokens[at].content).strip()
        if rest:
            self.fail(f'HTML, or a comment without an end, or text behind one: {rest.splitlines()[0]}')
        set_raw(tokens[at], '')

    def _html_inline(self, tokens, at):
        if COMMENT.fullmatch(tokens[at].content):
            set_raw(tokens[at], '')
        elif not TAG.fullmatch(tokens[at].content):
            self.fail(f'the HTML tag {tokens[at].content}; only br, sub, sup and kbd are allowed')

    def _blockquote_open(self, tokens, at):
        box = tokens[at + 1].type == 'paragraph_open' and BOX.match(tokens[at + 2].content)
        if not box:
            return
        end = next(i for i in range(at, len(tokens)) if tokens[i].type == 'blockquote_close' and tokens[i].level == tokens[at].level)
        set_raw(tokens[at], f'<div class="box {box[1].lower()}"><p class="box-title">{box[1].capitalize()}</p>\n')
        set_raw(tokens[end], '</div>\n')
        set_raw(tokens[at + 2].children[0], '')
        if len(tokens[at + 2].children) == 1:
            set_raw(tokens[at + 1], '')
            set_raw(tokens[at + 3], '')

    def _paragraph_open(self, tokens, at):
        """An image alone is a figure. The paragraph behind it, if all of it is in italics, is the caption."""
        if [token.type for token in tokens[at + 1].children] != ['image']:
            return
        set_raw(tokens[at], '<div class="figure"><div class="drawing">')
        caption = at + 3
        if tokens[caption:] and tokens[caption].type == 'paragraph_open' and CAPTION.fullmatch(tokens[caption + 1].content):
            set_raw(tokens[at + 2], '</div>\n')
            set_raw(tokens[caption], '<div class="caption">')
            set_raw(tokens[caption + 1].children[0], '')
            set_raw(tokens[caption + 1].children[-1], '')
            set_raw(tokens[caption + 2], '</div></div>\n')
        else:
            set_raw(tokens[at + 2], '</div></div>\n')

    def _image(self, tokens, at):
        source = tokens[at].attrs['src']
        if len(tokens) > 1:
            self.fail('an image inside a paragraph; it must stand alone, with empty lines around it')
        target = self.book.resolve(self.path, source)
        if target is None or not (self.book.root / target).is_file():
            self.fail(f'there is no image {source}')
        tokens[at].attrs['src'] = target  # figures keep their place below the site's folder, as in the repository

    # Tables as Doxygen makes them: its style sheets expect rows without thead and tbody, and classes.
    def _table_open(self, tokens, at):
        tokens[at].attrs['class'] = 'markdownTable'

    def _thead_open(self, tokens, at):
        set_raw(tokens[at], '')

    _thead_close = _tbody_open = _tbody_close = _thead_open

    def _th_open(self, tokens, at):
        part = 'Head' if tokens[at].tag == 'th' else 'Body'
        side = tokens[at].attrs.pop('style', 'text-align:none').removeprefix('text-align:').capitalize()
        number = ' number' if NUMBER.fullmatch(tokens[at + 1].content) else ''
        tokens[at].attrs['class'] = f'markdownTable{part}{side}{number}'

    _td_open = _th_open
