"""Which files a figure was drawn from, and whether they are still the same.

Every SVG in this folder records its inputs in one comment line:

    <!-- inputs: figures/draw.py=0123456789abcdef ... -->

Each entry is a reference and the first 16 digits of the SHA-256 of what it refers to. A reference is one of

    PATH             a file, relative to the repository root
    PATH#BEGINNING   a table in a program's output that a README shows: in the first code block that has such a line, from the
                     line that starts with BEGINNING, where "_" stands for a blank, to the second empty line after it (the first
                     one separates the title from the rows) or to the end of the code block

Standard library only: the documentation's tools ask here whether a figure is stale without being able to draw it.
"""

import hashlib
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NOT_FIGURES = ("draw.py", "inputs.py", "style.py")  # every other module in this folder draws one figure


class InputError(Exception):
    """An input that is missing, or is not what the figure needs; the text is one line."""


def figure_names(root=ROOT):
    """The names that have a module, sorted."""
    return sorted(path.stem for path in (root / "figures").glob("*.py") if path.name not in NOT_FIGURES)


def own_sources(name):
    """The inputs that every figure has: the scripts that draw it."""
    return ["figures/draw.py", "figures/style.py", f"figures/{name}.py"]


def read(reference, root=ROOT):
    """The text that a reference stands for."""
    path, hash_sign, beginning = reference.partition("#")
    try:
        text = (root / path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise InputError(f"{path} cannot be read") from None
    return _table(text, path, beginning.replace("_", " ")) if hash_sign else text


def _table(text, path, beginning):
    in_code, rows, empty_lines = False, [], 0
    for line in text.splitlines():
        if line.startswith("```"):
            if rows:
                break
            in_code = not in_code
        elif rows or (in_code and line.startswith(beginning)):
            empty_lines += not line.strip()
            if empty_lines == 2:
                break
            rows.append(line)
    if not rows:
        raise InputError(f"{path} shows no output line that starts with '{beginning}'")
    return "\n".join(rows).rstrip("\n") + "\n"


def digest(reference, root=ROOT):
    """What the comment says about a reference."""
    return hashlib.sha256(read(reference, root).encode("utf-8")).hexdigest()[:16]


def comment(references, root=ROOT):
    """The comment line of a figure that was drawn from these inputs just now."""
    return "<!-- inputs: " + " ".join(f"{name}={digest(name, root)}" for name in references) + " -->"


def recorded(svg):
    """{reference: digest}, as the text of an SVG says; empty if it says nothing."""
    match = re.search(r"^<!-- inputs: (.*) -->$", svg, re.MULTILINE)
    return dict(re.findall(r"(\S+)=([0-9a-f]{16})(?=\s|$)", match.group(1))) if match else {}


def title_and_description(svg):
    """The alternative text and the caption of an SVG's text."""
    root = ElementTree.fromstring(svg)
    return tuple((root.findtext(f"{{http://www.w3.org/2000/svg}}{tag}") or "").strip() for tag in ("title", "desc"))


def problems(name, root=ROOT):
    """One line for each reason why figures/NAME.svg is not what its sources say; an empty list if it is."""
    where = f"figures/{name}.svg"
    if not (root / f"figures/{name}.py").is_file():
        return [f"{where}: there is no figures/{name}.py that draws it"]
    try:
        svg = read(where, root)
    except InputError:
        return [f"{where} is missing: draw it with figures/draw.py"]
    known = recorded(svg)
    found = [f"{where} does not name its input {source}" for source in own_sources(name) if source not in known]
    for reference, before in known.items():
        try:
            if digest(reference, root) != before:
                found.append(f"{where} is stale: {reference} has changed since it was drawn; run figures/draw.py")
        except InputError as error:
            found.append(f"{where} is stale: {error}")
    return found
