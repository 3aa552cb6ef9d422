"""items_07.svg: which packs of a head the work items own, in both styles (chapter 07)."""

import style

DATA = ()

CHANNELS, OFFSET, WIDTH, PACK = 20, 4, 12, 2  # the small case: head_dim, rotary_offset, rotary_dim, channels of a pack
PAIRS = WIDTH // 2
LEFT, CELL, ROW = 104, 20, 24  # where the first channel stands, and the size of a cell
TOPS = {"half": 48, "interleaved": 122}


def items():
    """The first channels of the two packs of each item, as packs_of() has them."""
    turning = [(OFFSET + PACK * i, OFFSET + PACK * i + PAIRS) for i in range(PAIRS // PACK)]
    rest = [c for c in range(0, CHANNELS, PACK) if not OFFSET <= c < OFFSET + WIDTH]
    half = (len(rest) + 1) // 2
    return turning, list(zip(rest[:half], rest[half:]))


def pair_of(channel, name):
    inside = channel - OFFSET
    return inside % PAIRS if name == "half" else inside // 2


def edge(channel):
    return LEFT + channel * CELL


def head(axes, name, top):
    style.label(axes, LEFT - 10, top + ROW / 2, f"{name}, pair", style.SMALL, ha="right")
    turning, copying = items()
    for number, packs in enumerate(turning + copying):
        for first in packs:
            for channel in range(first, first + PACK):
                turns = number < len(turning)
                text = str(pair_of(channel, name)) if turns else ""
                fill = style.PAIR_FILLS[number] if turns else "white"
                style.cell(axes, edge(channel), top, CELL, ROW, text, fill, None if turns else "///")
            style.bracket(axes, edge(first) + 2, edge(first + PACK) - 2, top + ROW + 3, f"item {number}", size=style.SMALLEST)


def draw():
    figure, axes = style.sheet(178)
    style.label(axes, LEFT - 10, 30, "channel", style.SMALL, ha="right")
    for channel in range(CHANNELS):
        style.label(axes, edge(channel) + CELL / 2, 30, str(channel), style.SMALLEST)
    style.bracket(axes, edge(OFFSET), edge(OFFSET + WIDTH), 20, "the window", below=False)
    for name, top in TOPS.items():
        head(axes, name, top)
    turning, copying = items()
    last = len(turning) + len(copying) - 1
    return style.Drawing(
        figure,
        f"A head of {CHANNELS} channels, twice: in both styles items 0, 1 and 2 own channels 4 and 5 with 10 and 11, 6 and 7 with 12 and 13, 8 and 9 with "
        "14 and 15; items 3 and 4 own 0 and 1 with 16 and 17, 2 and 3 with 18 and 19; in half style item 0 has pairs 0 and 1, in interleaved style 0 and 3.",
        f"A head of the small case, {CHANNELS} channels with the window at channels {OFFSET} to {OFFSET + WIDTH - 1}, in packs of {PACK}. The numbers in the "
        f"cells are pairs. Items 0 to {len(turning) - 1} turn, and both styles give them the same packs. Items {len(turning)} to {last} copy what is hatched; in "
        "place they do not exist.",
    )
