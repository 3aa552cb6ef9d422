"""error_by_position.svg: how the error of cos and sin grows with the position (chapter 02)."""

import inputs
import style

TABLE = "chapters/02_cpu_reference/README.md#Largest_error_of_(cos,_sin)"
DATA = (TABLE,)

COLUMNS = ("position", "table", "angles", "powf", "product", "all in double")


def columns():
    """{column: values} of the table that the chapter's program prints."""
    lines = inputs.read(TABLE).splitlines()
    if len(lines) < 4 or lines[2].split() != " ".join(COLUMNS).split():
        raise inputs.InputError(f"{TABLE} has other columns than {', '.join(COLUMNS)}")
    try:
        rows = [[float(word) for word in line.split()] for line in lines[3:]]
        return dict(zip(COLUMNS, zip(*rows, strict=True)))
    except ValueError:
        raise inputs.InputError(f"{TABLE} has a row that is not {len(COLUMNS)} numbers") from None


def draw():
    data = columns()
    positions = data["position"]
    figure, axes = style.chart(320, left=46, right=108, top=32, bottom=42)
    axes.set(xscale="log", yscale="log", xlim=(0.8, 1.3 * positions[-1]), ylim=(1e-16, 1))
    axes.set_xticks(positions, [f"{position:,.0f}" for position in positions])
    axes.set_yticks([10.0**power for power in range(-16, 1, 4)])
    axes.minorticks_off()
    style.axis_names(axes, "position", "largest error of (cos, sin)")
    if any(abs(one - other) > 0.1 * one for one, other in zip(data["angles"], data["powf"])):
        raise inputs.InputError("error_by_position: angles and powf differ now; each needs a curve and a label of its own")
    # (column, its label, the label's height as a multiple of the last value, colour, line, mark)
    curves = (
        ("product", "product", 3, style.BLACK, "-.", "^"),
        ("angles", "angles, powf", 0.3, style.VERMILLION, "-", "o"),
        ("table", "table", 1, style.BLUE, "-", "s"),
        ("all in double", "all in double", 1, style.GREEN, "--", "D"),
    )
    for column, name, height, colour, dashes, marker in curves:
        points = [(x, y) for x, y in zip(positions, data[column]) if y > 0]  # a logarithm has no place for 0
        axes.plot(*zip(*points), color=colour, linestyle=dashes, marker=marker, markersize=5, linewidth=1.4)
        style.label(axes, positions[-1] * 1.6, points[-1][1] * height, name, colour=colour, ha="left")
    return style.Drawing(
        figure,
        f"Four curves over positions from {positions[0]:,.0f} to {positions[-1]:,.0f}, both axes logarithmic: table stays flat near {data['table'][-1]:.0e}; angles, "
        f"powf and product rise with the position, from {data['angles'][0]:.0e} to {data['product'][-1]:.0e}; all in double rises as "
        "steeply, far below table.",
        f"The largest error among 64 pairs, base 10,000, as the program printed it. At position {positions[-1]:,.0f} the error is "
        f"{data['table'][-1]:.1e} with a table, {data['angles'][-1]:.1e} with angles computed in float, and "
        f"{data['all in double'][-1]:.1e} when all is in double (at position 1, where it is 0, that curve has no point).",
    )
