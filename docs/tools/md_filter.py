#!/usr/bin/env python3
"""Doxygen's filter for Markdown: prints the given file as Doxygen 1.9 must read it to show what a code host shows.

usage: md_filter.py FILE.md

Doxygen calls it for each page (FILTER_PATTERNS in docs/Doxyfile.in). The work is done in book/. Needs the packages of requirements.txt.
"""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from book.markdown import convert  # noqa: E402
from book.pages import Book, PageError  # noqa: E402


def main(arguments):
    if len(arguments) != 1 or arguments[0].startswith('-'):
        print('usage: md_filter.py FILE.md', file=sys.stderr)
        return 2
    file = Path(arguments[0]).resolve()
    root = next((folder for folder in file.parents if (folder / 'docs').is_dir() and (folder / 'chapters').is_dir()), None)
    try:
        book = Book(root) if root else None
        path = file.relative_to(root).as_posix() if root else ''
        if book is None or path not in book.pages:
            print(f'md_filter.py: {arguments[0]} is not a page of the book', file=sys.stderr)
            return 2
        sys.stdout.reconfigure(encoding='utf-8')
        print(convert(book, path))
    except (PageError, OSError, UnicodeDecodeError) as error:
        print(f'md_filter.py: {error}', file=sys.stderr)
        return 2
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
