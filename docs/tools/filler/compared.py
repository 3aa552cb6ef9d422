"""A table of what the tracer counts beside what a profiler counted on a GPU."""
import trace_compare
from counters import ONE_RUN, SHAPE

from .markers import parts_of
from .problems import Problem
from .results import integer, markdown, place_and_day, read_rows, sentences, shape_of, varying_columns


def compared(folder, text):
    """"TRACE.csv COUNTERS.csv | COLUMN=VALUE...": where the counters come from and the shape, then a row for each variant of that shape. A
    number that both agree on stands there once; else that of the trace, and that of the GPU in brackets."""
    files, *wanted = parts_of(text)
    names, wanted = files.split(), [tuple(word.split('=', 1)) for word in ' '.join(wanted).split()]
    if len(names) != 2 or any(len(word) != 2 for word in wanted):
        raise Problem('compared takes "TRACE.csv COUNTERS.csv | COLUMN=VALUE..."')
    rows = read_rows(folder / names[1], names[1], (*ONE_RUN, *SHAPE, 'variant', *(column for column, _ in wanted)))
    rows = [row for row in rows if all(row[column] == value for column, value in wanted)]
    if not rows or varying_columns(rows, SHAPE):
        raise Problem(f'{names[1]} has {"several shapes" if rows else "no rows"} with {" ".join(map("=".join, wanted))}')
    try:
        trace = trace_compare.from_trace(folder / names[0])
        counted, _ = trace_compare.from_counters(folder / names[1])
    except (OSError, trace_compare.Problem) as error:
        raise Problem(f'{names[0]} and {names[1]} cannot be compared: {error}') from None
    table = [['variant', *(name.replace('_', ' ') for name in trace_compare.COUNTERS)]]
    for shape, variant in map(trace_compare.key_of, rows):
        if (shape, variant) not in trace:
            raise Problem(f'{names[0]} has no variant {variant} with {shape}')
        table.append([variant, *(cell(*(side[shape, variant][name] for side in (trace, counted))) for name in trace_compare.COUNTERS)])
    shape = ', '.join([f'{integer(rows[0], "tokens"):,} tokens', *shape_of(rows[0], [])])
    return [sentences(place_and_day(rows[0]), shape), '', *markdown(table)]


def cell(here, there):
    return f'{here:,}' if here == there else f'{here:,} ({there:,})'
