"""Small changes to a source file, written "OLD ==> NEW": what the text proposes to try."""
from dataclasses import dataclass

from .markers import parts_of
from .problems import Problem
from .snippets import lines_between, read_lines

ARROW = '==>'


@dataclass(frozen=True)
class Try:
    """A try marker: the file (and tag), its edits, the command to run and what to show of its output."""
    place: str
    edits: tuple
    command: str
    selection: str


def parse_try(text):
    parts = parts_of(text)
    if len(parts) not in (3, 4):
        raise Problem('a try is "FILE [TAG] | OLD ==> NEW | PROGRAM ARGUMENTS | SELECTION", the last of which may be missing')
    return Try(parts[0], parse_edits(parts[1]), parts[2], parts[3] if len(parts) == 4 else '')


def parse_edits(text):
    """(OLD, NEW) for each edit; " ;; " stands between them. Nothing behind the arrow deletes OLD."""
    edits = []
    for edit in text.split(' ;; '):
        old, arrow, new = edit.partition(ARROW)
        if not arrow or not old.strip():
            raise Problem(f'an edit is "OLD {ARROW} NEW", not "{edit.strip()}"')
        edits.append((old.strip(), new.strip()))
    return tuple(edits)


def place_of(text):
    """A file, or "FILE TAG": then OLD is looked for between the tags only."""
    words = text.split()
    if len(words) not in (1, 2):
        raise Problem(f'"{text}" is no "FILE" or "FILE TAG" to edit')
    return words[0], words[1] if len(words) == 2 else None


def apply_edits(lines, edits, name, tag=None):
    """The lines with each OLD replaced by its NEW. An edit never changes the number of lines."""
    lines = list(lines)
    allowed = lines_between(lines, name, tag) if tag else range(len(lines))
    where = f'{name} between the tags [{tag}]' if tag else name
    for old, new in edits:
        found = [i for i in allowed for _ in range(lines[i].count(old))]
        if len(found) != 1:
            raise Problem(f'"{old}" must stand in {where} exactly once to be edited, but is found {len(found)} times')
        if old == new:
            raise Problem(f'{name}: the edit of "{old}" changes nothing')
        lines[found[0]] = lines[found[0]].replace(old, new)
    return lines


def edited_lines(folder, place, edits):
    """What the file would hold after the edits."""
    name, tag = place_of(place)
    return apply_edits(read_lines(folder / name, name), edits, name, tag)


def changed_lines(folder, place, edits):
    """The lines that the edits change, as they are afterwards."""
    name, _ = place_of(place)
    before = read_lines(folder / name, name)
    result, last = [], None
    for i, (old, new) in enumerate(zip(before, edited_lines(folder, place, edits))):
        if old == new or not new.strip():
            continue
        if last is not None and i > last + 1:
            result.append('// ...')
        result.append(new)
        last = i
    if not result:
        raise Problem(f'{name}: the edit only deletes whole lines, so there is nothing to show; say it in words')
    return result
