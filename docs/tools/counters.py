#!/usr/bin/env python3
"""From what Nsight Compute prints to the book's CSV of counters.

    counters.py metrics                                                                       the METRICS to ask for
    counters.py RESULTS.csv tokens=N [COLUMN=VALUE...] VARIANT=NCU.csv [VARIANT=NCU.csv...]   a row per variant of a chapter
    counters.py launches RESULTS.csv NCU.csv                                                  a row per launch of another program

Each NCU.csv is the output of `ncu --csv --print-units base --metrics METRICS PROGRAM`, of a chapter with --variant VARIANT and one shape. Before
each kernel the profiler empties the caches, unless told otherwise. A chapter runs a variant on three inputs, small, random and far, with the
same number of launches on each; the counters of the second are added up. (If it launches kernels before, for checks of its own, `ncu
--launch-skip N` leaves them out.) A program for `launches` prints the name of each of its launches.
Device, driver, toolkit, date, commit and shape come from the first row of RESULTS.csv, measured with the same build; COLUMN=VALUE says what
the shape is instead, as in dtype=f16. Exit codes: 0, or 2 when something does not fit.
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
    'smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum': 'shared_load_wavefronts',
    'smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum': 'shared_store_wavefronts',
    'dram__bytes_read.sum': 'dram_read_bytes',
}
FROM_RESULTS = ('device', 'sm', 'driver', 'toolkit', 'date', 'commit')
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


def output_of(path):
    """What the program printed, and behind it the profiler's table."""
    with open(path, encoding='utf-8') as file:
        text = file.read()
    start = text.find('"ID",')
    if start < 0:
        refuse(f'{path} is no output of ncu --csv')
    return [line for line in text[:start].splitlines() if not line.startswith('==')], text[start:]


def launches_of(path):
    """For each launch, in order, its counters by the book's names, and its 'kernel'."""
    launches = {}
    for row in csv.DictReader(io.StringIO(output_of(path)[1])):
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
    return complete(path, launches[per_case:2 * per_case], names)


def complete(path, launches, names):
    missing = [name for name in names if any(name not in launch for launch in launches)]
    if missing:
        refuse(f'{path} has no {missing[0]}')
    return launches


def rows_of_variants(known, words):
    shape = {key: known[key] for key in SHAPE}
    shape.update(word.split('=', 1) for word in words if word.split('=', 1)[0] in ('tokens', *SHAPE))
    if 'tokens' not in shape:
        refuse('tokens=N is missing')
    yield [*FROM_RESULTS, 'chapter', 'variant', 'tokens', *SHAPE, *METRICS.values()]
    for word in words:
        variant, path = word.split('=', 1)
        if variant not in shape:
            launches = launches_of_second_case(path, METRICS.values())
            counters = [sum(launch[name] for launch in launches) for name in METRICS.values()]
            yield [*(known[key] for key in (*FROM_RESULTS, 'chapter')), variant, *(shape[key] for key in ('tokens', *SHAPE)), *counters]


def rows_of_launches(known, path):
    names, launches = output_of(path)[0], complete(path, launches_of(path), METRICS.values())
    if len(names) != len(launches):
        refuse(f'{path}: {len(launches)} launches, but {len(names)} names')
    yield [*FROM_RESULTS, 'launch', *METRICS.values()]
    for name, launch in zip(names, launches):
        yield [*(known[key] for key in FROM_RESULTS), name, *(launch[key] for key in METRICS.values())]


def main(words):
    if words == ['metrics']:
        print(','.join(METRICS))
        return
    of_launches = words[:1] == ['launches']
    if len(words) != 3 if of_launches else len(words) < 3 or any('=' not in word for word in words[1:]):
        refuse('wrong use; the first lines of this file tell it')
    rows = list(rows_of_launches(read_results(words[1]), words[2]) if of_launches else rows_of_variants(read_results(words[0]), words[1:]))
    csv.writer(sys.stdout, lineterminator='\n').writerows(rows)


if __name__ == '__main__':
    try:
        main(sys.argv[1:])
    except (OSError, KeyError, ValueError) as error:
        refuse(f'{type(error).__name__}: {error}')
