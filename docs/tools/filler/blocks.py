"""What stands in each kind of block."""
import contextlib
import re

from . import compared, edits, figures, results, snippets
from .markers import FROM_SOURCES, fenced, parts_of
from .problems import Problem
from .programs import expect_exit, parse_command
from .selection import choose, parse_selection
from .summary import summary


class Maker:
    """Makes the lines of blocks. Without a build folder it makes only what comes from the sources, without one of the trace build
    nothing that comes from its programs."""

    def __init__(self, project, build=None, programs=None, trace_build=None):
        self.project, self.build, self.programs, self.trace_build = project, build, programs, trace_build

    def build_of(self, block):
        return self.trace_build if block.traced else self.build

    def can_make(self, block):
        return block.kind in FROM_SOURCES or self.build_of(block) is not None

    def make(self, page, blocks, i):
        """The lines between the markers of blocks[i]."""
        block = blocks[i]
        folder = page.parent
        if block.kind == 'snippet':
            return fenced(*snippets.snippet(folder, block.text))
        if block.kind == 'edit':
            return self.edit(folder, blocks[i + 1:])
        if block.kind == 'results':
            return results.results(folder, block.text)
        if block.kind == 'counters':
            return results.counters(folder, block.text)
        if block.kind == 'compared':
            return compared.compared(folder, block.text)
        if block.kind == 'figure':
            return figures.figure(self.project.root, folder, block.text)
        if block.kind == 'try':
            return fenced(self.trial(folder, block))
        if block.kind == 'summary':
            return fenced(summary(self.project, self.programs, self.build))
        return fenced(self.output(block))

    def check_text(self, page, block):
        """What can be said about a block of programs without running one: its grammar, and whether its edits fit the file."""
        if block.kind == 'try':
            trial = edits.parse_try(block.text)
            repository_file(self.project, page.parent, trial.place)
            edits.edited_lines(page.parent, trial.place, trial.edits)
            chapter_program(trial.command)
            parse_selection(trial.selection)
        elif block.kind != 'summary':
            command_and_selection(block)

    def edit(self, folder, following):
        trial = next((block for block in following if block.kind == 'try'), None)
        if trial is None:
            raise Problem('<!-- edit --> shows the edit of the next try, and none follows in this file')
        trial = edits.parse_try(trial.text)
        return fenced(edits.changed_lines(folder, trial.place, trial.edits),
                      snippets.language_of(folder / edits.place_of(trial.place)[0]))

    def output(self, block):
        command, selection = command_and_selection(block)
        result = self.programs.run(self.build_of(block).program(command.program), command)
        return shown(command, selection, result, 0)

    def trial(self, folder, block):
        """Whoever tries an edit expects that the checks notice: exit code 1."""
        trial = edits.parse_try(block.text)
        command, selection = chapter_program(trial.command), parse_selection(trial.selection)
        program = program_of_edit(self.project, self.build_of(block), command.program, folder, trial.place, trial.edits)
        return shown(command, selection, self.programs.run(program, command), 1)

    def programs_of_all(self, blocks):
        """What must be built before the blocks can be made. Whatever is wrong with a marker is reported when it is its turn."""
        names = set()
        for block in blocks:
            with contextlib.suppress(Problem):
                if block.kind in ('output', 'tests'):
                    names.add(command_and_selection(block)[0].program)
                elif block.kind == 'summary':
                    names.update(self.project.chapters())
        return names


def command_and_selection(block):
    parts = parts_of(block.text)
    if len(parts) > 2:
        raise Problem(f'{block.kind} has one selection: "PROGRAM ARGUMENTS | SELECTION"')
    command = parse_command(parts[0])
    if block.kind == 'tests' and not command.program.endswith('_tests'):
        raise Problem(f'{command.program} is no test program: their names end in _tests')
    return command, parse_selection(parts[1] if len(parts) == 2 else '')


def chapter_program(text):
    command = parse_command(text)
    if not re.fullmatch(r'\d\d_\w+', command.program):
        raise Problem(f'a try runs the program of a chapter, which {command.program} is not')
    return command


def shown(command, selection, result, usual_exit):
    expect_exit(result, command, selection, usual_exit)
    lines = choose(result.lines, selection)
    return [command.shown(), *lines] if selection.command else lines


def repository_file(project, folder, place):
    """The file to edit, relative to the repository."""
    name, _ = edits.place_of(place)
    path = (folder / name).resolve()
    if not path.is_relative_to(project.root):
        raise Problem(f'{name} is outside of the repository')
    return project.name(path)


def program_of_edit(project, build, chapter, folder, place, changes):
    """The chapter's program, built with these changes to the file at `place`, which is relative to `folder`."""
    file = repository_file(project, folder, place)
    text = '\n'.join(edits.edited_lines(folder, place, changes)) + '\n'
    return build.program_of_edit(chapter, file, text)
