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
    front = [line for _, line in text_lines(read(project.root / 'README.md').split('\n'))]
    for folder in project.chapter_folders():
        name = project.name(folder)
        for choice in needed_files(folder):
            if not any((folder / file).is_file() for file in choice):
                yield Finding(name, 1, f'this chapter has no {" or ".join(choice)}')
        if not re.search(rf'^\s*add_subdirectory\({folder.name}\)', listed, re.MULTILINE):
            yield Finding('chapters/CMakeLists.txt', 1, f'{folder.name} is not added here')
        if not any(f']({name}/README.md)' in line for line in front):
            yield Finding('README.md', 1, f'the table of chapters has no link to {name}/README.md')


def needed_files(folder):
    files = [('README.md',), ('CMakeLists.txt',), ('main.cu', 'main.cpp'), ('tests.cu', 'tests.cpp')]
    if (folder / 'kernels.cuh').is_file():
        files.append(('results/h200.csv',))
    return files


def read(path):
    return path.read_text(encoding='utf-8') if path.is_file() else ''


def check_figures(project):
    """Findings about the figures themselves, shown on a page or not."""
    for path in sorted((project.root / 'figures').glob('*.svg')):
        for wrong in figure_problems(project.root, path.name):
            yield Finding(project.name(path), 1, wrong)
