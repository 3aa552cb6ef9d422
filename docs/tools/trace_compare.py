#!/usr/bin/env python3
"""Compares what the tracer counts with what a profiler counted on a GPU, per shape and variant.

    trace_compare.py TRACE.csv COUNTERS.csv
    trace_compare.py --run PROGRAM [--write TRACE.csv | --expect TRACE.csv] COUNTERS.csv

COUNTERS.csv is what counters.py made. A row of it may have a `reason`: "COUNTER COUNTER...: why". These counters must differ, and count as
explained.

TRACE.csv is what --write made: the trace of PROGRAM, a chapter's program from the trace build, in each shape that COUNTERS.csv names. It has
the columns of `./run NN --trace --csv`, and those of the shape before them. With --expect a trace that is made anew must be this file to the
last cell.

Prints every counter with the difference. Exit codes: 0 all are equal or explained, 1 some differ or are missing, a reason explains nothing,
or TRACE.csv is not what was expected, 2 wrong use.
"""
import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from counters import REASON, SHAPE, Problem, by_key, read_csv, whole_number, write_csv

# access of a trace -> (counter of the profiler, column of the trace) pairs. Atomics have counters of their own, which are not compared.
OF_TRACE = {
    'global_load': (('load_requests', 'requests'), ('load_sectors', 'sectors')),
    'global_store': (('store_requests', 'requests'), ('store_sectors', 'sectors')),
    'shared_load': (('shared_load_wavefronts', 'wavefronts'),),
    'shared_store': (('shared_store_wavefronts', 'wavefronts'),),
}
COUNTERS = tuple(counter for pairs in OF_TRACE.values() for counter, _ in pairs)
ONE_ACCESS = ('variant', 'kernel', 'line', 'access', 'bytes_per_lane')  # no two rows of a shape have the same
OF_PROGRAM = (*ONE_ACCESS, *dict.fromkeys(column for pairs in OF_TRACE.values() for _, column in pairs))


def shape_of(row):
    """"tokens=256 q_heads=32 ...\""""
    return ' '.join(f'{column}={row[column]}' for column in SHAPE)


def key_of(row):
    return shape_of(row), row['variant']


def from_trace(path, rows=None):
    """{(shape, variant): {counter: number}}, of a file or of rows that would stand in it. The kernels of a variant are added up."""
    rows = read_csv(path, (*SHAPE, *OF_PROGRAM)) if rows is None else rows
    by_key(path, rows, (*SHAPE, *ONE_ACCESS))
    result = {}
    for number, row in enumerate(rows, 2):
        sums = result.setdefault(key_of(row), dict.fromkeys(COUNTERS, 0))
        for counter, column in OF_TRACE.get(row['access'], ()):
            sums[counter] += whole_number(row[column], f'{path}:{number}: {column}')
    return result


def from_counters(path):
    """The same, and {(shape, variant): (the counters of this row that differ, why)}."""
    rows = read_csv(path, ('variant', *SHAPE, *COUNTERS))
    by_key(path, rows, ('variant', *SHAPE))
    numbers, reasons = {}, {}
    for number, row in enumerate(rows, 2):
        numbers[key_of(row)] = {name: whole_number(row[name], f'{path}:{number}: {name}') for name in COUNTERS}
        if row.get(REASON):
            names, _, why = row[REASON].partition(': ')
            if not why or not set(names.split()) <= set(COUNTERS):
                raise Problem(f'{path}:{number}: a reason is "COUNTER COUNTER...: why", not "{row[REASON]}"')
            reasons[key_of(row)] = (frozenset(names.split()), why)
    return numbers, reasons


def compare(trace, counted, reasons):
    """The lines of a table, the number of counters that differ without a reason or are missing, of those with a reason, and the reasons
    for what does not differ."""
    table, wrong, explained, idle = [('shape', 'variant', 'counter', 'trace', 'counted', 'difference')], 0, 0, []
    for key in [*counted, *(key for key in trace if key not in counted)]:
        for name in COUNTERS:
            here, there = (side[key][name] if key in side else None for side in (trace, counted))
            has_reason = key in reasons and name in reasons[key][0]
            if None in (here, there):
                difference, fault = 'missing  <--', True
            elif here == there:
                difference, fault = '0', False
                if has_reason:
                    idle.append((*key, name))
            else:
                difference, fault = f'{there - here:+d}' + ('  explained' if has_reason else '  <--'), not has_reason
                explained += has_reason
            wrong += fault
            table.append((*key, name, *('-' if n is None else str(n) for n in (here, there)), difference))
    return table, wrong, explained, idle


def run_program(program, shapes):
    """The rows of its traces in these shapes."""
    rows = []
    for shape in shapes:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / 'trace.csv'
            options = [word for column in SHAPE for word in (f'--{column.replace("_", "-")}', shape[column])]
            command = [program, '--trace', '--csv', str(path), '--batch', '1', *options]
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors='replace', check=False)
            if done.returncode != 0:
                said = (done.stderr.strip() or done.stdout.strip() or 'it said nothing').splitlines()[-1]
                raise Problem(f'{" ".join(command)} ended with exit code {done.returncode}: {said}')
            if not path.exists():
                raise Problem(f'{" ".join(command)} wrote no trace')
            rows += [shape | row for row in read_csv(path, OF_PROGRAM)]
    return rows


def differences(path, rows):
    """What a committed trace has otherwise than these rows, a line for each of the first."""
    there = read_csv(path)
    lines = [] if list(there[0]) == list(rows[0]) else [f'the columns are {",".join(there[0])}, and now {",".join(rows[0])}']
    for number in range(max(len(there), len(rows))):
        old, new = (','.join(side[number].values()) if number < len(side) else 'no row' for side in (there, rows))
        if old != new:
            lines.append(f'{path}:{number + 2}: {old}, and now {new}')
    return lines


def print_table(table):
    widths = [max(len(row[i]) for row in table) for i in range(len(table[0]))]
    for row in table:
        print('  '.join(cell.ljust(width) if i < 3 else cell.rjust(width) for i, (cell, width) in enumerate(zip(row, widths))).rstrip())


def main(words=None):
    parser = argparse.ArgumentParser(prog='trace_compare.py', description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('files', nargs='+', metavar='FILE')
    parser.add_argument('--run', metavar='PROGRAM')
    use = parser.add_mutually_exclusive_group()
    use.add_argument('--write', metavar='TRACE.csv')
    use.add_argument('--expect', metavar='TRACE.csv')
    arguments = parser.parse_args(words)
    if len(arguments.files) != (1 if arguments.run else 2):
        parser.error('--run takes one COUNTERS.csv' if arguments.run else 'a TRACE.csv and a COUNTERS.csv are needed')
    if not arguments.run and (arguments.write or arguments.expect):
        parser.error('--write and --expect belong to --run')
    counters_file, stale = arguments.files[-1], []
    counted, reasons = from_counters(counters_file)
    if arguments.run:
        shapes = {shape_of(row): {column: row[column] for column in SHAPE} for row in read_csv(counters_file)}
        rows = run_program(arguments.run, shapes.values())
        trace = from_trace(f'the trace of {arguments.run}', rows)
        if arguments.write:
            write_csv(arguments.write, rows)
        if arguments.expect:
            stale = differences(arguments.expect, rows)
    else:
        trace = from_trace(arguments.files[0])
    table, wrong, explained, idle = compare(trace, counted, reasons)
    print_table(table)
    print(f'{len(table) - 1 - wrong - explained} of {len(table) - 1} counters are equal' + (f', {explained} are explained:' if explained else ''))
    for reason in sorted({why for _, why in reasons.values()}):
        print(f'  {reason}')
    for shape, variant, name in idle:
        print(f'{counters_file}: {variant} has a reason to differ in {name}, and does not: {shape}')
    if stale:
        print(f'{arguments.expect} is not what the program counts now, in {len(stale)} places. --write makes it anew. The first:', *stale[:3], sep='\n  ')
    return 1 if wrong or idle or stale else 0


if __name__ == '__main__':
    try:
        sys.exit(main())
    except (Problem, OSError) as error:
        print(f'trace_compare.py: {error}', file=sys.stderr)
        sys.exit(2)
