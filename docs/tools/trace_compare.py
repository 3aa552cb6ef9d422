#!/usr/bin/env python3
"""Compares what the tracer counts with what a profiler counted on a GPU.

    trace_compare.py [options] TRACE.csv OTHER [OTHER...]
    trace_compare.py [options] --run PROGRAM [--write TRACE.csv] COUNTERS.csv

TRACE.csv is what `./run NN --trace --csv TRACE.csv` writes. OTHER is one of
    COUNTERS.csv        the book's counters, made by counters.py: compared per variant
    TRACE.csv           another trace: compared per variant and kernel
    VARIANT=NCU.csv     the output of `ncu --csv` for one variant: compared per kernel. A program runs a variant on three inputs, with
                        the same number of launches on each; the second is the one that a trace counts

With --run the trace is made first: PROGRAM, from the trace build, runs in the shape that COUNTERS.csv names.

    --at-least COUNTER  the other may have more of this one (Nsight Compute's wavefronts of shared memory: docs/trace.md)

Prints every counter with the difference. Exit codes: 0 all are equal, 1 some differ or are missing, 2 wrong use.
"""
import argparse
import collections
import csv
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import counters

COUNTERS = ('load_requests', 'load_sectors', 'store_requests', 'store_sectors', 'shared_load_wavefronts', 'shared_store_wavefronts')
# access of a trace -> (counter, column) pairs
OF_TRACE = {
    'global_load': (('load_requests', 'requests'), ('load_sectors', 'sectors')),
    'global_store': (('store_requests', 'requests'), ('store_sectors', 'sectors')),
    'shared_load': (('shared_load_wavefronts', 'wavefronts'),),
    'shared_store': (('shared_store_wavefronts', 'wavefronts'),),
}
SHAPE = {'tokens': 'tokens', 'q_heads': 'q-heads', 'kv_heads': 'kv-heads', 'head_dim': 'head-dim', 'rotary_dim': 'rotary-dim',
         'dtype': 'dtype', 'style': 'style'}
ANY = ''  # in place of a kernel: all of a variant's together


class Problem(Exception):
    pass


def base_name(kernel):
    """'void ropewalk::naive::rope_table<__half>(Heads<T1>)' to 'rope_table': compilers spell the rest differently."""
    text = kernel
    while '<' in text:
        text, count = re.subn(r'<[^<>]*>', '', text)
        if count == 0:
            break
    return text.split('(')[0].split()[-1].split('::')[-1]


def rows_of(path):
    with open(path, encoding='utf-8', newline='') as file:
        rows = list(csv.DictReader(file))
    if not rows:
        raise Problem(f'{path} has no rows')
    return rows


def from_trace(rows):
    """{(variant, kernel): {counter: number}}"""
    result = collections.defaultdict(lambda: dict.fromkeys(COUNTERS, 0))
    for row in rows:
        sums = result[row['variant'], base_name(row['kernel'])]
        for counter, column in OF_TRACE.get(row['access'], ()):  # atomics have counters of their own
            sums[counter] += int(row[column])
    return dict(result)


def from_counters(rows):
    return {(row['variant'], ANY): {name: int(row[name]) for name in COUNTERS} for row in rows}


def from_profiler(variant, path):
    result = collections.defaultdict(lambda: dict.fromkeys(COUNTERS, 0))
    for launch in counters.launches_of_second_case(path, COUNTERS):
        sums = result[variant, base_name(launch['kernel'])]
        for name in COUNTERS:
            sums[name] += launch[name]
    return dict(result)


def read_other(word):
    if '=' in word and not Path(word).exists():
        return from_profiler(*word.split('=', 1))
    rows = rows_of(word)
    if 'access' in rows[0]:
        return from_trace(rows)
    if 'load_requests' in rows[0]:
        return from_counters(rows)
    raise Problem(f'{word} is neither a trace nor counters')


def all_kernels(trace):
    """The same with the kernels of a variant added up."""
    result = collections.defaultdict(lambda: dict.fromkeys(COUNTERS, 0))
    for (variant, _), sums in trace.items():
        for name in COUNTERS:
            result[variant, ANY][name] += sums[name]
    return dict(result)


def compare(trace, others, at_least):
    """The lines of a table, the number of counters that differ, and of those that may."""
    table, wrong, more = [('variant', 'kernel', 'counter', 'trace', 'other', 'difference')], 0, 0
    for other in others:
        mine = all_kernels(trace) if any(kernel == ANY for _, kernel in other) else trace
        variants = {variant for variant, _ in other}
        for key in [*other, *(key for key in mine if key not in other and key[0] in variants)]:
            for name in COUNTERS:
                numbers = [side[key][name] if key in side else None for side in (mine, other)]
                may_differ = None not in numbers and name in at_least and numbers[0] < numbers[1]
                equal = None not in numbers and numbers[0] == numbers[1]
                wrong += not equal and not may_differ
                more += may_differ
                difference = 'missing' if None in numbers else f'{numbers[1] - numbers[0]:+d}' if numbers[0] != numbers[1] else '0'
                table.append((key[0], key[1] or 'all', name, *('-' if n is None else str(n) for n in numbers),
                              difference + ('' if equal or may_differ else '  <--')))
    return table, wrong, more


def options_of(rows):
    """The command line of the shape that all rows have."""
    options = ['--batch', '1']
    for column, option in SHAPE.items():
        values = {row[column] for row in rows}
        if len(values) != 1:
            raise Problem(f'the rows have several values of {column}, a trace has one')
        options += [f'--{option}', values.pop()]
    return options


def run_program(program, counters_file, write):
    with tempfile.TemporaryDirectory() as folder:
        path = write or Path(folder) / 'trace.csv'
        command = [program, '--trace', '--csv', str(path), *options_of(rows_of(counters_file))]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors='replace', check=False)
        if done.returncode != 0:
            raise Problem(f'{" ".join(command)} ended with exit code {done.returncode}: {(done.stderr or done.stdout).strip().splitlines()[-1]}')
        return rows_of(path)


def main(words=None):
    parser = argparse.ArgumentParser(prog='trace_compare.py', description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('files', nargs='+', metavar='FILE')
    parser.add_argument('--at-least', action='append', default=[], choices=COUNTERS, metavar='COUNTER')
    parser.add_argument('--run', metavar='PROGRAM')
    parser.add_argument('--write', metavar='TRACE.csv')
    arguments = parser.parse_args(words)
    if arguments.run:
        if len(arguments.files) != 1:
            parser.error('--run takes one COUNTERS.csv')
        rows, others = run_program(arguments.run, arguments.files[0], arguments.write), arguments.files
    else:
        if len(arguments.files) < 2 or arguments.write:
            parser.error('a TRACE.csv and something to compare it with are needed' if not arguments.write else '--write belongs to --run')
        rows, others = rows_of(arguments.files[0]), arguments.files[1:]
    table, wrong, more = compare(from_trace(rows), [read_other(word) for word in others], arguments.at_least)
    widths = [max(len(row[i]) for row in table) for i in range(len(table[0]))]
    for row in table:
        print('  '.join(cell.ljust(width) if i < 3 else cell.rjust(width) for i, (cell, width) in enumerate(zip(row, widths))).rstrip())
    counted = len(table) - 1
    print(f'{counted - wrong - more} of {counted} counters are equal' + (f'; {more} are larger on the GPU, as they may be' if more else ''))
    return 1 if wrong else 0


if __name__ == '__main__':
    try:
        sys.exit(main())
    except (Problem, OSError, KeyError, ValueError) as error:
        print(f'trace_compare.py: {error if isinstance(error, (Problem, OSError)) else repr(error)}', file=sys.stderr)
        sys.exit(2)
