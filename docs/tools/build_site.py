#!/usr/bin/env python3
"""Builds the site: lays out the sidebar, runs Doxygen, resolves links to sources, puts MathJax and the figures beside the pages.

usage: build_site.py --root FOLDER --doxyfile FILE --output FOLDER --doxygen PROGRAM --mathjax FOLDER

`docs/CMakeLists.txt` calls it. Needs the packages of requirements.txt. Exit codes: 0 built without a warning, 1 Doxygen warned or failed, 2 a page is wrong.
"""
import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from book.markdown import convert  # noqa: E402
from book.pages import Book, PageError, SiteError  # noqa: E402
from book.site import build  # noqa: E402


def main(arguments):
    parser = argparse.ArgumentParser(description='Builds the site.')
    for name, text in (('root', "the repository's folder"), ('doxyfile', "Doxygen's configuration"), ('output', "the site's folder"),
                       ('doxygen', 'the program'), ('mathjax', "MathJax 2's folder")):
        parser.add_argument(f'--{name}', required=True, type=Path, help=text)
    options = parser.parse_args(arguments)
    try:
        book = Book(options.root)
        errors = []
        for path in book.pages:
            try:
                convert(book, path)
            except PageError as error:
                errors.append(str(error))
        if errors:
            print('\n'.join(errors), file=sys.stderr)
            return 2
        return build(book, options)
    except (PageError, SiteError) as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
