"""The one style of the book's figures: sizes, colours, and the shapes that several figures share.

All sizes are pixels at the width of 520 at which the pages show a figure. The colours follow the palette of Okabe and Ito, which
people who are colour-blind can tell apart, darker where it is too pale for a text on white. No colour says anything that a number,
a line style or a label does not say as well.
"""

from typing import NamedTuple

import matplotlib
from matplotlib import font_manager
from matplotlib.figure import Figure
from matplotlib.patches import Arc, FancyArrowPatch, Rectangle

WIDTH = 520

BLACK, GREY, LIGHT_GREY, PALE = "#000000", "#595959", "#BFBFBF", "#EDEDED"
BLUE, VERMILLION, GREEN = "#0072B2", "#B84E00", "#00775A"

# Pair 0, 1, 2, 3 in every figure: pale versions of the palette, each darker than the one before, so that they differ in grey.
PAIR_FILLS = ("#FBF3B4", "#BFE0F5", "#F3BE6B", "#7FBFA6")

TEXT, SMALL, SMALLEST = 11, 10, 9  # font sizes; below 9 a text cannot be read at 520 pixels


class Drawing(NamedTuple):
    """What draw() of a figure's module returns."""

    figure: Figure
    title: str  # the alternative text: one sentence for someone who cannot see the figure
    caption: str  # one or two sentences below the figure


def prepare():
    """Settings of matplotlib that make the same bytes on every machine, whatever its own settings and fonts are."""
    matplotlib.rcdefaults()
    matplotlib.rcParams.update(
        {
            "svg.hashsalt": "ropewalk",  # else the ids are random
            "svg.fonttype": "path",  # letters as outlines: a viewer needs no font
            "font.family": "DejaVu Sans",
            "font.size": TEXT,
            "mathtext.fontset": "dejavusans",
            "axes.linewidth": 0.8,
            "axes.edgecolor": GREY,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "xtick.color": GREY,
            "ytick.color": GREY,
            "xtick.labelcolor": BLACK,
            "ytick.labelcolor": BLACK,
            "xtick.labelsize": SMALL,
            "ytick.labelsize": SMALL,
            "hatch.linewidth": 0.7,
        }
    )
    # A system may have another release of the same font.
    fonts = font_manager.fontManager
    fonts.ttflist = [font for font in fonts.ttflist if font.fname.startswith(matplotlib.get_data_path())]


def sheet(height):
    """(figure, axes) to draw on in pixels, from (0, 0) at the top left to (520, height)."""
    figure = Figure(figsize=(WIDTH / 72, height / 72), dpi=72, facecolor="white")
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_xlim(0, WIDTH)
    axes.set_ylim(height, 0)
    axes.axis("off")
    return figure, axes


def chart(height, left, right, top, bottom):
    """(figure, axes) with these margins, in pixels, around the area of the data."""
    figure = Figure(figsize=(WIDTH / 72, height / 72), dpi=72, facecolor="white")
    box = (left / WIDTH, bottom / height, (WIDTH - left - right) / WIDTH, (height - top - bottom) / height)
    return figure, figure.add_axes(box)


def axis_names(axes, across, up):
    """Names the axes of a chart; that of the vertical one stands above it, where it can be read without turning the head."""
    axes.set_xlabel(across)
    axes.annotate(up, (0, 1), (0, 9), "axes fraction", "offset pixels", ha="left", va="bottom", annotation_clip=False)


def label(axes, x, y, text, size=TEXT, colour=BLACK, ha="center", va="center", **options):
    return axes.text(x, y, text, fontsize=size, color=colour, ha=ha, va=va, **options)


def cell(axes, x, y, width, height, text="", fill="white", hatch=None, size=SMALL, edge=GREY, colour=BLACK):
    """A box with a text in its middle; (x, y) is its top left corner."""
    axes.add_patch(Rectangle((x, y), width, height, facecolor=fill, edgecolor=edge, linewidth=0.8))
    if hatch:
        axes.add_patch(Rectangle((x, y), width, height, fill=False, edgecolor=LIGHT_GREY, linewidth=0, hatch=hatch))
    if text:
        label(axes, x + width / 2, y + height / 2, text, size, colour, va="center_baseline")


def line(axes, points, colour=GREY, width=1.0, dashes="-", **options):
    axes.plot(*zip(*points), color=colour, linewidth=width, linestyle=dashes, solid_capstyle="butt", **options)


def arrow(axes, start, end, colour=BLACK, width=1.2, dashes="-", head=8):
    # The line ends inside the head, so that its end does not show beyond the tip.
    axes.add_patch(
        FancyArrowPatch(
            start,
            end,
            arrowstyle=f"-|>,head_length={head / 10},head_width={head / 25}",
            mutation_scale=10,
            shrinkA=0,
            shrinkB=0,
            color=colour,
            linewidth=width,
            linestyle=dashes,
        )
    )


def arc(axes, centre, radius, start, end, colour=GREY, width=1.0, dashes="-"):
    """Part of a circle on a sheet, between two angles in degrees, counterclockwise as seen."""
    axes.add_patch(
        Arc(centre, 2 * radius, 2 * radius, theta1=-end, theta2=-start, color=colour, linewidth=width, linestyle=dashes)
    )


def bracket(axes, x0, x1, y, text, depth=5, below=True, size=SMALL, colour=GREY):
    """A bracket along cells from x0 to x1 with a text at its middle."""
    sign = 1 if below else -1
    line(axes, [(x0, y), (x0, y + sign * depth), (x1, y + sign * depth), (x1, y)], colour)
    label(axes, (x0 + x1) / 2, y + sign * (depth + 3), text, size, va="top" if below else "bottom")
