"""Quotes tagged regions of source files."""
import re

from .problems import Problem

# A tag line opens a region, the next one with the same name closes it: "// [turn]", in scripts "# [turn]".
TAG = re.compile(r'\s*(?://|#) \[([\w-]+)\]\s*')
LANGUAGES = {'.cpp': 'cpp', '.hpp': 'cpp', '.cu': 'cpp', '.cuh': 'cpp', '.h': 'cpp', '.sh': 'bash', '.cmake': 'cmake',
             '.json': 'json', '.py': 'python'}


def read_lines(path, shown):
    try:
        return path.read_text(encoding='utf-8').splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise Problem(f'cannot read {shown}: {getattr(error, "strerror", None) or error}') from None


def language_of(path):
    if path.name == 'CMakeLists.txt':
        return 'cmake'
    return LANGUAGES.get(path.suffix, '' if path.suffix else 'bash')


def snippet(folder, text):
    """The lines that "FILE TAG" names, or the whole file where there is no TAG; and their language."""
    words = text.split()
    if len(words) not in (1, 2):
        raise Problem('a snippet is "FILE TAG", or "FILE" for all of it')
    path = folder / words[0]
    if words[0].startswith('/') or path.exists() and not path.is_file():
        raise Problem(f'{words[0]} is not a file, relative to the page')
    lines = read_lines(path, words[0])
    regions = tagged(lines, words[0], words[1]) if len(words) == 2 else [without_tags(lines)]
    comment = '//' if language_of(path) == 'cpp' else '#'
    result = []
    for region in regions:
        if result:
            result.append(f'{comment} ...')
        result += region
    return dedented(result), language_of(path)


def regions_of(lines, name, tag):
    """(first, behind the last) line of each region of a tag, without the tag lines themselves."""
    places = [i for i, line in enumerate(lines) if (match := TAG.fullmatch(line)) and match[1] == tag]
    if not places:
        raise Problem(f'{name} has no tag [{tag}]')
    if len(places) % 2:
        raise Problem(f'{name}: the tag [{tag}] is opened and never closed')
    return [(first + 1, last) for first, last in zip(places[::2], places[1::2])]


def lines_between(lines, name, tag):
    """Indices of all lines between the tags."""
    return [i for first, last in regions_of(lines, name, tag) for i in range(first, last)]


def tagged(lines, name, tag):
    """The regions of one tag; the lines of other tags inside are left out."""
    regions = [without_tags(lines[first:last]) for first, last in regions_of(lines, name, tag)]
    if not all(regions):
        raise Problem(f'{name}: nothing stands between the tags [{tag}]')
    return regions


def without_tags(lines):
    return trimmed([line for line in lines if not TAG.fullmatch(line)])


def trimmed(lines):
    """Without blank lines at either end."""
    start, end = 0, len(lines)
    while start < end and not lines[start].strip():
        start += 1
    while end > start and not lines[end - 1].strip():
        end -= 1
    return lines[start:end]


def dedented(lines):
    indents = [len(line) - len(line.lstrip()) for line in lines if line.strip() and line not in ('// ...', '# ...')]
    shift = min(indents, default=0)
    return [line if line in ('// ...', '# ...') else line[shift:] for line in lines]
