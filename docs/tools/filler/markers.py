"""Finds the markers of a page and the block that each of them rules."""
import re
from dataclasses import dataclass

from .problems import Finding

FROM_SOURCES = ('snippet', 'edit', 'results', 'counters', 'compared', 'figure')
FROM_PROGRAMS = ('output', 'try', 'tests', 'summary')
KINDS = FROM_SOURCES + FROM_PROGRAMS
WITHOUT_TEXT = ('edit', 'summary')  # these two have nothing to say after their name

START = re.compile(r'<!-- (\w+)(?:: (.*?))? -->')
END = re.compile(r'<!-- end (\w+) -->')
# What somebody meant as a marker: a comment on one line that is a word, or begins with a word and a colon.
INTENDED = re.compile(r'\s*<!--\s*(?:end\s+)?[\w-]+\s*(?::.*)?-->\s*')
# A program of the trace build: "trace:03_naive --trace", where a command begins.
TRACED = re.compile(r'(?:^|\| )(?:[A-Za-z_]\w*=\S*\s+)*trace:')
FENCE = re.compile(r' {0,3}(`{3,}|~{3,})(.*)')


@dataclass(frozen=True)
class Block:
    kind: str
    text: str  # what stands behind the colon
    start: int  # index of the marker's line
    end: int  # index of the end marker's line

    @property
    def traced(self):
        """Does the block come from a program of the trace build?"""
        return self.kind in ('output', 'tests', 'try') and TRACED.search(self.text) is not None

    @property
    def marker(self):
        return f'<!-- {self.kind}: {self.text} -->' if self.text else f'<!-- {self.kind} -->'


class Fences:
    """Follows the lines of a page and knows which of them are inside a code block."""

    def __init__(self):
        self.open = None
        self.began = 0

    def inside(self, line, number=0):
        match = FENCE.fullmatch(line)
        if self.open:
            if match and match[1].startswith(self.open) and not match[2].strip():
                self.open = None
            return True
        if match and not (match[1][0] == '`' and '`' in match[2]):
            self.open, self.began = match[1], number
            return True
        return False


def parse(page, lines):
    """The blocks of a page, and what is wrong with its markers. Code blocks outside of them may show markers freely."""
    blocks, findings = [], []
    fences = Fences()
    i = 0
    while i < len(lines):
        line = lines[i]
        if fences.inside(line, i) or not INTENDED.fullmatch(line):
            i += 1
            continue
        wrong, end = None, None
        match = START.fullmatch(line)
        if END.fullmatch(line):
            wrong = f'{line} ends a block that was never begun'
        elif not match:
            wrong = f'{line.strip()} is no marker: it must read "<!-- KIND: TEXT -->", alone on its line, from its first column on'
        elif match[1] not in KINDS:
            wrong = f'unknown marker {line}; there are {", ".join(KINDS)}'
        else:
            end = end_of_block(lines, i, match[1])
            if end is None:
                wrong = f'{line} is never closed: there is no "<!-- end {match[1]} -->" before the next marker'
            elif bool(match[2]) == (match[1] in WITHOUT_TEXT):
                wrong = f'{line} must {"stand alone" if match[2] else "say more: a colon and a text"}'
        if wrong:
            findings.append(Finding(page, i + 1, wrong))
        else:
            blocks.append(Block(match[1], match[2] or '', i, end))
        i = i + 1 if end is None else end + 1
    if fences.open:
        findings.append(Finding(page, fences.began + 1, 'this code block is never closed: nothing behind it is looked at'))
    return blocks, findings


def end_of_block(lines, start, kind):
    """Index of the end marker; None if another marker comes first. A block holds text that was made, so its fences are not trusted."""
    for i in range(start + 1, len(lines)):
        match = END.fullmatch(lines[i])
        if match:
            return i if match[1] == kind else None
        match = START.fullmatch(lines[i])
        if match and match[1] in KINDS:
            return None
    return None


def parts_of(text):
    """A marker's text split at " | ". Where the text itself needs a bar between blanks, it is written "\\|"."""
    return [part.strip().replace('\\|', '|') for part in (text + ' ').split(' | ')]


def fenced(lines, language=''):
    """A code block; its fence is longer than any in it."""
    longest = max([2] + [len(m[1]) for m in map(FENCE.fullmatch, lines) if m])
    fence = '`' * (longest + 1)
    return [fence + language, *lines, fence]
