"""Which Markdown files are pages of the site, what they are called, and where a link to a file leads.

No list of chapters or pages is kept anywhere: chapters are the folders chapters/NN_*, the other pages come in the order in which the
front page, docs/index.md, links to them.
"""
import re
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

FRONT = 'docs/index.md'
SOURCE_SUFFIXES = ('.cuh', '.cu', '.hpp', '.cpp', '.h')
SOURCE_FOLDERS = ('chapters', 'common')
# Doxygen takes away what all lines of a block of code are indented by. This character in front of the first line holds it off; it is
# removed from the finished pages.
KEEP_INDENT = '\ue000'

FENCE = re.compile(r'^\s*(`{3,}|~{3,})\s*([\w+-]*)')
HEADING = re.compile(r'^(#{1,6})\s+(.*?)(?:\s+#+)?\s*$')
LINK = re.compile(r'\]\(([^()\s]+)(?:\s+"[^"]*")?\)')


class PageError(Exception):
    """Something in a Markdown file that the site cannot show: path, line number, and what is wrong."""

    def __init__(self, path, line, message):
        super().__init__(f'{path}:{line}: {message}')


class SiteError(Exception):
    """A program or a file that the site needs is missing or not as expected."""


@dataclass
class Heading:
    level: int
    text: str  # as it is written
    plain: str  # without markup
    anchor: str  # what a code host makes of it
    line: int


@dataclass
class Page:
    path: str  # in the repository
    id: str  # also the name of the HTML file
    headings: list = field(default_factory=list)

    @property
    def title(self):
        return self.headings[0].plain

    @property
    def html(self):
        return f'{self.id}.html'

    def section_id(self, anchor):
        return f'{self.id}_{re.sub("[^a-z0-9_-]", "", anchor)}'


def plain_text(text):
    """A heading without its markup: titles and anchors are made of it."""
    text = re.sub(r'!?\[([^\]]*)\]\([^)]*\)', r'\1', text)
    text = re.sub(r'(`+)(.+?)\1', r'\2', text)
    text = re.sub(r'(\*{1,3})(?=\S)(.+?)(?<=\S)\1', r'\2', text)
    return re.sub(r'\\([!-/:-@\[-`{-~])', r'\1', text)


def anchor_of(plain, taken):
    """The anchor that a code host gives to a heading; a heading met again gets a number."""
    anchor = re.sub(r'[^\w\- ]', '', plain.strip().lower()).replace(' ', '-')
    number = taken.get(anchor, -1) + 1
    taken[anchor] = number
    return f'{anchor}-{number}' if number else anchor


def headings_of(path, text):
    """All headings of a Markdown text; the first one is its title."""
    headings, taken, fence, comment = [], {}, '', False
    for number, line in enumerate(text.split('\n'), 1):
        mark = FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence) and line.strip() == mark[1]:
                fence = ''
        elif comment:
            comment = '-->' not in line
        elif mark:
            fence = mark[1]
        elif line.startswith('<!--'):
            comment = '-->' not in line
        elif heading := HEADING.match(line):
            plain = plain_text(heading[2])
            headings.append(Heading(len(heading[1]), heading[2], plain, anchor_of(plain, taken), number))
    if not headings or headings[0].level != 1:
        raise PageError(path, 1, 'the first heading must be the title: # Title')
    for heading in headings[1:]:
        if heading.level == 1:
            raise PageError(path, heading.line, 'a second title; a page has one line that starts with a single #')
    return headings


class Book:
    """The repository as the site sees it."""

    def __init__(self, root):
        self.root = Path(root).resolve()
        self.pages = {path: Page(path, self._page_id(path)) for path in self._page_paths()}
        ids = [page.id for page in self.pages.values()]
        for path, page in self.pages.items():
            if ids.count(page.id) > 1:
                raise PageError(path, 1, f'two pages would have the name {page.html}')
            page.headings = headings_of(path, self.text(path))

    def text(self, path):
        return (self.root / path).read_text(encoding='utf-8')

    def _page_paths(self):
        found = [FRONT] if (self.root / FRONT).is_file() else []
        patterns = ('chapters/[0-9][0-9]_*/README.md', 'docs/*.md', '*.md', 'docs/tools/README.md', 'common/*/README.md')
        for pattern in patterns:
            for path in sorted(self.root.glob(pattern)):
                name = path.relative_to(self.root).as_posix()
                # The root's README.md is the front page of the code host; docs/index.md is the one of the site.
                if name not in found and name != 'README.md':
                    found.append(name)
        return found

    @staticmethod
    def _page_id(path):
        if path == FRONT:
            return 'index'
        parts = path.removesuffix('.md').split('/')
        if parts[0] == 'chapters':
            return f'ch{parts[1][:2]}'
        if parts[-1] == 'README':
            parts.pop()
        elif parts[0] == 'docs':
            parts = parts[1:]
        return '-'.join(parts).lower()

    @cached_property
    def chapters(self):
        return [page for path, page in self.pages.items() if path.startswith('chapters/')]

    @cached_property
    def other_pages(self):
        """The pages that are neither the front page nor chapters: in the order of the front page's links, then the rest."""
        linked = []
        if FRONT in self.pages:
            for url in LINK.findall(self.text(FRONT)):
                path = self.resolve(FRONT, url.split('#')[0])
                if path in self.pages and path not in linked:
                    linked.append(path)
        paths = linked + [path for path in self.pages if path not in linked]
        return [self.pages[path] for path in paths if path != FRONT and not path.startswith('chapters/')]

    def resolve(self, path, url):
        """The file that a relative link in the Markdown file `path` names, as a path in the repository; None if it leaves it."""
        target = (self.root / path).parent.joinpath(url).resolve()
        if target != self.root and self.root not in target.parents:
            return None
        name = target.relative_to(self.root).as_posix()
        if target.is_dir() and (target / 'README.md').is_file():
            name = 'README.md' if name == '.' else f'{name}/README.md'
        return FRONT if name == 'README.md' and FRONT in self.pages else name

    def link(self, path, line, url):
        """Where a link in the page `path` leads on the site: a URL; 'source:PATH' for what Doxygen has a page of, whose name is
        known only later; or None for a file that the site does not show. A link to nothing is an error."""
        if re.match(r'(https?|mailto):', url):
            return url
        if re.match(r'[a-z][a-z0-9+.-]*:', url):
            raise PageError(path, line, f'the link {url} is neither a web address nor a path')
        name, _, anchor = url.partition('#')
        target = self.resolve(path, name) if name else path
        if target is None or not (self.root / target).exists():
            raise PageError(path, line, f'the link {url} leads to nothing')
        page = self.pages.get(target)
        if page:
            if not anchor:
                return page.html
            if all(anchor != heading.anchor for heading in page.headings):
                raise PageError(path, line, f'the link {url} names a heading that {target} does not have')
            return f'{page.html}#{page.section_id(anchor)}'
        if target.startswith(SOURCE_FOLDERS) and target.endswith(SOURCE_SUFFIXES):
            return f'source:{target}' + (f'#{anchor}' if anchor else '')
        return None
