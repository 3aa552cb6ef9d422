"""pairs.svg: which two channels make a pair, in both styles (chapter 02)."""

import style

DATA = ()

HEAD_DIM, ROTARY_DIM = 10, 8
PAIRS = ROTARY_DIM // 2
LEFT, SIDE = 118, 39  # where channel 0 begins; the width of a cell
HEIGHT = 30


def middle(channel):
    return LEFT + (channel + 0.5) * SIDE


def join(axes, first, second, y, pair):
    """A line over the cells from one channel of a pair to the other; longer ones reach higher, so that they can be told apart."""
    top = y - 8 - 6 * (PAIRS - 1 - pair) if second - first > 1 else y - 10
    dashes = ("-", "--", "-.", ":")[pair]
    style.line(axes, [(middle(first), y), (middle(first), top), (middle(second), top), (middle(second), y)], style.BLACK, 1.2, dashes)


def row(axes, y, name, rule, channels_of):
    style.label(axes, 8, y + 8, name, ha="left", weight="bold")
    style.label(axes, 8, y + 24, rule, style.SMALL, style.GREY, ha="left")
    for pair in range(PAIRS):
        channels = channels_of(pair)
        join(axes, *channels, y, pair)
        for channel in channels:
            style.cell(axes, LEFT + channel * SIDE, y, SIDE, HEIGHT, f"pair {pair}", style.PAIR_FILLS[pair])
    for channel in range(ROTARY_DIM, HEAD_DIM):
        style.cell(axes, LEFT + channel * SIDE, y, SIDE, HEIGHT, fill=style.PALE, hatch="///")


def draw():
    figure, axes = style.sheet(205)
    style.label(axes, 8, 12, "channel", ha="left")
    for channel in range(HEAD_DIM):
        style.label(axes, middle(channel), 12, str(channel))
    row(axes, 54, "half", "p and p + 8/2", lambda pair: (pair, pair + PAIRS))
    row(axes, 120, "interleaved", "2p and 2p + 1", lambda pair: (2 * pair, 2 * pair + 1))
    end = LEFT + ROTARY_DIM * SIDE
    style.bracket(axes, LEFT + 2, end - 2, 156, f"rotary_dim = {ROTARY_DIM}")
    style.bracket(axes, end + 2, LEFT + HEAD_DIM * SIDE - 2, 156, "not turned")
    style.bracket(axes, LEFT + 2, LEFT + HEAD_DIM * SIDE - 2, 179, f"head_dim = {HEAD_DIM}")
    return style.Drawing(
        figure,
        f"A head of {HEAD_DIM} channels, twice: in half style pairs 0 to 3 are channels 0 and 4, 1 and 5, 2 and 6, 3 and 7; in interleaved "
        "style 0 and 1, 2 and 3, 4 and 5, 6 and 7; channels 8 and 9 belong to no pair.",
        f"A head of {HEAD_DIM} channels of which {ROTARY_DIM} turn. The two styles make the same number of pairs from different channels.",
    )
