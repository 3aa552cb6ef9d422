"""bandwidth.svg: how near the variants of chapter 04 come to a plain copy, case A (chapter 04)."""

import csv
import io

import inputs
import style

MEASURED = "chapters/04_shared_memory/results/h200.csv"
DATA = (MEASURED,)

CASE = "A"
COLUMNS = ("device", "variant", "case", "tokens", "dtype", "fraction_of_copy")
GROUPS = (
    ("chapter 03's kernel", ("naive",)),
    ("a few heads per block", ("head_direct", "head_staged")),
    ("a token per block, read from the table", ("token_direct", "token_staged", "four_tokens", "token_registers")),
    ("a token per block, computed with powf", ("powf_direct", "powf_staged", "powf_registers")),
)
FILLS = ("#D9D9D9", "#FBF3B4", "#BFE0F5", "#F3BE6B")
RIGHT = 480  # where the line of the copy stands
TOP, HEADING, STEP, BAR = 26, 26, 22, 16  # of the first heading; its height; from bar to bar; height of a bar


def measured():
    """{variant: fraction} of the file's case A, and (device, tokens, dtype) of it."""
    rows = list(csv.DictReader(io.StringIO(inputs.read(MEASURED))))
    if not rows or any(rows[0].get(column) is None for column in COLUMNS):
        raise inputs.InputError(f"{MEASURED} lacks rows, or one of the columns {', '.join(COLUMNS)}")
    rows = [row for row in rows if row["case"] == CASE]
    try:
        fractions = {row["variant"]: float(row["fraction_of_copy"]) for row in rows}
    except (TypeError, ValueError):
        raise inputs.InputError(f"{MEASURED} has a fraction_of_copy that is no number") from None
    common = {(row["device"], row["tokens"], row["dtype"]) for row in rows}
    if len(common) != 1 or len(fractions) != len(rows):
        raise inputs.InputError(f"{MEASURED} has not one row per variant of case {CASE}, all of the same device, tokens and dtype")
    known = [variant for _, variants in GROUPS for variant in variants]
    for variant in fractions:
        if variant not in known:
            raise inputs.InputError(f"{MEASURED} has the variant {variant}, which figures/bandwidth.py has no group for")
    for variant in known:
        if variant not in fractions:
            raise inputs.InputError(f"{MEASURED} lacks the variant {variant} of case {CASE}")
    return fractions, common.pop()


def draw():
    fractions, (device, tokens, dtype) = measured()
    left = 20 + 7 * max(map(len, fractions))
    bottom = TOP + sum(HEADING + STEP * len(variants) for _, variants in GROUPS) + 4
    figure, axes = style.sheet(bottom + 6)
    style.label(axes, RIGHT, TOP - 4, "a plain copy", va="bottom")
    style.line(axes, [(RIGHT, TOP), (RIGHT, bottom)], style.BLACK, 1.2, "--", zorder=0)  # a bar beyond it hides it
    y = TOP
    for (heading, variants), fill in zip(GROUPS, FILLS):
        style.label(axes, 8, y + HEADING / 2 + 2, heading, ha="left", weight="bold", size=style.SMALL)
        y += HEADING
        style.line(axes, [(left, y), (left, y + STEP * len(variants))], style.GREY, 1)
        for variant in variants:
            fraction = fractions[variant]
            middle, end = y + STEP / 2, left + fraction * (RIGHT - left)
            style.label(axes, left - 8, middle, variant, ha="right", va="center_baseline")
            style.cell(axes, left, middle - BAR / 2, end - left, BAR, fill=fill)
            # Inside a long bar, so that the number does not lie on the line of the copy.
            inside = fraction > 0.8
            style.label(axes, end + (-6 if inside else 6), middle, f"{fraction:.3f}", ha="right" if inside else "left", va="center_baseline")
            y += STEP
    listed = "; ".join(
        f"{heading}: " + ", ".join(f"{variant} {fractions[variant]:.3f}" for variant in variants) for heading, variants in GROUPS
    )
    return style.Drawing(
        figure,
        f"Bars that say how near each variant comes to the speed of a plain copy, which is 1; {listed}.",
        f"The time of a plain copy of the same bytes as a fraction of the variant's time: case A ({int(tokens):,} tokens, {dtype}), "
        f"one run on one {device}.",
    )
