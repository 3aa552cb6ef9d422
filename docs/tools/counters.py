#!/usr/bin/env python3
"""From what Nsight Compute prints to the book's CSV of counters, one row per variant.

    counters.py RESULTS.csv TOKENS VARIANT=NCU.csv [VARIANT=NCU.csv...] > COUNTERS.csv

Each NCU.csv is the output of `ncu --csv --print-units base --metrics METRICS PROGRAM --variant VARIANT --batch 1 --tokens TOKENS ...`
(`counters.py metrics` prints METRICS). Before each kernel the profiler empties the caches, unless told otherwise. A program runs a variant on three inputs, small, random and far, with the same number of launches on each; the
counters of the second are added up. Device, driver, toolkit, date, commit and shape come from the first row of RESULTS.csv, measured with the
same program. Exit codes: 0, or 2 when something does not fit.
"""
import csv
import io
import sys

METRICS = {
    'smsp__inst_executed.sum': 'instructions',  # of warps
    'l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum': 'load_requests',
    'l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum': 'load_sectors',
    'l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum': 'load_sectors_from_l1',
    'l1tex__t_requests_pipe_lsu_mem_global_op_st.sum': 'store_requests',
    'l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum': 'store_sectors',
    'l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum': 'shared_load_wavefronts',
    'l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum': 'shared_store_wavefronts',
    'dram__bytes_read.sum': 'dram_read_bytes',
}
FROM_RESULTS = ('device', 'sm', 'driver', 'toolkit', 'date', 'commit', 'chapter')
SHAPE = ('q_heads', 'kv_heads', 'head_dim', 'rotary_dim', 'dtype', 'style')
CASES = 3


def refuse(text):
    print(f'counters.py: {text}', file=sys.stderr)
    raise SystemExit(2)


def read_results(path):
    with open(path, encoding='utf-8', newline='') as file:
        rows = list(csv.DictReader(file))
    if not rows:
        refuse(f'{path} has no rows')
    return rows[0]


def launches_of(path):
    """For each launch, in order, its counters by the book's names, and its 'kernel'."""
    with open(path, encoding='utf-8') as file:
        text = file.read()
    start = text.find('"ID",')
    if start < 0:
        refuse(f'{path} is no output of ncu --csv')
    launches = {}
    for row in csv.DictReader(io.StringIO(text[start:])):
        name = METRICS.get(row.get('Metric Name') or '')
        if name is None:
            continue
        if row['Metric Unit'] not in ('inst', 'request', 'sector', 'wavefront', 'byte', ''):
            refuse(f'{path}: {row["Metric Name"]} is in {row["Metric Unit"]}; give ncu --print-units base')
        launch = launches.setdefault(int(row['ID']), {'kernel': row.get('Kernel Name') or ''})
        launch[name] = int(float(row['Metric Value'].replace(',', '')))
    return [launches[number] for number in sorted(launches)]


def launches_of_second_case(path, names):
    launches = launches_of(path)
    if not launches or len(launches) % CASES:
        refuse(f'{path}: {len(launches)} launches, which is no multiple of {CASES}')
    per_case = len(launches) // CASES
    chosen = launches[per_case:2 * per_case]
    missing = [name for name in names if any(name not in launch for launch in chosen)]
    if missing:
        refuse(f'{path} has no {missing[0]}')
    return chosen


def counters_of(path):
    chosen = launches_of_second_case(path, METRICS.values())
    return {name: sum(launch[name] for launch in chosen) for name in METRICS.values()}


def main(words):
    if words == ['metrics']:
        print(','.join(METRICS))
        return
    if len(words) < 3 or not words[1].isdigit() or any('=' not in word for word in words[2:]):
        refuse('usage: counters.py RESULTS.csv TOKENS VARIANT=NCU.csv [VARIANT=NCU.csv...] > COUNTERS.csv')
    known = read_results(words[0])
    rows = [[*FROM_RESULTS, 'variant', 'tokens', *SHAPE, *METRICS.values()]]
    for word in words[2:]:
        variant, path = word.split('=', 1)
        rows.append([*(known[key] for key in FROM_RESULTS), variant, words[1], *(known[key] for key in SHAPE), *counters_of(path).values()])
    csv.writer(sys.stdout, lineterminator='\n').writerows(rows)


if __name__ == '__main__':
    try:
        main(sys.argv[1:])
    except (OSError, KeyError, ValueError) as error:
        refuse(f'{type(error).__name__}: {error}')
