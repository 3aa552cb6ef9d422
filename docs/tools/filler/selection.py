"""Chooses the lines of an output that a page shows.

    [command] [exit N] [from "PREFIX"] [until "PREFIX"] [first N | last N] [+ the same again ...]

Each part between plus signs chooses a run of lines. Where lines are left out between two parts, a line "..." says so.
"""
import shlex
from dataclasses import dataclass

from .problems import Problem
from .snippets import trimmed


@dataclass
class Part:
    start: str = None  # prefix of the first line; None: the beginning
    stop: str = None  # prefix of the line behind the last one; '' is an empty line; None: the end
    first: int = None
    last: int = None


@dataclass
class Selection:
    parts: list
    command: bool  # show the command above its output
    exit_code: int  # None: what the kind of marker expects


def parse_selection(text):
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise Problem(f'selection {text}: {error}') from None
    selection = Selection([Part()], False, None)
    words.reverse()
    while words:
        word = words.pop()
        part = selection.parts[-1]
        if word == '+':
            selection.parts.append(Part())
        elif word == 'command':
            selection.command = True
        elif word not in ('exit', 'from', 'until', 'first', 'last'):
            raise Problem(f'selection: unknown word "{word}"; there are command, exit, from, until, first, last and +')
        elif not words:
            raise Problem(f'selection: "{word}" needs something behind it')
        elif word == 'exit':
            selection.exit_code = number(word, words.pop(), 0)
        elif word == 'from':
            part.start = words.pop()
        elif word == 'until':
            part.stop = words.pop()
        elif word == 'first':
            part.first = number(word, words.pop(), 1)
        else:
            part.last = number(word, words.pop(), 1)
    for part in selection.parts:
        if part.first and part.last:
            raise Problem('selection: "first" and "last" exclude each other in one part')
        if len(selection.parts) > 1 and part == Part():
            raise Problem('selection: a part beside a plus sign chooses nothing')
    return selection


def number(word, text, least):
    if not text.isdigit() or int(text) < least:
        raise Problem(f'selection: "{word}" needs a number from {least} on, not "{text}"')
    return int(text)


def starts(line, prefix):
    """Blanks at the beginning of either do not count; the empty prefix stands for an empty line."""
    if not prefix.strip():
        return not line.strip()
    return line.lstrip().startswith(prefix.lstrip())


def find(lines, prefix, begin):
    for i in range(begin, len(lines)):
        if starts(lines[i], prefix):
            return i
    raise Problem(f'no line of the output begins with "{prefix}"' if prefix else 'the output has no empty line there')


def chosen_range(lines, part):
    begin = 0 if part.start is None else find(lines, part.start, 0)
    end = len(lines) if part.stop is None else find(lines, part.stop, begin if part.start is None else begin + 1)
    while begin < end and not lines[begin].strip():
        begin += 1
    while end > begin and not lines[end - 1].strip():
        end -= 1
    if begin == end:
        raise Problem(f'selection: nothing stands before the line that begins with "{part.stop}"' if part.stop is not None
                      else 'the output is empty')
    count = part.first or part.last or 0
    if count > end - begin:
        raise Problem(f'selection: {count} lines are asked for, the output has only {end - begin} there')
    if part.first:
        end = begin + part.first
    elif part.last:
        begin = end - part.last
    return begin, end


def choose(lines, selection):
    """The chosen lines of an output."""
    lines = trimmed(lines)
    result, behind = [], None
    for part in selection.parts:
        begin, end = chosen_range(lines, part)
        if behind is not None:
            if begin < behind:
                raise Problem('selection: the parts must follow each other in the output and not overlap')
            left_out = any(line.strip() for line in lines[behind:begin])
            if left_out:
                result += ['', '...', '']
            else:
                result += lines[behind:begin]
        result += lines[begin:end]
        behind = end
    return result
