"""Do the links of a page lead somewhere? Only those within the repository: no test needs the network."""
import re
from urllib.parse import unquote

from .markers import Fences
from .problems import Finding

# [text](target) and ![text](target), with an optional "title"; the text may hold an image or brackets of its own.
INLINE = re.compile(r'\]\(\s*(<[^<>]*>|[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)(?:\s+(?:"[^"]*"|\'[^\']*\'))?\s*\)')
REFERENCE = re.compile(r' {0,3}\[[^\]]+\]:\s*(\S+)')
HTML = re.compile(r'<(?:a|img|source)\b[^>]*?\b(?:href|src|srcset)\s*=\s*["\']([^"\']*)["\']', re.IGNORECASE)
ID = re.compile(r'<\w+[^>]*?\b(?:id|name)\s*=\s*["\']([^"\']+)["\']', re.IGNORECASE)
CODE = re.compile(r'(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)')
SCHEME = re.compile(r'[A-Za-z][A-Za-z0-9+.-]*:|//')
HEADING = re.compile(r' {0,3}(#{1,6})\s+(.*?)(?:\s+#+)?\s*')


def text_lines(lines):
    """(index, line) of every line that is not in a code block and not a comment."""
    fences = Fences()
    for i, line in enumerate(lines):
        if not fences.inside(line) and not re.fullmatch(r'\s*<!--.*-->\s*', line):
            yield i, line


def headings(lines):
    """(index, level, text) of every heading."""
    for i, line in text_lines(lines):
        match = HEADING.fullmatch(line)
        if match:
            yield i, len(match[1]), match[2]


def anchor_of(heading):
    """The name that code hosts give to a heading: small letters, blanks become hyphens, other signs go."""
    text = re.sub(r'!?\[([^\]]*)\]\([^)]*\)', r'\1', heading)
    return re.sub(r'[^\w\- ]', '', text.strip().lower()).replace(' ', '-')


def anchors(lines):
    found, seen = set(), {}
    for _, _, text in headings(lines):
        name = anchor_of(text)
        count = seen.get(name, 0)
        seen[name] = count + 1
        found.add(f'{name}-{count}' if count else name)
    for _, line in text_lines(lines):
        found.update(ID.findall(line))
    return found


def targets(line):
    line = CODE.sub('', line)
    found = [match.strip('<>') for match in INLINE.findall(line)] + HTML.findall(line)
    match = REFERENCE.match(line)
    return found + [match[1].strip('<>')] if match else found


def check_links(project, page):
    """A finding for each link of the page that leads nowhere."""
    for i, line in text_lines(page.lines):
        for target in targets(line):
            wrong = None if SCHEME.match(target) else wrong_with(project, page, target)
            if wrong:
                yield Finding(page.name, i + 1, f'link to {target}: {wrong}')


def wrong_with(project, page, target):
    path_text, _, anchor = target.partition('#')
    path = page.path
    if path_text.startswith('/'):
        return 'links within the repository are relative'
    if path_text:
        path = (page.path.parent / unquote(path_text)).resolve()
        if not path.is_relative_to(project.root):
            return 'it leads out of the repository'
        if not path.exists():
            return 'there is no such file'
    elif not anchor:
        return 'it is empty'
    if anchor and path.suffix == '.md':
        lines = page.lines if path == page.path else path.read_text(encoding='utf-8').split('\n')
        if unquote(anchor) not in anchors(lines):
            return f'{project.name(path)} has no heading or id of this name'
    return None
