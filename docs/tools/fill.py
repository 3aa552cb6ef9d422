#!/usr/bin/env python3
"""Keeps the generated blocks of the book's pages as the sources, the results and the programs are. README.md here explains the markers.

    fill.py fill  [options] [FILE...]   rewrites the blocks
    fill.py check [options] [FILE...]   says what is stale or wrong, writes no page
    fill.py try   [options] CHAPTER FILE "OLD ==> NEW" [-- ARGUMENT...]
                                        builds a chapter from an edited source and demands that its checks notice

For outputs, `fill` and `check` first build the programs that are not up to date; `--only sources` builds nothing.
Exit codes: 0 all is well, 1 something is stale or wrong, 2 wrong use, 77 outputs cannot be compared on this machine.
"""
import argparse
import contextlib
import signal
import sys
from pathlib import Path

from filler import machine, rules
from filler.blocks import Maker
from filler.build_folder import BuildFolder, read_cache, trace_folder
from filler.edited_test import run_edited
from filler.markers import FROM_PROGRAMS, FROM_SOURCES
from filler.pages import Page, write_whole
from filler.problems import Problem, Unusable
from filler.programs import Programs
from filler.project import Project

REPOSITORY = Path(__file__).resolve().parents[2]
SKIPPED = 77


def parser():
    top = argparse.ArgumentParser(prog='fill.py', description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = top.add_subparsers(dest='command', required=True, metavar='fill | check | try')
    for name in ('fill', 'check'):
        command = commands.add_parser(name)
        command.add_argument('files', nargs='*', metavar='FILE', help='Markdown files; all pages if none is named')
        command.add_argument('--only', choices=('sources', 'outputs', 'traces'),
                             help='sources: what needs no program (snippets, results, figures, headings, links); outputs: what programs '
                                  'print; traces: what programs of the trace build print')
        add_build(command)
        command.add_argument('--trace-build', metavar='FOLDER', type=Path, help='build folder of the trace build (build/cpu-trace)')
        if name == 'fill':
            command.add_argument('--record', action='store_true',
                                 help='fill the outputs on a machine that differs from the recorded one, and record this one')
    command = commands.add_parser('try', epilog='Everything behind -- goes to the program.')
    command.add_argument('chapter', metavar='CHAPTER', help='NN_topic')
    command.add_argument('file', metavar='FILE', help='the source to edit, relative to the chapter; "FILE TAG": only what stands between the tags')
    command.add_argument('edit', metavar='"OLD ==> NEW"', help='OLD must stand in the file exactly once')
    command.add_argument('--seeds', type=int, choices=range(100), default=8, metavar='N', help='run with SIMT_SEED=1..N too (8)')
    command.add_argument('--exit', type=int, default=1, metavar='CODE', dest='expected', help='the exit code that each run must have (1)')
    add_build(command)
    return top


def add_build(command):
    command.add_argument('--build', metavar='FOLDER', type=Path, help='CMake build folder (build/cpu-test)')


def main(words=None, root=REPOSITORY):
    words = sys.argv[1:] if words is None else words
    own, for_program = words, []
    if words[:1] == ['try'] and '--' in words:  # argparse would mix the two
        own, for_program = words[:words.index('--')], words[words.index('--') + 1:]
    arguments = parser().parse_args(own)
    project = Project(root)
    try:
        if arguments.command == 'try':
            return try_edit(project, arguments, for_program)
        return fill_or_check(project, arguments)
    except (Unusable, Problem) as error:
        print(f'fill.py: {error}', file=sys.stderr)
        return 2
    except (OSError, UnicodeError) as error:
        print(f'fill.py: {getattr(error, "filename", None) or "a file"}: {getattr(error, "strerror", None) or error}', file=sys.stderr)
        return 2


def build_path(project, arguments):
    return arguments.build or project.root / 'build' / 'cpu-test'


def try_edit(project, arguments, for_program):
    with BuildFolder(project.root, build_path(project, arguments)) as build:
        good = run_edited(project, build, arguments.chapter, arguments.file, arguments.edit, for_program, arguments.seeds,
                          arguments.expected)
    return 0 if good else 1


def fill_or_check(project, arguments):
    record = getattr(arguments, 'record', False)
    if record and (arguments.files or arguments.only in ('sources', 'traces')):
        raise Unusable(f'--record fills the outputs of all pages: it takes no FILE and no --only {arguments.only or "sources"}')
    pages = [Page(project, path) for path in project.chosen_pages(arguments.files, Path.cwd())]
    skipped = ''
    with contextlib.ExitStack() as stack:
        maker = Maker(project, programs=Programs(project.root))
        for traced in (False, True):
            blocks = [block for page in pages for block in page.blocks
                      if block.kind in FROM_PROGRAMS and block.traced == traced and is_asked_for(arguments.only, block)]
            if not blocks:
                continue
            path = (arguments.trace_build or trace_folder(project.root)) if traced else build_path(project, arguments)
            reason = machine.why_not_comparable(read_cache(path), record)
            skipped = skipped or reason
            if not reason:
                build = stack.enter_context(BuildFolder(project.root, path))
                build.build_programs(maker.programs_of_all(blocks))
                if traced:
                    maker.trace_build = build
                else:
                    maker.build = build
        filled = work(project, arguments, pages, maker)

    findings = [finding for page in pages for finding in page.findings]
    if arguments.command == 'check' and arguments.only in (None, 'sources'):
        for page in pages:
            findings += rules.check_page(project, page)
        if not arguments.files:
            findings += [*rules.check_chapters(project), *rules.check_figures(project)]
    for finding in sorted(set(findings), key=lambda f: (f.page, f.line, f.text)):
        print(finding)
    if record and not skipped and not findings:
        write_whole(machine.RECORDED, machine.this_machine() + '\n')
    if skipped:
        print(f'skipped: {skipped}')
    return report(arguments, pages, len(findings), filled, skipped)


def is_asked_for(only, block):
    if block.kind in FROM_SOURCES:
        return only in (None, 'sources')
    return only in (None, 'traces' if block.traced else 'outputs')


def work(project, arguments, pages, maker):
    """Checks or fills the pages; returns the number of blocks that were rewritten."""

    def asked_for(block):
        return is_asked_for(arguments.only, block)

    filled = 0
    for page in pages:
        if arguments.command == 'check':
            page.check(maker, asked_for)
        else:
            count = page.fill(maker, asked_for)
            if count:
                print(f'{page.name}: {counted(count, "block")} filled')
            filled += count
    return filled


def report(arguments, pages, wrong, filled, skipped):
    blocks = sum(is_asked_for(arguments.only, block) for page in pages for block in page.blocks)
    if wrong:
        hint = '; "docs/tools/fill.py fill" rewrites stale blocks' if arguments.command == 'check' else ''
        print(f'{counted(wrong, "place")} stale or wrong{hint}', file=sys.stderr)
        return 1
    if skipped:
        return SKIPPED
    print(f'{counted(blocks, "block")} in {counted(len(pages), "page")}: ' + (f'{filled} filled anew' if arguments.command == 'fill' else 'all up to date'))
    return 0


def counted(number, thing):
    return f'{number} {thing}' if number == 1 else f'{number} {thing}s'


def stop(number, _):
    raise SystemExit(128 + number)


if __name__ == '__main__':
    signal.signal(signal.SIGTERM, stop)  # so that an overlay is removed then, too
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
