#!/usr/bin/env python3
"""From what Nsight Compute prints to the book's CSV of counters.

    counters.py metrics                                                                       the METRICS to ask for
    counters.py [into=FILE.csv] RESULTS.csv tokens=N [COLUMN=VALUE...] VARIANT=NCU.csv [VARIANT=NCU.csv...]
                                                                                              a row per variant of a chapter
    counters.py launches RESULTS.csv NCU.csv                                                  a row per launch of another program

Each NCU.csv is the output of `ncu --csv --print-units base --metrics METRICS PROGRAM`, of a chapter with --variant VARIANT and one shape. Before
each kernel the profiler empties the caches, unless told otherwise. A chapter runs a variant on three inputs, small, random and far, with the
same number of launches on each; the counters of the second are added up. (If it launches kernels before, for checks of its own, `ncu
--launch-skip N` leaves them out.) A program for `launches` prints the name of each of its launches.
Device, driver, toolkit, date, commit and shape come from the first row of RESULTS.csv, measured with the same build; COLUMN=VALUE says what
the shape is instead, as in dtype=f16.
The rows go to stdout. With into=FILE.csv they go there: each takes the place of the row of its shape and variant, the other rows stay, and
so does what stands in the column `reason`, which people write. Exit codes: 0, or 2 when something does not fit.
"""
import csv
import io
import os
import sys
from pathlib import Path

METRICS = {
    'smsp__inst_executed.sum': 'instructions',  # of warps
    'l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum': 'load_requests',
    'l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum': 'load_sectors',
    'l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum': 'load_sectors_from_l1',
    'l1tex__t_requests_pipe_lsu_mem_global_op_st.sum': 'store_requests',
    'l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum': 'store_sectors',
    'smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum': 'shared_load_wavefronts',
    'smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum': 'shared_store_wavefronts',
    'dram__bytes_read.sum': 'dram_read_bytes',
}
ONE_RUN = ('device', 'driver', 'toolkit', 'date', 'commit')  # a file holds the rows of one run
FROM_RESULTS = ('device', 'sm', *ONE_RUN[1:])
MODEL = ('q_heads', 'kv_heads', 'head_dim', 'rotary_dim', 'dtype', 'style')
SHAPE = ('tokens', *MODEL)
REASON = 'reason'
CASES = 3


class Problem(Exception):
    pass


def read_text(path):
    try:
        return Path(path).read_text(encoding='utf-8')
    except UnicodeDecodeError as error:
        raise Problem(f'{path} is no text: {error}') from None


def read_csv(path, needed=()):
    """The rows of a file with a heading, which must have these columns."""
    reader = csv.DictReader(io.StringIO(read_text(path)))
    try:
        rows = list(reader)
    except csv.Error as error:
        raise Problem(f'{path}: {error}') from None
    missing = [name for name in needed if name not in (reader.fieldnames or ())]
    if missing:
        raise Problem(f'{path} has no column {missing[0]}')
    if not rows:
        raise Problem(f'{path} has no rows')
    for number, row in enumerate(rows, 2):
        if None in row or None in row.values():
            raise Problem(f'{path}:{number}: not as many cells as the first line has')
    return rows


def write_csv(path, rows):
    """All or nothing."""
    part = Path(f'{path}.part')
    with open(part, 'w', encoding='utf-8', newline='') as file:
        write_rows(file, rows)
    os.replace(part, path)


def write_rows(file, rows):
    writer = csv.DictWriter(file, list(rows[0]), lineterminator='\n')
    writer.writeheader()
    writer.writerows(rows)


def whole_number(text, place):
    try:
        return int(float(text.replace(',', '')))
    except (ValueError, OverflowError):
        raise Problem(f'{place} is no number: "{text}"') from None


def output_of(path):
    """What the program printed, and behind it the profiler's table."""
    text = read_text(path)
    start = text.find('"ID",')
    if start < 0:
        raise Problem(f'{path} is no output of ncu --csv')
    return [line for line in text[:start].splitlines() if not line.startswith('==')], text[start:]


def launches_of(path):
    """For each launch, in order, its counters by the book's names."""
    launches = {}
    reader = csv.DictReader(io.StringIO(output_of(path)[1]))
    for column in ('ID', 'Metric Name', 'Metric Unit', 'Metric Value'):
        if column not in reader.fieldnames:
            raise Problem(f'{path} has no column {column}')
    for row in reader:
        name = METRICS.get(row['Metric Name'] or '')
        if name is None:
            continue
        place = f'{path}: {row["Metric Name"]} of launch {row["ID"]}'
        if row['Metric Unit'] not in ('inst', 'request', 'sector', 'wavefront', 'byte', ''):
            raise Problem(f'{place} is in {row["Metric Unit"]}; give ncu --print-units base')
        launch = launches.setdefault(whole_number(row['ID'], f'{path}: an ID'), {})
        if name in launch:
            raise Problem(f'{place} stands there twice')
        launch[name] = whole_number(row['Metric Value'] or '', place)
    for number in sorted(launches):
        for name in METRICS.values():
            if name not in launches[number]:
                raise Problem(f'{path} has no {name} for launch {number}')
    return [launches[number] for number in sorted(launches)]


def launches_of_second_case(path):
    launches = launches_of(path)
    if not launches or len(launches) % CASES:
        raise Problem(f'{path}: {len(launches)} launches, which is no multiple of {CASES}')
    per_case = len(launches) // CASES
    return launches[per_case:2 * per_case]


def rows_of_variants(results, words):
    known = read_csv(results, (*FROM_RESULTS, 'chapter', *MODEL))[0]
    shape = {column: known[column] for column in MODEL}
    variants = {}
    for key, value in (word.split('=', 1) for word in words):
        if key in SHAPE:
            shape[key] = value
        elif key in variants:
            raise Problem(f'variant {key} is given twice: {variants[key]} and {value}')
        else:
            variants[key] = value
    if 'tokens' not in shape:
        raise Problem('tokens=N is missing')
    if not variants:
        raise Problem('VARIANT=NCU.csv is missing')
    rows = []
    for variant, path in variants.items():
        launches = launches_of_second_case(path)
        rows.append({column: known[column] for column in (*FROM_RESULTS, 'chapter')} | {'variant': variant}
                    | {column: shape[column] for column in SHAPE}
                    | {name: sum(launch[name] for launch in launches) for name in METRICS.values()})
    return rows


def put_into(path, rows):
    """A row takes the place of the one with its shape and variant and keeps its reason; the others stay."""
    if not Path(path).exists():
        return rows
    there = read_csv(path)
    if [column for column in there[0] if column != REASON] != list(rows[0]):
        raise Problem(f'{path} has other columns than counters.py writes')
    result = by_key(path, there, ('variant', *SHAPE))
    for row in rows:
        key = tuple(row[column] for column in ('variant', *SHAPE))
        old_reason = {REASON: result.get(key, {}).get(REASON, '')} if REASON in there[0] else {}
        result[key] = row | old_reason
    return list(result.values())


def by_key(path, rows, columns):
    """{cells of these columns: row}; no two rows may have the same."""
    result = {}
    for number, row in enumerate(rows, 2):
        key = tuple(row[column] for column in columns)
        if key in result:
            raise Problem(f'{path}:{number}: there is a row for {" ".join(filter(None, key))} already')
        result[key] = row
    return result


def rows_of_launches(results, path):
    known = read_csv(results, FROM_RESULTS)[0]
    names, launches = output_of(path)[0], launches_of(path)
    if len(names) != len(launches):
        raise Problem(f'{path}: {len(launches)} launches, but {len(names)} names')
    if not launches:
        raise Problem(f'{path}: 0 launches')
    return [{column: known[column] for column in FROM_RESULTS} | {'launch': name} | {key: launch[key] for key in METRICS.values()}
            for name, launch in zip(names, launches)]


def main(words):
    if words == ['metrics']:
        print(','.join(METRICS))
        return
    if words[:1] == ['launches'] and len(words) == 3:
        write_rows(sys.stdout, rows_of_launches(*words[1:]))
        return
    into = words.pop(0).split('=', 1)[1] if words and words[0].startswith('into=') else None
    if len(words) < 3 or any('=' not in word for word in words[1:]):
        raise Problem('wrong use; the first lines of this file tell it')
    rows = rows_of_variants(words[0], words[1:])
    if into:
        write_csv(into, put_into(into, rows))
    else:
        write_rows(sys.stdout, rows)


if __name__ == '__main__':
    try:
        main(sys.argv[1:])
    except (Problem, OSError) as problem:
        print(f'counters.py: {problem}', file=sys.stderr)
        sys.exit(2)
