"""tiles_05.svg: the heads of one token cut into tiles, some of which stick out (chapter 05)."""

import style

DATA = ()

HEADS, PAIRS = 6, 6  # of the tensor
TILE_HEADS, TILE_PAIRS = 4, 4  # of a tile
CELL = 21
LEFT, TOP, GAP = 84, 40, 62  # the first cell, and the space between the two halves


def half(axes, left, name):
    columns = -(-PAIRS // TILE_PAIRS) * TILE_PAIRS
    rows = -(-HEADS // TILE_HEADS) * TILE_HEADS
    style.label(axes, left + columns * CELL / 2, TOP - 20, name, style.SMALL)
    for head in range(rows):
        for pair in range(columns):
            inside = head < HEADS and pair < PAIRS
            x, y = left + pair * CELL, TOP + head * CELL
            if inside:
                style.cell(axes, x, y, CELL, CELL, str(pair), style.PAIR_FILLS[pair % TILE_PAIRS])
            else:
                style.cell(axes, x, y, CELL, CELL, hatch="///")
    for row in range(rows // TILE_HEADS):
        for column in range(columns // TILE_PAIRS):
            x0, y0 = left + column * TILE_PAIRS * CELL, TOP + row * TILE_HEADS * CELL
            x1, y1 = x0 + TILE_PAIRS * CELL, y0 + TILE_HEADS * CELL
            style.line(axes, [(x0, y0), (x1, y0), (x1, y1), (x0, y1), (x0, y0)], style.BLACK, 2.2)


def draw():
    columns = -(-PAIRS // TILE_PAIRS) * TILE_PAIRS
    figure, axes = style.sheet(TOP + 8 * CELL + 16)
    for head in range(HEADS):
        style.label(axes, LEFT - 10, TOP + head * CELL + CELL / 2, f"head {head}", style.SMALL, ha="right")
    half(axes, LEFT, "first channels of the pairs")
    half(axes, LEFT + columns * CELL + GAP, "second channels of the pairs")
    return style.Drawing(
        figure,
        f"Two grids of {HEADS} heads by {PAIRS} pairs, the first and the second channels of the pairs, each cut into 4 tiles of {TILE_HEADS} "
        f"by {TILE_PAIRS}; the tiles at the right and at the bottom stick out, and what sticks out is hatched.",
        f"One token with {HEADS} heads of {2 * PAIRS} channels, in tiles of {TILE_HEADS} heads and {TILE_PAIRS} pairs. What is hatched does not exist: "
        "a mask keeps it from being read and written.",
    )
