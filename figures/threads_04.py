"""threads_04.svg: the threads of a block bring the token's row, wait, and turn all heads with it (chapter 04)."""

import style

DATA = ()

PAIRS, DEPTH = 4, 2  # threadIdx.x and threadIdx.y of the block
NUMBERS = 2 * PAIRS  # of the row, and so many threads bring one each
HEADS = ("q head 0", "q head 1", "q head 2", "k head 0")
NAMES, LEFT = 8, 124  # where the texts at the left begin, and the cells
SIDE, GAP = 43, 10  # width of a cell; the cosines stand a little apart from the sines
ROW, THREAD = 24, 32  # heights of a number's cell and of a thread's
HEAD_SIDE = 18  # width of a head's cell
READ = style.VERMILLION  # what thread 0 reads


def left_edge(number):
    return LEFT + number * SIDE + number // PAIRS * GAP


def row(axes, y, text):
    style.label(axes, NAMES, y + ROW / 2, text, style.SMALL, ha="left")
    for number in range(NUMBERS):
        name = "sin" if number // PAIRS else "cos"
        style.cell(axes, left_edge(number), y, SIDE, ROW, f"{name} {number % PAIRS}", style.PAIR_FILLS[number % PAIRS])


def thread(axes, x, y, number):
    """The thread with this number in the block."""
    style.cell(axes, x, y, SIDE, THREAD, fill=style.PAIR_FILLS[number % PAIRS], edge=style.BLACK)
    style.label(axes, x + SIDE / 2, y + 10, str(number), weight="bold")
    style.label(axes, x + SIDE / 2, y + 23, f"x {number % PAIRS}, y {number // PAIRS}", style.SMALLEST)


def heads_of(axes, depth, y):
    """The threads of one threadIdx.y and the heads that they turn, one after the other."""
    style.label(axes, NAMES, y + THREAD / 2, f"threadIdx.y = {depth}", style.SMALL, ha="left")
    for pair in range(PAIRS):
        thread(axes, left_edge(pair), y, depth * PAIRS + pair)
    x, middle = left_edge(PAIRS - 1) + SIDE, y + THREAD / 2
    for name in HEADS[depth::DEPTH]:
        start = x + 24
        style.arrow(axes, (x + 3, middle), (start - 3, middle), head=6)
        for pair in range(PAIRS):
            style.cell(axes, start + pair * HEAD_SIDE, middle - ROW / 2, HEAD_SIDE, ROW, str(pair), style.PAIR_FILLS[pair])
        x = start + PAIRS * HEAD_SIDE
        style.label(axes, (start + x) / 2, middle - ROW / 2 - 4, name, style.SMALL, va="bottom")


def staging(axes):
    style.label(axes, NAMES, 14, "1. Staging", ha="left", weight="bold")
    style.label(axes, LEFT, 14, "each thread brings one number of the token's row", style.SMALL, ha="left")
    row(axes, 28, "the table's row,\nglobal memory")
    style.label(axes, NAMES, 68 + THREAD / 2, "thread, with its\nthreadIdx x, y", style.SMALL, ha="left")
    for number in range(NUMBERS):
        x = left_edge(number)
        style.arrow(axes, (x + SIDE / 2, 53), (x + SIDE / 2, 67), head=6)
        thread(axes, x, 68, number)
        style.arrow(axes, (x + SIDE / 2, 101), (x + SIDE / 2, 115), head=6)
    row(axes, 116, "shared memory\nof the block")


def barrier(axes, y):
    style.line(axes, [(NAMES, y), (style.WIDTH - 8, y)], style.BLACK, 2.5)
    style.label(axes, NAMES, y - 10, "2. Barrier", ha="left", weight="bold")
    style.label(axes, style.WIDTH - 8, y - 10, "every thread waits for all of them", style.SMALL, ha="right")


def reads(axes, start, end):
    """Thread 0 needs the cosine and the sine of its pair, 0."""
    for number, shift in ((0, -8), (PAIRS, 8)):
        x = LEFT + SIDE / 2 + shift
        style.arrow(axes, (x if number == 0 else left_edge(number) + SIDE / 2, start), (x, end), READ, 1.4, head=7)


def draw():
    figure, axes = style.sheet(350)
    staging(axes)
    barrier(axes, 170)
    style.label(axes, NAMES, 190, "3. Turning", ha="left", weight="bold")
    style.label(axes, 288, 182, "each thread reads cos and sin of its\npair, for instance thread 0: its sin 0\nwas brought by thread 4", style.SMALL, ha="left", va="top")
    tops = [236 + depth * 56 for depth in range(DEPTH)]
    reads(axes, 141, tops[0] - 2)
    for depth, top in enumerate(tops):
        heads_of(axes, depth, top)
    style.label(axes, NAMES, tops[-1] + THREAD + 12, "threadIdx.x =", style.SMALL, ha="left")
    for pair in range(PAIRS):
        style.label(axes, left_edge(pair) + SIDE / 2, tops[-1] + THREAD + 12, str(pair), style.SMALL)
    return style.Drawing(
        figure,
        f"Three phases of a block of {PAIRS} times {DEPTH} threads: threads 0 to 3 copy cos 0 to 3 and threads 4 to 7 copy sin 0 to 3 from the table to "
        "shared memory; then all wait at a barrier; then threads 0 to 3 turn q heads 0 and 2, threads 4 to 7 q head 1 and k head 0, and thread 0 reads "
        "cos 0, which it brought, and sin 0, which thread 4 brought.",
        f"One block turns all heads of one token. Here a head has {PAIRS} pairs, the token 3 heads in q and 1 in k, and the block {PAIRS} × {DEPTH} threads.",
    )
