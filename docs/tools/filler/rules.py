"""What every chapter must have: its files, and a text with the fixed headings."""
import re

from .figures import problems as figure_problems
from .links import check_links, headings, text_lines
from .problems import Finding

HEADINGS = ('What you will build', 'Run it', 'The idea', 'How many bytes must move', 'The kernel', 'Is it right', 'How fast',
            'What did not help', 'Common mistakes', 'Next')
ONLY_WITH_KERNELS = ('The kernel', 'How fast')


def check_page(project, page):
    """Findings about the text of one page."""
    yield from check_links(project, page)
    if project.is_chapter_page(page.path):
        yield from check_title(page)
        yield from check_headings(page)
        yield from check_code(page)


def check_title(page):
    number = page.path.parent.name[:2]
    if not re.fullmatch(rf'# {number} \S.*', page.lines[0]):
        yield Finding(page.name, 1, f'the first line must be "# {number} Title", not "{page.lines[0]}"')


def check_headings(page):
    """The fixed headings, all of them, in their order, and no others of their level."""
    has_kernels = (page.path.parent / 'kernels.cuh').is_file()
    wanted = [name for name in HEADINGS if has_kernels or name not in ONLY_WITH_KERNELS]
    found = [(i, text) for i, level, text in headings(page.lines) if level == 2]
    names = [text for _, text in found]
    findings = []
    for i, text in found:
        if text not in wanted:
            why = 'a chapter without kernels.cuh has no such heading' if text in HEADINGS else 'it is none of the fixed headings'
            findings.append(Finding(page.name, i + 1, f'heading "{text}": {why}'))
        elif names.count(text) > 1:
            findings.append(Finding(page.name, i + 1, f'heading "{text}" stands here {names.count(text)} times'))
    for name in wanted:
        if name not in names:
            findings.append(Finding(page.name, len(page.lines), f'heading "{name}" is missing'))
    known = [(i, text) for i, text in found if text in wanted]
    for (_, before), (i, text) in zip(known, known[1:]):
        if wanted.index(text) < wanted.index(before):
            findings.append(Finding(page.name, i + 1, f'heading "{text}" must stand before "{before}"'))
    return findings


def check_chapters(project):
    """Findings about the files of all chapters."""
    listed = read(project.root / 'chapters' / 'CMakeLists.txt')
    tables = {'README.md': 'chapters', 'docs/index.md': '../chapters'}
    lines = {page: [line for _, line in text_lines(read(project.root / page).split('\n'))] for page in tables}
    for folder in project.chapter_folders():
        name = project.name(folder)
        for choice in needed_files(folder):
            if not any((folder / file).is_file() for file in choice):
                yield Finding(name, 1, f'this chapter has no {" or ".join(choice)}')
        if not re.search(rf'^\s*add_subdirectory\({folder.name}\)', listed, re.MULTILINE):
            yield Finding('chapters/CMakeLists.txt', 1, f'{folder.name} is not added here')
        for page, folder_there in tables.items():
            target = f'{folder_there}/{folder.name}/README.md'
            if not any(f']({target})' in line for line in lines[page]):
                yield Finding(page, 1, f'the table of chapters has no link to {target}')
        yield from check_results(folder, name)


def needed_files(folder):
    return [('README.md',), ('CMakeLists.txt',), ('main.cu', 'main.cpp'), ('tests.cu', 'tests.cpp')]


def check_results(folder, name):
    """A chapter with kernels has measured rows, of whatever device, and shows all that it has."""
    files = sorted((folder / 'results').glob('*.csv'))
    # The pair that trace_compare.py compares: no page need show it.
    pair = [file for file in files if file.name in ('trace.csv', 'trace_h200.csv')]
    if len(pair) == 1:
        yield Finding(name, 1, f'results/{pair[0].name} is alone: trace.csv and trace_h200.csv are compared with each other')
    files = [file for file in files if file not in pair]
    if not files and (folder / 'kernels.cuh').is_file():
        yield Finding(name, 1, 'this chapter has no results/*.csv')
    text = read(folder / 'README.md')
    for file in files:
        if not re.search(rf'^<!-- (results|counters): results/{re.escape(file.name)}[ |]', text, re.MULTILINE):
            yield Finding(f'{name}/README.md', 1, f'nothing shows results/{file.name}')


def check_code(page):
    """Code in a chapter's text comes from its sources: a fence of C++ that was typed would grow stale unseen."""
    inside = False
    for i, line in enumerate(page.lines):
        if re.match(r'<!-- (snippet|edit)\b', line):
            inside = True
        elif re.match(r'<!-- end (snippet|edit)\b', line):
            inside = False
        elif re.match(r'\s*(```+|~~~+) *(cpp|c\+\+|cuda)', line) and not inside:
            yield Finding(page.name, i + 1, 'C++ that no snippet filled in: quote it from a source')


def read(path):
    return path.read_text(encoding='utf-8') if path.is_file() else ''


def check_figures(project):
    """Findings about the figures themselves, shown on a page or not."""
    for path in sorted((project.root / 'figures').glob('*.svg')):
        for wrong in figure_problems(project.root, path.name):
            yield Finding(project.name(path), 1, wrong)
