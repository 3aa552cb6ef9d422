#!/usr/bin/env python3
"""Compares what the tracer counts with what a profiler counted on a GPU.

    trace_compare.py TRACE.csv OTHER [OTHER...]
    trace_compare.py --run PROGRAM [--write TRACE.csv] COUNTERS.csv

TRACE.csv is what `./run NN --trace --csv TRACE.csv` writes, or what --write does. OTHER is one of
    COUNTERS.csv        the book's counters, made by counters.py: compared per shape and variant
    TRACE.csv           another trace: compared per shape, variant and kernel
    VARIANT=NCU.csv     the output of `ncu --csv` for one variant: compared per kernel. A program runs a variant on three inputs, with
                        the same number of launches on each; the second is the one that a trace counts

A row of COUNTERS.csv may have a `reason`: "COUNTER COUNTER...: why". These counters must differ, and count as explained.

With --run the trace is made first: PROGRAM, from the trace build, runs in each shape that COUNTERS.csv names. The trace that --write
keeps has the columns of the shape in front.

Prints every counter with the difference. Exit codes: 0 all are equal or explained, 1 some differ or are missing, 2 wrong use.
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


def shape_of(row):
    """"tokens=256 q_heads=32 ..."; empty for a trace of one shape, which has no columns for it."""
    return ' '.join(f'{column}={row[column]}' for column in SHAPE if column in row)


def from_trace(rows):
    """{(shape, variant, kernel): {counter: number}}"""
    result = collections.defaultdict(lambda: dict.fromkeys(COUNTERS, 0))
    for row in rows:
        sums = result[shape_of(row), row['variant'], base_name(row['kernel'])]
        for counter, column in OF_TRACE.get(row['access'], ()):  # atomics have counters of their own
            sums[counter] += int(row[column])
    return dict(result)


def from_counters(rows):
    return {(shape_of(row), row['variant'], ANY): {name: int(row[name]) for name in COUNTERS} for row in rows}


def from_profiler(variant, path):
    result = collections.defaultdict(lambda: dict.fromkeys(COUNTERS, 0))
    for launch in counters.launches_of_second_case(path, COUNTERS):
        sums = result['', variant, base_name(launch['kernel'])]
        for name in COUNTERS:
            sums[name] += launch[name]
    return dict(result)


def reasons_of(word):
    """{(shape, variant, kernel): (the counters of this row that differ, why)}"""
    if '=' in word and not Path(word).exists():
        return {}
    reasons = {}
    for row in rows_of(word):
        if row.get('reason'):
            names, _, why = row['reason'].partition(': ')
            if not why or not set(names.split()) <= set(COUNTERS):
                raise Problem(f'{word}: a reason is "COUNTER COUNTER...: why", not "{row["reason"]}"')
            reasons[shape_of(row), row['variant'], ANY] = (frozenset(names.split()), why)
    return reasons


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
    for (shape, variant, _), sums in trace.items():
        for name in COUNTERS:
            result[shape, variant, ANY][name] += sums[name]
    return dict(result)


def without_shape(trace):
    if len({shape for shape, _, _ in trace}) > 1:
        raise Problem('one side says its shapes, the other has none')
    return {('', variant, kernel): sums for (_, variant, kernel), sums in trace.items()}


def compare(trace, others):
    """The lines of a table, the number of counters that differ without a reason, and of those with one."""
    table, wrong, explained = [('shape', 'variant', 'kernel', 'counter', 'trace', 'other', 'difference')], 0, 0
    for other, reasons in others:
        mine = all_kernels(trace) if any(kernel == ANY for _, _, kernel in other) else trace
        if ('' in {shape for shape, _, _ in mine}) != ('' in {shape for shape, _, _ in other}):
            mine, other, reasons = without_shape(mine), without_shape(other), without_shape(reasons)
        unused = {(*key, name) for key, (names, _) in reasons.items() for name in names}
        variants = {variant for _, variant, _ in other}
        for key in [*other, *(key for key in mine if key not in other and key[1] in variants)]:
            for name in COUNTERS:
                numbers = [side[key][name] if key in side else None for side in (mine, other)]
                equal = None not in numbers and numbers[0] == numbers[1]
                has_reason = not equal and None not in numbers and key in reasons and name in reasons[key][0]
                if has_reason:
                    unused.discard((*key, name))
                explained += has_reason
                wrong += not equal and not has_reason
                difference = 'missing' if None in numbers else f'{numbers[1] - numbers[0]:+d}' if not equal else '0'
                table.append((key[0] or '-', key[1], key[2] or 'all', name, *('-' if n is None else str(n) for n in numbers),
                              difference + ('' if equal else '  explained' if has_reason else '  <--')))
        for shape, variant, _, name in sorted(unused):
            raise Problem(f'{variant} has a reason to differ in {name}, and does not: {shape}')
    return table, wrong, explained


def run_program(program, counters_file):
    """The rows of its traces in all shapes of the counters."""
    rows = []
    shapes = {shape_of(row): {column: row[column] for column in SHAPE} for row in rows_of(counters_file)}
    for shape in shapes.values():
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / 'trace.csv'
            options = [word for column, option in SHAPE.items() for word in (f'--{option}', shape[column])]
            command = [program, '--trace', '--csv', str(path), '--batch', '1', *options]
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors='replace', check=False)
            if done.returncode != 0:
                raise Problem(f'{" ".join(command)} ended with exit code {done.returncode}: {(done.stderr or done.stdout).strip().splitlines()[-1]}')
            rows += [shape | row for row in rows_of(path)]
    return rows


def write(path, rows):
    with open(path, 'w', encoding='utf-8', newline='') as file:
        writer = csv.DictWriter(file, rows[0], lineterminator='\n')
        writer.writeheader()
        writer.writerows(rows)


def main(words=None):
    parser = argparse.ArgumentParser(prog='trace_compare.py', description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('files', nargs='+', metavar='FILE')
    parser.add_argument('--run', metavar='PROGRAM')
    parser.add_argument('--write', metavar='TRACE.csv')
    arguments = parser.parse_args(words)
    if arguments.run:
        if len(arguments.files) != 1:
            parser.error('--run takes one COUNTERS.csv')
        rows, others = run_program(arguments.run, arguments.files[0]), arguments.files
        if arguments.write:
            write(arguments.write, rows)
    else:
        if len(arguments.files) < 2 or arguments.write:
            parser.error('a TRACE.csv and something to compare it with are needed' if not arguments.write else '--write belongs to --run')
        rows, others = rows_of(arguments.files[0]), arguments.files[1:]
    reasons = [reasons_of(word) for word in others]
    table, wrong, explained = compare(from_trace(rows), list(zip(map(read_other, others), reasons)))
    widths = [max(len(row[i]) for row in table) for i in range(len(table[0]))]
    for row in table:
        print('  '.join(cell.ljust(width) if i < 4 else cell.rjust(width) for i, (cell, width) in enumerate(zip(row, widths))).rstrip())
    print(f'{len(table) - 1 - wrong - explained} of {len(table) - 1} counters are equal' + (f', {explained} are explained:' if explained else ''))
    for reason in sorted({why for of_file in reasons for _, why in of_file.values()}):
        print(f'  {reason}')
    return 1 if wrong else 0


if __name__ == '__main__':
    try:
        sys.exit(main())
    except (Problem, OSError, KeyError, ValueError) as error:
        print(f'trace_compare.py: {error if isinstance(error, (Problem, OSError)) else repr(error)}', file=sys.stderr)
        sys.exit(2)
