"""The table that ./run ends with."""
from .problems import Problem
from .programs import Command
from .snippets import trimmed

HEAD = ['chapter', 'device', 'checks', 'worst error / tolerance', 'result']
RIGHT = (2, 3)  # columns of numbers


def table(rows):
    """As print_table in ./run writes it; a test compares the two."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(HEAD) - 1)]
    lines = []
    for row in rows:
        cells = [cell.rjust(width) if i in RIGHT else cell.ljust(width) for i, (cell, width) in enumerate(zip(row, widths))]
        lines.append('  '.join([*cells, row[-1]]))
    return lines


def summary(project, programs, build):
    """How ./run ends: the last two lines of the last chapter's program, then the table."""
    rows, last = [HEAD], []
    for chapter in project.chapters():
        result = programs.run(build.program(chapter), Command((), chapter, (), ''))
        if result.code != 0 or len(result.summary) != len(HEAD):
            raise Problem(f'{chapter} ended with exit code {result.code} and a summary of {len(result.summary)} cells')
        rows.append(result.summary)
        last = trimmed(result.lines)[-2:]
    return [*last, '', *table(rows)]
