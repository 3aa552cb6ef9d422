"""Reads pages, compares their blocks with what should stand there, and writes them."""
import os
import tempfile

from .markers import FROM_PROGRAMS, parse
from .problems import Finding, Problem


class Page:
    def __init__(self, project, path):
        self.path, self.name = path, project.name(path)
        self.text = path.read_text(encoding='utf-8')
        self.lines = self.text.split('\n')
        self.blocks, self.findings = parse(self.name, self.lines)

    def made(self, maker, asked_for):
        """(block, its lines) for each block that is asked for; one that cannot be made becomes a finding."""
        for i, block in enumerate(self.blocks):
            try:
                if asked_for(block) and maker.can_make(block):
                    yield block, maker.make(self.path, self.blocks, i)
                elif block.kind in FROM_PROGRAMS:
                    maker.check_text(self.path, block)
            except Problem as problem:
                self.findings.append(Finding(self.name, block.start + 1, f'{block.marker}: {problem}'))

    def check(self, maker, asked_for):
        """Adds a finding for each stale block."""
        for block, wanted in self.made(maker, asked_for):
            difference = first_difference(self.lines[block.start + 1:block.end], wanted)
            if difference:
                at, text = difference
                self.findings.append(Finding(self.name, block.start + 2 + at, f'{block.marker} is stale: {text}'))

    def fill(self, maker, asked_for):
        """Rewrites stale blocks in the file; returns their number."""
        changes = [(block, wanted) for block, wanted in self.made(maker, asked_for)
                   if self.lines[block.start + 1:block.end] != wanted]
        for block, wanted in reversed(changes):
            self.lines[block.start + 1:block.end] = wanted
        if changes:
            # Programs ran since the page was read. What somebody saved meanwhile must not be lost.
            if self.path.read_text(encoding='utf-8') != self.text:
                self.findings.append(Finding(self.name, 1, 'the file was changed while its blocks were made; nothing was written, run fill again'))
                return 0
            write_whole(self.path, '\n'.join(self.lines))
        return len(changes)


def first_difference(old, new):
    """Index of the first line that differs, and what is there instead of what; None if nothing differs."""
    for i, (was, wanted) in enumerate(zip(old, new)):
        if was != wanted:
            return i, f'"{was}" should be "{wanted}"'
    if len(old) < len(new):
        return len(old), f'"{new[len(old)]}" is missing'
    if len(old) > len(new):
        return len(new), f'"{old[len(new)]}" should not be there'
    return None


def write_whole(path, text):
    """The new file takes the old one's place in one step: nobody ever sees half of it."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f'.{path.name}.')
    try:
        with os.fdopen(handle, 'w', encoding='utf-8', newline='') as file:
            file.write(text)
        os.chmod(temporary, path.stat().st_mode & 0o7777 if path.exists() else 0o644)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
