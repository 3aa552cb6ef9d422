"""A test of the checks: a program built from an edited source must report a mismatch, in every order of its threads."""
from .blocks import program_of_edit
from .edits import parse_edits
from .problems import Problem
from .programs import Command, Programs


def run_edited(project, build, chapter, place, edit, arguments, seeds, expected):
    """Prints a line for each run. True if all of them ended with the expected exit code."""
    folder = project.root / 'chapters' / chapter
    if not folder.is_dir():
        raise Problem(f'there is no chapter {chapter}')
    program = program_of_edit(project, build, chapter, folder, place, parse_edits(edit))
    programs = Programs(project.root)
    orders = [()] + [(('SIMT_SEED', str(seed)),) for seed in range(1, seeds + 1)]
    good = True
    for environment in orders:
        result = programs.run(program, Command(environment, chapter, tuple(arguments), ' '.join(arguments)))
        order = '='.join(environment[0]) if environment else 'in order'
        last = next((line.strip() for line in reversed(result.lines) if line.strip()), 'no output')
        verdict = '' if result.code == expected else f' INSTEAD OF {expected}'
        print(f'{chapter}, edited, {order}: exit code {result.code}{verdict}: {last}', flush=True)
        good = good and result.code == expected
    return good
