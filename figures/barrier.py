"""barrier.svg: what a warp may read without the barrier, and with it (chapter 04)."""

import style

DATA = ()

PAIRS, WARP, THREADS = 64, 32, 256
COSINES, SINES = 0, PAIRS // WARP  # the first warps that bring cosines and sines: 0 and 2
LEFT, RIGHT = 62, 512  # of the time axis
HEIGHT, STEP = 26, 36  # of a warp's bar; from one warp to the other
STAGES, TURNS, WAITS = style.PAIR_FILLS[1], style.PAIR_FILLS[2], "white"
LENGTH = 104  # of staging
EARLY, LATE = LEFT + 6, LEFT + 150  # when the two warps begin


def warp(axes, y, number, *bars):
    """A warp's line: (from, to, text, fill, hatch) one after the other."""
    style.label(axes, 8, y + HEIGHT / 2, f"warp {number}", ha="left")
    for start, end, text, fill, hatch in bars:
        style.cell(axes, start, y, end - start, HEIGHT, fill=fill, hatch=hatch)
        if text:
            background = {"facecolor": "white", "edgecolor": "none", "pad": 1.5} if hatch else None
            style.label(axes, (start + end) / 2, y + HEIGHT / 2, text, style.SMALL, va="center_baseline", bbox=background)


def stages(start, name):
    return start, start + LENGTH, f"brings {name} 0–{WARP - 1}", STAGES, None


def turns(start):
    return start, start + 130, "turns pairs 0–31", TURNS, None


def without(axes, y):
    style.label(axes, 8, y, "Without the barrier", ha="left", weight="bold")
    first, second = y + 14, y + 14 + STEP
    begin = EARLY + LENGTH
    warp(axes, first, COSINES, stages(EARLY, "cos"), turns(begin))
    warp(axes, second, SINES, stages(LATE, "sin"), turns(LATE + LENGTH))
    style.line(axes, [(begin + 1, first - 4), (begin + 1, second + HEIGHT + 5)], style.VERMILLION, 1.6)
    style.label(axes, begin + 1, second + HEIGHT + 8, "here warp 0 reads sin 0–31, and gets what lay there before", style.SMALL, style.VERMILLION, va="top",
                ha="left")


def with_barrier(axes, y):
    style.label(axes, 8, y, "With the barrier", ha="left", weight="bold")
    first, second = y + 14, y + 14 + STEP
    line = LATE + LENGTH + 3
    warp(axes, first, COSINES, stages(EARLY, "cos"), (EARLY + LENGTH, line, "waits", WAITS, "////"), turns(line))
    warp(axes, second, SINES, stages(LATE, "sin"), turns(line))
    style.line(axes, [(line, first - 10), (line, second + HEIGHT + 6)], style.BLACK, 2.5)
    style.label(axes, line, first - 12, "all 8 warps are here", style.SMALL, va="bottom")


def draw():
    figure, axes = style.sheet(236)
    without(axes, 14)
    with_barrier(axes, 132)
    style.arrow(axes, (LEFT + 6, 222), (RIGHT - 8, 222), style.GREY, 1)
    style.label(axes, 8, 222, "time", style.SMALL, style.GREY, ha="left")
    return style.Drawing(
        figure,
        "Two timelines of warp 0, which brings cosines, and warp 2, which begins later and brings sines: without the barrier warp 0 goes on to turn "
        "before warp 2 has brought the sines; with it warp 0 waits until warp 2 has brought them, and both turn after the same moment.",
        f"Two of a block's {THREADS // WARP} warps, with {PAIRS} pairs. Warps 0 and 1 bring the cosines, warps 2 and 3 the sines, in an order that the GPU chooses. "
        f"Warp 0 turns pairs 0 to {WARP - 1} and needs the sines of warp 2.",
    )
