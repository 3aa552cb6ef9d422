#!/usr/bin/env python3
"""Draws the figures of the book, figures/*.svg, or says which of them are not what their scripts would draw now."""

import importlib
import io
import os
import re
import sys
from itertools import combinations
from xml.sax.saxutils import escape

import inputs

USAGE = """usage: figures/draw.py [check] [NAME...]

Draws figures/NAME.svg, all figures if none is named, and prints what it changed.

  check   writes nothing, but says which SVG is stale or missing, and, if none is named, which has no script

Exit codes: 0 done, 1 something is stale, missing or wrong in an input, 2 wrong use, or matplotlib is not there as
docs/tools/requirements.txt wants it."""


def fail(code, text):
    print(f"draw.py: {text}", file=sys.stderr)
    sys.exit(code)


def load_matplotlib():
    """Another release draws other bytes, so the release must be the pinned one."""
    # The list of fonts that matplotlib keeps belongs to this folder's build, not into the reader's home.
    os.environ.setdefault("MPLCONFIGDIR", str(inputs.ROOT / "build" / "matplotlib"))
    try:
        pin = re.search(r"^matplotlib==(\S+)", inputs.read("docs/tools/requirements.txt"), re.MULTILINE).group(1)
    except (inputs.InputError, AttributeError):
        fail(2, "docs/tools/requirements.txt does not say which matplotlib is needed")
    try:
        import matplotlib
    except ImportError:
        fail(2, "matplotlib is missing; docs/tools/requirements.txt says which release is needed")
    if matplotlib.__version__ != pin:
        fail(2, f"this is matplotlib {matplotlib.__version__}; docs/tools/requirements.txt asks for {pin}")
    import style

    style.prepare()


def check_texts(name, figure):
    """Refuses a figure with a text that is too small, leaves the picture, or lies on another text."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.text import Text

    from style import SMALLEST

    renderer = FigureCanvasAgg(figure).get_renderer()
    figure.draw_without_rendering()
    boxes = []
    for text in figure.findobj(Text):
        if text.get_visible() and text.get_text().strip():
            words = repr(text.get_text())
            if text.get_fontsize() < SMALLEST:
                raise inputs.InputError(f"{name}: the text {words} is too small")
            box = text.get_window_extent(renderer)
            if box.x0 < 0 or box.y0 < 0 or box.x1 > figure.bbox.x1 or box.y1 > figure.bbox.y1:
                raise inputs.InputError(f"{name}: the text {words} leaves the picture")
            boxes.append((words, box.padded(-1)))
    for (one, box), (other, other_box) in combinations(boxes, 2):
        if box.overlaps(other_box):
            raise inputs.InputError(f"{name}: the texts {one} and {other} overlap")


def render(name):
    """The bytes of figures/NAME.svg."""
    module = importlib.import_module(name)
    drawing = module.draw()
    check_texts(name, drawing.figure)
    stream = io.StringIO()
    # Without the metadata nothing in the file depends on the day or the machine.
    nothing = dict.fromkeys(("Creator", "Date", "Format", "Type"))
    drawing.figure.savefig(stream, format="svg", metadata=nothing, facecolor="white")
    body = stream.getvalue().partition("<svg")[2].partition(">")[2]
    width, height = (round(size * 72) for size in drawing.figure.get_size_inches())
    body = re.sub(r"[ \t]+$", "", body, flags=re.MULTILINE).strip("\n")
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" version="1.1" '
        f'width="{width}" height="{height}" viewBox="0 0 {width} {height}">\n'
        f"<title>{escape(drawing.title)}</title>\n<desc>{escape(drawing.caption)}</desc>\n"
        f"{inputs.comment(inputs.own_sources(name) + list(module.DATA))}\n{body}\n"
    )
    return svg.encode("utf-8")


def draw(name):
    path = inputs.ROOT / "figures" / f"{name}.svg"
    svg = render(name)
    if not path.is_file() or path.read_bytes() != svg:
        path.write_bytes(svg)
        print(f"figures/{name}.svg")


def check(name):
    """One line for each thing that is wrong with a figure."""
    found = inputs.problems(name)
    if not found and (inputs.ROOT / f"figures/{name}.svg").read_bytes() != render(name):
        found = [f"figures/{name}.svg is not what its script draws; run figures/draw.py"]
    return found


def main(arguments):
    if arguments in (["--help"], ["-h"]):
        print(USAGE)
        return 0
    checking = arguments[:1] == ["check"]
    chosen = arguments[1:] if checking else arguments
    known = inputs.figure_names()
    for name in chosen:
        if name not in known:
            fail(2, f"there is no figure '{name}'; there are: {' '.join(known)}")
    load_matplotlib()
    if not checking:
        for name in chosen or known:
            try:
                draw(name)
            except inputs.InputError as error:
                fail(1, str(error))
        return 0
    found = []
    orphans = {path.stem for path in (inputs.ROOT / "figures").glob("*.svg")} - set(known)
    for name in chosen or known + sorted(orphans):
        try:
            found += check(name)
        except inputs.InputError as error:
            found.append(str(error))
    for text in found:
        print(text)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
