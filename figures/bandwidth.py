"""bandwidth.svg: how near the variants of chapters 03 and 04 come to a plain copy, case A (chapter 04)."""

import csv
import io

import inputs
import style

DATA = ("chapters/03_naive/results/h200.csv", "chapters/04_shared_memory/results/h200.csv")

CASE = "A"
COLUMNS = ("device", "chapter", "variant", "case", "tokens", "dtype", "fraction_of_copy")
FILLS = ("#BFE0F5", "#F3BE6B")
RIGHT = 470  # where the line of the copy stands
TOP, HEADING, STEP, BAR = 30, 24, 24, 17  # of the first heading; its height; from bar to bar; height of a bar


def measured():
    """[(chapter, [(variant, fraction)])] in the order of the files, and what all rows have in common."""
    groups, common = [], set()
    for name in DATA:
        rows = list(csv.DictReader(io.StringIO(inputs.read(name))))
        if not rows or any(rows[0].get(column) is None for column in COLUMNS):
            raise inputs.InputError(f"{name} lacks rows, or one of the columns {', '.join(COLUMNS)}")
        rows = [row for row in rows if row["case"] == CASE]
        try:
            groups.append((rows[0]["chapter"], [(row["variant"], float(row["fraction_of_copy"])) for row in rows]))
        except (IndexError, TypeError, ValueError):
            raise inputs.InputError(f"{name} has no row of case {CASE}, or a fraction_of_copy that is no number") from None
        common |= {(row["device"], row["tokens"], row["dtype"]) for row in rows}
    if len(common) != 1:
        raise inputs.InputError(f"{' and '.join(DATA)} differ in device, tokens or dtype of case {CASE}")
    return groups, common.pop()


def draw():
    groups, (device, tokens, dtype) = measured()
    left = 22 + 7 * max(len(variant) for _, rows in groups for variant, _ in rows)
    bottom = TOP + sum(HEADING + STEP * len(rows) for _, rows in groups) + 4
    figure, axes = style.sheet(bottom + 6)
    style.label(axes, RIGHT, TOP - 4, "a plain copy", va="bottom")
    style.line(axes, [(RIGHT, TOP), (RIGHT, bottom)], style.BLACK, 1.2, "--", zorder=0)  # a bar beyond it hides it
    y = TOP
    for (chapter, rows), fill in zip(groups, FILLS):
        style.label(axes, 8, y + HEADING / 2, f"chapter {chapter[:2]}", ha="left", weight="bold")
        y += HEADING
        for variant, fraction in rows:
            middle, end = y + STEP / 2, left + fraction * (RIGHT - left)
            style.label(axes, left - 8, middle, variant, ha="right", va="center_baseline")
            style.cell(axes, left, middle - BAR / 2, end - left, BAR, fill=fill)
            # Inside a long bar, so that the number does not lie on the line of the copy.
            inside = fraction > 0.8
            style.label(axes, end + (-6 if inside else 6), middle, f"{fraction:.3f}", ha="right" if inside else "left", va="center_baseline")
            y += STEP
    style.line(axes, [(left, TOP), (left, bottom)], style.GREY, 1)
    listed = "; ".join(
        f"chapter {chapter[:2]}: " + ", ".join(f"{variant} {fraction:.3f}" for variant, fraction in rows) for chapter, rows in groups
    )
    return style.Drawing(
        figure,
        f"Bars that say how near each variant comes to the speed of a plain copy, which is 1; {listed}.",
        f"The time of a plain copy of the same bytes, divided by the time of the variant: {int(tokens):,} tokens in {dtype} (case {CASE}), "
        f"measured on one {device}.",
    )
