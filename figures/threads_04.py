"""threads_04.svg: one block turns all heads of a token with a row of cos and sin that it fetches once (chapter 04)."""

import style

DATA = ()

PAIRS, ROWS = 4, 2  # of the block's threads
HEADS = ("q, head 0", "q, head 1", "q, head 2", "k, head 0")
NAMES = 8  # where the rows' names begin
LEFT, SIDE, HEIGHT = 70, 36, 28  # of a cell of the table and of a thread's
END = LEFT + PAIRS * SIDE
TEXTS = END + 16  # where the remarks at the right begin
HEAD_SIDE, HEAD_HEIGHT = 21, 24  # of a head's cell


def table_row(axes, y, remark):
    for pair in range(PAIRS):
        text = f"cos {pair}\nsin {pair}"
        style.cell(axes, LEFT + pair * SIDE, y, SIDE, HEIGHT, text, style.PAIR_FILLS[pair], size=style.SMALLEST)
    style.label(axes, TEXTS, y + HEIGHT / 2, remark, style.SMALL, ha="left")


def arrows_down(axes, y, end, shift=0):
    for pair in range(PAIRS):
        x = LEFT + (pair + 0.5) * SIDE + shift
        style.arrow(axes, (x, y), (x, end), style.BLACK, 1.1, head=6)


def heads_of(axes, row, y):
    """A row of threads and the heads that it turns, one after the other."""
    style.label(axes, NAMES, y + HEIGHT / 2, f"threads,\nrow {row}", style.SMALL, ha="left")
    for pair in range(PAIRS):
        style.cell(axes, LEFT + pair * SIDE, y, SIDE, HEIGHT, str(row * PAIRS + pair), style.PAIR_FILLS[pair])
    x, middle = END, y + HEIGHT / 2
    for name in HEADS[row::ROWS]:
        start = x + 28
        style.arrow(axes, (x + 3, middle), (start - 3, middle), head=6)
        for pair in range(PAIRS):
            left = start + pair * HEAD_SIDE
            style.cell(axes, left, middle - HEAD_HEIGHT / 2, HEAD_SIDE, HEAD_HEIGHT, str(pair), style.PAIR_FILLS[pair], size=9)
        x = start + PAIRS * HEAD_SIDE
        style.label(axes, (start + x) / 2, middle - HEAD_HEIGHT / 2 - 4, name, style.SMALL, va="bottom")


def draw():
    figure, axes = style.sheet(292)
    table_row(axes, 8, "the table in global memory:\nthe row of this token's position")
    arrows_down(axes, 40, 78)
    style.label(axes, TEXTS, 59, "1. the block copies the row, once", ha="left", weight="bold")
    table_row(axes, 82, "shared memory of the block")
    style.line(axes, [(NAMES, 134), (style.WIDTH - 8, 134)], style.BLACK, 2.5)
    style.label(axes, TEXTS, 128, "barrier: every thread waits for the copy", style.SMALL, ha="left", va="bottom")
    style.label(axes, TEXTS, 158, "2. the threads turn all heads with it", ha="left", weight="bold")
    tops = [194 + row * 58 for row in range(ROWS)]
    for row, top in enumerate(tops):
        arrows_down(axes, 114, top - 4, shift=10 * (row - (ROWS - 1) / 2))  # the cells, drawn later, hide what passes behind them
    for row, top in enumerate(tops):
        heads_of(axes, row, top)
    return style.Drawing(
        figure,
        f"A block of {ROWS} rows of {PAIRS} threads copies one row of cos and sin from global to shared memory; below the line of a "
        "barrier all threads read the shared row, and the first row of threads turns heads 0 and 2 of q, the second head 1 of q and "
        "head 0 of k.",
        f"One block turns all heads of one token. Here a head has {PAIRS} pairs and the block {ROWS} rows of threads; each thread keeps its "
        "pair, and its row goes on to the next head.",
    )
