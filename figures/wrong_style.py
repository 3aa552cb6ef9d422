"""wrong_style.svg: what becomes of a head that is turned in the wrong style (chapter 06)."""

import inputs
import style

TABLE = "chapters/06_interleaved/README.md#Error_of_a_head_that_is_turned"
DATA = (TABLE,)


def rows():
    """[(position, error)] as the chapter's program prints them."""
    lines = inputs.read(TABLE).splitlines()
    if len(lines) < 4 or lines[2].split() != ["position", "error"]:
        raise inputs.InputError(f"{TABLE} has other columns than position and error")
    try:
        return [(float(position), float(error)) for position, error in (line.split() for line in lines[3:])]
    except ValueError:
        raise inputs.InputError(f"{TABLE} has a row that is not two numbers") from None


def draw():
    data = rows()
    last = data[-1][0]
    figure, axes = style.chart(260, left=46, right=130, top=32, bottom=42)
    axes.set_xscale("symlog", linthresh=1, linscale=0.5)
    axes.set(xlim=(-0.2, last * 1.15), ylim=(0, 1.6))
    ticks = [0, 1, 4, 16, 64, 256, 1024, 4096]
    axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
    axes.set_yticks([0, 0.5, 1, 1.5])
    axes.minorticks_off()
    style.axis_names(axes, "position", "error of the head / its length")
    axes.axhline(2**0.5, color=style.BLACK, linestyle="--", linewidth=1)
    axes.plot(*zip(*data), color=style.VERMILLION, marker="o", markersize=5, linewidth=1.4)
    style.label(axes, last * 1.3, 2**0.5 + 0.1, "two random heads", colour=style.BLACK, ha="left")
    style.label(axes, last * 1.3, data[-1][1] - 0.14, "wrong style", colour=style.VERMILLION, ha="left")
    return style.Drawing(
        figure,
        f"A curve over positions from 0 to {last:,.0f}: the error is {data[0][1]:.0f} at position 0, {data[1][1]:.2f} at position 1, "
        f"and climbs to {data[-1][1]:.2f}, near a dashed line at 1.41.",
        "How far 200 random heads are from where they belong when they are turned in the half style instead of the interleaved one, as "
        "a fraction of their length. The dashed line, √2, is the distance of two random directions.",
    )
