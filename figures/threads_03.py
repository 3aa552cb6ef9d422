"""threads_03.svg: which thread owns which pair, and where its two channels lie (chapter 03)."""

import style

DATA = ()

TOKENS, HEADS, PAIRS = 2, 2, 4
BLOCK, BLOCKS = 6, 3  # blocks do not end where heads end, and the last one has threads without work
OWNERS = TOKENS * HEADS * PAIRS
NAMES = 8  # where the rows' names begin
LEFT, SIDE, HEIGHT = 62, 24, 22  # of a thread's cell
SHOWN_HEAD = 1  # of token 0: the head whose channels are drawn
CHANNEL = 36  # width of a channel's cell


def left_edge(thread):
    """Of a thread's cell; blocks stand a little apart."""
    return LEFT + thread * SIDE + thread // BLOCK * 8


def threads(axes, y):
    style.label(axes, NAMES, y + HEIGHT / 2, "thread", ha="left")
    for block in range(BLOCKS):
        first = block * BLOCK
        style.bracket(axes, left_edge(first) + 1, left_edge(first + BLOCK - 1) + SIDE - 1, y - 4, f"block {block}", below=False)
    for thread in range(BLOCK * BLOCKS):
        if thread < OWNERS:
            style.cell(axes, left_edge(thread), y, SIDE, HEIGHT, str(thread), style.PAIR_FILLS[thread % PAIRS])
        else:
            style.cell(axes, left_edge(thread), y, SIDE, HEIGHT, str(thread), style.PALE, colour=style.GREY, hatch="////")


def spans(axes, y, name, length, count):
    """A row of lines with numbers: the threads of each token, or of each head."""
    style.label(axes, NAMES, y, name, ha="left")
    for first in range(0, OWNERS, length):
        left, right = left_edge(first) + 2, left_edge(first + length - 1) + SIDE - 2
        style.line(axes, [(left, y), (right, y)], style.GREY, 1.5)
        number = str(first // length % count)
        box = {"facecolor": "white", "edgecolor": "none", "pad": 2}
        style.label(axes, (left + right) / 2, y, number, bbox=box, va="center_baseline")


def head_in_memory(axes, y, from_y):
    """The channels of one head with the threads that own them, below the row that names the heads."""
    start = 140
    end = start + 2 * PAIRS * CHANNEL
    first = SHOWN_HEAD * PAIRS
    for top, bottom in ((left_edge(first) + 2, start), (left_edge(first + PAIRS - 1) + SIDE - 2, end)):
        style.line(axes, [(top, from_y + 9), (bottom, y - 5)], style.LIGHT_GREY, 0.9)
    style.label(axes, NAMES, y + 10, "thread", ha="left")
    style.label(axes, NAMES, y + 20 + HEIGHT / 2, "channel in memory", ha="left")
    for channel in range(2 * PAIRS):
        x = start + channel * CHANNEL
        style.label(axes, x + CHANNEL / 2, y + 10, str(first + channel % PAIRS))
        style.cell(axes, x, y + 20, CHANNEL, HEIGHT, str(channel), style.PAIR_FILLS[channel % PAIRS], size=style.TEXT)
    middle_x = (start + end) / 2
    style.bracket(axes, start + 2, middle_x - 2, y + 24 + HEIGHT, "first channels")
    style.bracket(axes, middle_x + 2, end - 2, y + 24 + HEIGHT, "second channels")


def draw():
    figure, axes = style.sheet(222)
    threads(axes, 28)
    style.label(axes, NAMES, 64, "pair", ha="left")
    for thread in range(OWNERS):
        style.label(axes, left_edge(thread) + SIDE / 2, 64, str(thread % PAIRS))
    spans(axes, 87, "token", HEADS * PAIRS, TOKENS)
    spans(axes, 109, "head", PAIRS, HEADS)
    idle = left_edge(OWNERS) + (BLOCK * BLOCKS - OWNERS) * SIDE / 2
    style.label(axes, idle, 76, "nothing\nto do", style.SMALL)
    head_in_memory(axes, 145, 109)
    return style.Drawing(
        figure,
        f"{BLOCK * BLOCKS} threads in {BLOCKS} blocks of {BLOCK}: threads 0 to {OWNERS - 1} own pairs 0 to {PAIRS - 1} of head 0, then of "
        f"head 1, first in token 0 and then in token 1, and the last {BLOCK * BLOCKS - OWNERS} own nothing; below, in the memory of one head, threads "
        "4 to 7 own channels 0 to 3 and again 4 to 7.",
        f"{TOKENS} tokens of {HEADS} heads with {PAIRS} pairs each, half style, in blocks of {BLOCK} threads (the program takes 256). "
        "Neighbouring threads own neighbouring channels; the last block sticks out.",
    )
