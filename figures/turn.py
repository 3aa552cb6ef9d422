"""turn.svg: what turning a pair means, and why only the distance of two positions is left (chapter 01)."""

from math import atan2, cos, degrees, hypot, radians, sin

import style

DATA = ()

FREQUENCY = 0.3  # radians per position: few enough that the arrows of the picture stay apart
Q, K = (1, 2), (3, 1)  # the arrows of the chapter's example
FOOT = 194  # where the line below each part stands


def at(centre, length, angle):
    """The point of the sheet at this distance and angle (degrees, counterclockwise) from a centre."""
    return centre[0] + length * cos(radians(angle)), centre[1] - length * sin(radians(angle))


def axes_cross(axes, centre, left, right, down, up):
    x, y = centre
    style.arrow(axes, (x - left, y), (x + right, y), style.GREY, 0.8, head=6)
    style.arrow(axes, (x, y + down), (x, y - up), style.GREY, 0.8, head=6)


def one_arrow(axes, centre):
    """An arrow before and after its turn, with its components."""
    length, start, turned, radius = 135, 15, 62, 52
    axes_cross(axes, centre, 6, 155, 6, 140)
    for angle, colour, dashes, name in ((start, style.GREY, "--", "x"), (turned, style.BLUE, "-", "y")):
        tip = at(centre, length, angle)
        style.line(axes, [(tip[0], centre[1]), tip, (centre[0], tip[1])], style.GREY, 0.8, ":")
        style.arrow(axes, centre, tip, colour, 2.0, dashes)
        style.label(axes, tip[0], centre[1] + 10, f"{name}0", style.SMALL, colour)
        style.label(axes, centre[0] - 6, tip[1], f"{name}1", style.SMALL, colour, ha="right")
        style.label(axes, tip[0] + 6, tip[1] + (7 if name == "x" else -5), name, 12, colour, ha="left", weight="bold")
    style.arc(axes, centre, radius, start, turned - 6, style.BLACK)
    style.arrow(axes, at(centre, radius, turned - 9), at(centre, radius, turned), style.BLACK, 1.0, head=6)
    style.label(axes, centre[0] + 67, centre[1] - 40, "angle = position\n× frequency", style.SMALL, ha="left", va="bottom")
    style.label(axes, centre[0] + 75, FOOT, "one pair, turned")


def two_arrows(axes, centre, m, n):
    """q turned as at position m and k as at position n. Returns the angle between them in degrees."""
    unit, angles = 26, []
    axes_cross(axes, centre, 55, 78, 6, 115)
    for arrow, steps, colour, dashes, name in ((K, n, style.VERMILLION, "--", "k"), (Q, m, style.BLUE, "-", "q")):
        angle = degrees(atan2(arrow[1], arrow[0]) + steps * FREQUENCY)
        length = hypot(*arrow) * unit
        style.arrow(axes, centre, at(centre, length, angle), colour, 2.0, dashes)
        style.label(axes, *at(centre, length + 9, angle), name, 12, colour, weight="bold")
        angles.append(angle)
    between = angles[1] - angles[0]
    style.arc(axes, centre, 24, *angles, style.BLACK, 1.2)
    style.label(axes, *at(centre, 40, angles[0] + between * 0.55), f"{between:.0f}°", style.SMALL)
    style.label(axes, centre[0] + 12, FOOT, f"q at position {m}, k at {n}")
    return between


def draw():
    figure, axes = style.sheet(205)
    one_arrow(axes, (30, 160))
    between = two_arrows(axes, (264, 160), 2, 0)
    two_arrows(axes, (432, 160), 5, 3)
    return style.Drawing(
        figure,
        "An arrow x is turned counterclockwise by position times frequency and becomes y; beside it the arrows q and k at positions "
        "2 and 0, and again at 5 and 3: both have turned further, and the angle between them is the same.",
        f"Left: a pair of channels is an arrow, and RoPE turns it. Right: two arrows, q and k, with frequency {FREQUENCY}. Two positions "
        f"apart the angle between them is {between:.0f} degrees, wherever they stand.",
    )
