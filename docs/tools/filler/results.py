"""Tables of measured rows, from the CSV file that the program wrote."""
import csv
import re

from counters import MODEL, ONE_RUN, SHAPE

from .markers import parts_of
from .problems import Problem

MEASURED = ('median_us', 'p5_us', 'p95_us', 'stream_us', 'gbps', 'fraction_of_copy')
OTHERS = ('case', 'tokens', 'variant', 'reference_copy_us', 'empty_kernel_us')


def results(folder, name):
    """The lines of the block: where it was measured, a table of the variants, a table of what they are compared with."""
    rows = read_rows(folder / name, name, ONE_RUN + MODEL + MEASURED + OTHERS)
    varying = varying_columns(rows, MODEL)  # a column only where they differ
    table = [['case', 'tokens', 'variant', *varying, 'median', 'p5–p95', 'stream', 'GB/s', 'of copy']]
    for row in rows:
        table.append([row['case'], f'{integer(row, "tokens"):,}', row['variant'], *[row[key] for key in varying],
                      number(row, 'median_us'), f'{number(row, "p5_us")}–{number(row, "p95_us")}', number(row, 'stream_us'),
                      number(row, 'gbps', 0), number(row, 'fraction_of_copy', 3)])
    compared = {row['case']: [row['case'], number(row, 'reference_copy_us'), number(row, 'empty_kernel_us')] for row in rows}
    head = sentences(place_and_day(rows[0]), ', '.join(shape_of(rows[0], varying)), 'Microseconds for q and k together')
    return [head, '', *markdown(table), '',
            *markdown([['case', 'reference copy', 'empty kernel'], *compared.values()])]


def counters(folder, text):
    """What a profiler counted: where and for which shape, then a table of the file's other columns as they are, or of those named."""
    name, *chosen = parts_of(text)
    rows = read_rows(folder / name, name, (*ONE_RUN, *SHAPE, 'variant'))
    varying = varying_columns(rows, SHAPE)
    said = {*ONE_RUN, *SHAPE, 'sm', 'chapter', 'place'} - {*varying}
    columns = [key for key in rows[0] if key not in said]
    if chosen:
        wanted = ' '.join(chosen).split()
        unknown = [key for key in wanted if key not in columns]
        if unknown:
            raise Problem(f'{name} has no column {unknown[0]} to show')
        columns = ['variant', *wanted]
    table = [[column.replace('_', ' ') for column in columns]]
    for row in rows:
        table.append([grouped(row[column]).replace('|', '\\|') for column in columns])
    tokens = [] if 'tokens' in varying else [f'{integer(rows[0], "tokens"):,} tokens']
    return [sentences(place_and_day(rows[0]), ', '.join(tokens + shape_of(rows[0], varying))), '', *markdown(table)]


def varying_columns(rows, columns):
    return [key for key in columns if len({row[key] for row in rows}) > 1]


def grouped(cell):
    """Whole numbers with a comma before each three digits."""
    return f'{int(cell):,}' if re.fullmatch(r'-?\d+', cell) else cell or '–'


def read_rows(path, name, needed):
    """The rows of one run, each with its place in the file."""
    try:
        with open(path, encoding='utf-8', newline='') as file:
            reader = csv.DictReader(file)
            rows = list(reader)
            columns = reader.fieldnames or []
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise Problem(f'cannot read {name}: {getattr(error, "strerror", None) or error}') from None
    missing = [key for key in needed if key not in columns]
    if missing:
        raise Problem(f'{name} has no column {missing[0]}')
    if not rows:
        raise Problem(f'{name} has no rows')
    for i, row in enumerate(rows):
        row['place'] = f'{name}:{i + 2}'
        if None in row or None in row.values():
            raise Problem(f'{row["place"]}: not as many cells as the first line has')
        for key in ONE_RUN:
            if row[key] != rows[0][key]:
                raise Problem(f'{row["place"]}: {key} is {row[key]}, but {rows[0][key]} before: a file holds the rows of one run')
    return rows


def shape_of(row, varying):
    """What is the same in all rows, in words. The usual needs none."""
    shape = []
    if not {'q_heads', 'kv_heads', 'head_dim'} & set(varying):
        shape.append(f'{row["q_heads"]} query and {row["kv_heads"]} key heads of {row["head_dim"]} channels')
    if 'rotary_dim' not in varying and row['rotary_dim'] != row['head_dim']:
        shape.append(f'rotary_dim {row["rotary_dim"]}')
    if 'style' not in varying and row['style'] != 'half':
        shape.append(f'{row["style"]} style')
    if 'dtype' not in varying:
        shape.append(row['dtype'])
    return shape


def sentences(*texts):
    return ' '.join(f'{text}.' for text in texts if text)


def place_and_day(row):
    return f'{row["device"]}, driver {row["driver"]}, toolkit {row["toolkit"]}, {row["date"]}, commit {row["commit"]}'


def integer(row, key):
    try:
        return int(row[key])
    except ValueError:
        raise Problem(f'{row["place"]}: {key} is no whole number: "{row[key]}"') from None


def number(row, key, digits=2):
    """Empty cells were not measured."""
    if row[key] == '':
        return '–'
    try:
        return f'{float(row[key]):.{digits}f}'
    except ValueError:
        raise Problem(f'{row["place"]}: {key} is no number: "{row[key]}"') from None


def markdown(rows):
    lines = ['| ' + ' | '.join(row) + ' |' for row in rows]
    return [lines[0], '|' + '---|' * len(rows[0]), *lines[1:]]
