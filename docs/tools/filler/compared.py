"""A table of what the tracer counts beside what a profiler counted on a GPU."""
import trace_compare

from .markers import parts_of
from .problems import Problem
from .results import markdown, place_and_day, read_rows


def compared(folder, text):
    """"TRACE.csv COUNTERS.csv": where the counters come from, then a row for each variant. A number that both agree on stands there
    once; else that of the trace, and that of the GPU in brackets."""
    names = parts_of(text)[0].split()
    if len(names) != 2:
        raise Problem('compared takes two files: "TRACE.csv COUNTERS.csv"')
    rows = read_rows(folder / names[1], names[1], ('device', 'driver', 'toolkit', 'date', 'commit', 'variant'))
    try:
        trace = trace_compare.all_kernels(trace_compare.from_trace(trace_compare.rows_of(folder / names[0])))
        counters = trace_compare.from_counters(rows)
    except (OSError, KeyError, ValueError, trace_compare.Problem) as error:
        raise Problem(f'{names[0]} and {names[1]} cannot be compared: {error!r}') from None
    table = [['variant', *(name.replace('_', ' ') for name in trace_compare.COUNTERS)]]
    for key, there in counters.items():
        if key not in trace:
            raise Problem(f'{names[0]} has no variant {key[0]}')
        table.append([key[0], *(cell(trace[key][name], there[name]) for name in trace_compare.COUNTERS)])
    return [f'{place_and_day(rows[0])}.', '', *markdown(table)]


def cell(here, there):
    return f'{here:,}' if here == there else f'{here:,} ({there:,})'
