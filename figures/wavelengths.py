"""wavelengths.svg: how many tokens each pair needs for a turn, for two bases (chapter 01)."""

import json
from math import pi

import inputs
import style

MODEL = "common/models/llama-3-8b.json"
DATA = (MODEL,)

ROTARY_DIM = 128
PAIRS = ROTARY_DIM // 2


def wavelengths(base):
    """Tokens per turn of each pair."""
    return [2 * pi * base ** (2 * pair / ROTARY_DIM) for pair in range(PAIRS)]


def turning(base, context):
    """How many pairs complete a turn within the context."""
    return sum(length <= context for length in wavelengths(base))


def settings():
    """(base, context) of the two curves: the chapter's defaults, and those of a model for longer texts."""
    try:
        model = json.loads(inputs.read(MODEL))
        return (10_000, 4_096), (int(model["rope_theta"]), model["max_position_embeddings"])
    except (ValueError, KeyError, TypeError):
        raise inputs.InputError(f"{MODEL} has no rope_theta or no max_position_embeddings") from None


def curve(axes, base, context, colour, marker):
    """Filled marks for pairs that complete a turn within the context, hollow ones for the others."""
    lengths, count = wavelengths(base), turning(base, context)
    axes.plot(lengths, color=colour, linewidth=0.8)
    for first, last, fill in ((0, count, colour), (count, PAIRS, "white")):
        axes.plot(
            range(first, last), lengths[first:last], linestyle="", marker=marker, markersize=4.5, color=colour, markerfacecolor=fill,
            markeredgewidth=0.9,
        )
    edge = count - 0.5
    axes.plot([edge, edge], [1, context], color=colour, linewidth=1.2, linestyle=":")
    style.label(axes, edge - 0.7, 4, f"{count} of {PAIRS}\ncome round", style.SMALL, colour, ha="right", va="bottom")


def draw():
    figure, axes = style.chart(340, left=70, right=12, top=32, bottom=42)
    axes.set(yscale="log", xlim=(-1, PAIRS), ylim=(3, 5e6))
    axes.set_xticks([*range(0, PAIRS, 8), PAIRS - 1])
    ticks = [10**power for power in range(1, 7)]
    axes.set_yticks(ticks, [f"{tick:,}" for tick in ticks])
    axes.minorticks_off()
    style.axis_names(axes, "pair", "tokens per turn")

    (base, context), (long_base, long_context) = settings()
    counts = turning(base, context), turning(long_base, long_context)
    for length, place in ((context, "top"), (long_context, "bottom")):
        axes.plot([-1, PAIRS], [length, length], color=style.GREY, linewidth=0.9, linestyle="--")
        gap = 1.15 if place == "bottom" else 1 / 1.2
        style.label(axes, -0.4, length * gap, f"{length:,} tokens", style.SMALL, ha="left", va=place)
    curve(axes, base, context, style.BLUE, "o")
    curve(axes, long_base, long_context, style.VERMILLION, "s")

    style.label(axes, 48, 3e5, f"base {long_base:,}", ha="right", colour=style.VERMILLION)
    style.label(axes, 63, 1800, f"base {base:,}", ha="right", va="top", colour=style.BLUE)
    return style.Drawing(
        figure,
        f"Two curves over pairs 0 to {PAIRS - 1}, tokens per turn on a logarithmic axis: both rise from 6.3 tokens, base {long_base:,} more "
        f"steeply than base {base:,}; they pass {long_context:,} and {context:,} tokens after {counts[1]} and {counts[0]} pairs.",
        f"Tokens that a pair needs for one turn, when {ROTARY_DIM} channels turn. Filled marks are pairs that come round at least once: "
        f"{counts[0]} of {PAIRS} within {context:,} tokens for base {base:,}, {counts[1]} within {long_context:,} for base "
        f"{long_base:,} (Llama 3 8B).",
    )
