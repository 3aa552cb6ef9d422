"""A table of what the tracer counts beside what a profiler counted on a GPU."""
import trace_compare

from .markers import parts_of
from .problems import Problem
from .results import ONE_RUN, SHAPE, integer, markdown, place_and_day, read_rows, sentences, shape_of, varying_columns


def compared(folder, text):
    """"TRACE.csv COUNTERS.csv | COLUMN=VALUE...": where the counters come from and the shape, then a row for each variant of that shape. A
    number that both agree on stands there once; else that of the trace, and that of the GPU in brackets."""
    files, *wanted = parts_of(text)
    names, wanted = files.split(), [tuple(word.split('=', 1)) for word in ' '.join(wanted).split()]
    if len(names) != 2 or any(len(word) != 2 for word in wanted):
        raise Problem('compared takes "TRACE.csv COUNTERS.csv | COLUMN=VALUE..."')
    rows = read_rows(folder / names[1], names[1], (*ONE_RUN, *SHAPE, 'tokens', 'variant', *(column for column, _ in wanted)))
    rows = [row for row in rows if all(row[column] == value for column, value in wanted)]
    if not rows or varying_columns(rows, (*SHAPE, 'tokens')):
        raise Problem(f'{names[1]} has {"several shapes" if rows else "no rows"} with {" ".join(map("=".join, wanted))}')
    try:
        trace = trace_compare.all_kernels(trace_compare.from_trace(trace_compare.rows_of(folder / names[0])))
        counters = trace_compare.from_counters(rows)
    except (OSError, KeyError, ValueError, trace_compare.Problem) as error:
        raise Problem(f'{names[0]} and {names[1]} cannot be compared: {error!r}') from None
    table = [['variant', *(name.replace('_', ' ') for name in trace_compare.COUNTERS)]]
    for key, there in counters.items():
        if key not in trace:
            raise Problem(f'{names[0]} has no variant {key[1]} with {key[0]}')
        table.append([key[1], *(cell(trace[key][name], there[name]) for name in trace_compare.COUNTERS)])
    shape = ', '.join([f'{integer(rows[0], "tokens"):,} tokens', *shape_of(rows[0], [])])
    return [sentences(place_and_day(rows[0]), shape), '', *markdown(table)]


def cell(here, there):
    return f'{here:,}' if here == there else f'{here:,} ({there:,})'
