"""Tests of figures/inputs.py and figures/draw.py, and of the figures that are there."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "figures"))
import inputs  # noqa: E402  (it is in figures/)

HAS_MATPLOTLIB = importlib.util.find_spec("matplotlib") is not None
SVG = "{http://www.w3.org/2000/svg}"

README = """# Some page

Largest error is a heading of prose here.

```
Other table

  1  2

Largest error of all

  position  table
         1      2
        10      3

  check  on
```

```
Largest error of all

  another
```
"""


class InputsTest(unittest.TestCase):
    """In a repository with one figure, whose SVG holds nothing but its comment."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        (self.root / "figures").mkdir()
        for name in ("draw.py", "style.py", "inputs.py", "curve.py"):
            self.write(f"figures/{name}", f"# {name}\n")
        self.write("README.md", README)
        self.references = inputs.own_sources("curve") + ["README.md#Largest_error_of"]
        self.write("figures/curve.svg", f"<svg>\n{inputs.comment(self.references, self.root)}\n</svg>\n")

    def write(self, name, text):
        (self.root / name).write_text(text, encoding="utf-8")

    def problems(self):
        return inputs.problems("curve", self.root)

    def test_every_module_but_the_shared_ones_is_a_figure(self):
        self.assertEqual(inputs.figure_names(self.root), ["curve"])

    def test_a_table_begins_in_a_code_block_and_ends_at_the_second_empty_line(self):
        self.assertEqual(
            inputs.read("README.md#Largest_error_of", self.root),
            "Largest error of all\n\n  position  table\n         1      2\n        10      3\n",
        )

    def test_a_table_ends_with_its_code_block(self):
        self.write("README.md", "```\nLargest error\n\n  1\n```\n\n```\n  2\n```\n")
        self.assertEqual(inputs.read("README.md#Largest", self.root), "Largest error\n\n  1\n")

    def test_what_is_missing_is_named(self):
        with self.assertRaisesRegex(inputs.InputError, "^README.md shows no output line that starts with 'No such'$"):
            inputs.read("README.md#No_such", self.root)
        with self.assertRaisesRegex(inputs.InputError, "^none.csv cannot be read$"):
            inputs.read("none.csv", self.root)

    def test_a_fresh_figure_has_no_problems(self):
        self.assertEqual(self.problems(), [])

    def test_a_change_elsewhere_in_the_readme_is_none(self):
        self.write("README.md", README.replace("Some page", "Another title").replace("  another", "  more"))
        self.assertEqual(self.problems(), [])

    def test_a_changed_row_makes_the_figure_stale(self):
        self.write("README.md", README.replace("10      3", "10      4"))
        reason = "README.md#Largest_error_of has changed since it was drawn; run figures/draw.py"
        self.assertEqual(self.problems(), [f"figures/curve.svg is stale: {reason}"])

    def test_a_changed_script_makes_the_figure_stale(self):
        for name in ("draw.py", "style.py", "curve.py"):
            with self.subTest(name):
                self.write(f"figures/{name}", "# changed\n")
                self.assertIn(f"figures/{name} has changed", "".join(self.problems()))
                self.write(f"figures/{name}", f"# {name}\n")

    def test_a_lost_input_makes_the_figure_stale(self):
        (self.root / "README.md").unlink()
        self.assertEqual(self.problems(), ["figures/curve.svg is stale: README.md cannot be read"])

    def test_a_figure_without_the_comment_names_no_input(self):
        self.write("figures/curve.svg", "<svg/>\n")
        names = [f"figures/curve.svg does not name its input {name}" for name in inputs.own_sources("curve")]
        self.assertEqual(self.problems(), names)

    def test_missing_and_orphaned_figures(self):
        (self.root / "figures/curve.svg").unlink()
        self.assertEqual(self.problems(), ["figures/curve.svg is missing: draw it with figures/draw.py"])
        self.assertEqual(
            inputs.problems("old", self.root), ["figures/old.svg: there is no figures/old.py that draws it"]
        )


class FiguresTest(unittest.TestCase):
    """The figures of the book."""

    def texts(self):
        for name in inputs.figure_names():
            yield name, inputs.read(f"figures/{name}.svg")

    def test_each_has_an_alternative_text_and_a_caption_first(self):
        for name, svg in self.texts():
            with self.subTest(name):
                root = ElementTree.fromstring(svg)
                self.assertEqual([child.tag for child in root][:2], [SVG + "title", SVG + "desc"])
                title, caption = inputs.title_and_description(svg)
                self.assertRegex(title, r"^[A-Z0-9][^\n]{40,}\.$")
                self.assertNotRegex(title, r"\. [A-Z]", "one sentence")
                self.assertRegex(caption, r"^[A-Z0-9][^\n]{40,}\.$")

    def test_each_is_520_wide_and_needs_no_font_and_nothing_from_elsewhere(self):
        for name, svg in self.texts():
            with self.subTest(name):
                root = ElementTree.fromstring(svg)
                self.assertEqual(root.get("width"), "520")
                self.assertEqual(root.get("viewBox"), f"0 0 520 {root.get('height')}")
                self.assertEqual(root.findall(f".//{SVG}text"), [])
                links = [value for element in root.iter() for key, value in element.items() if key.endswith("href")]
                self.assertEqual([link for link in links if not link.startswith("#")], [])

    def test_wavelengths_counts_the_pairs_that_chapter_01_counts(self):
        caption = inputs.title_and_description(inputs.read("figures/wavelengths.svg"))[1].replace(",", "")
        readme = inputs.read("chapters/01_rotation/README.md")
        counts = re.findall(r"(\d+) of 64 pairs complete a turn within (\d+) tokens", readme)
        self.assertEqual(len(counts), 2)
        for pairs, tokens in counts:
            self.assertRegex(caption, rf"\b{pairs}( of 64)? within {tokens} ")


def run_draw(root, *arguments, **environment):
    """(exit code, stdout, stderr) of figures/draw.py."""
    done = subprocess.run(
        [sys.executable, "-B", str(root / "figures/draw.py"), *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        cwd=tempfile.gettempdir(),
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


class DrawTest(unittest.TestCase):
    """draw.py, in a copy of what it reads."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        shutil.copytree(ROOT / "figures", self.root / "figures", ignore=shutil.ignore_patterns("__pycache__"))
        read = {"docs/tools/requirements.txt"}
        for name in inputs.figure_names():
            read |= {reference.partition("#")[0] for reference in inputs.recorded(inputs.read(f"figures/{name}.svg"))}
        for name in read:
            target = self.root / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, target)

    def test_wrong_use(self):
        code, out, error = run_draw(self.root, "check", "nothing")
        self.assertEqual((code, out), (2, ""))
        self.assertRegex(error, r"^draw.py: there is no figure 'nothing'; there are: .*\bturn\b.*\n$")

    def test_help(self):
        code, out, error = run_draw(self.root, "--help")
        self.assertEqual((code, error), (0, ""))
        self.assertTrue(out.startswith("usage: figures/draw.py [check] [NAME...]\n"))

    @unittest.skipUnless(HAS_MATPLOTLIB, "matplotlib is not installed")
    def test_every_figure_is_what_its_script_draws(self):
        self.assertEqual(run_draw(self.root, "check", PYTHONHASHSEED="7", TZ="Asia/Tokyo", LC_ALL="C"), (0, "", ""))

    @unittest.skipUnless(HAS_MATPLOTLIB, "matplotlib is not installed")
    def test_check_lists_what_is_wrong_and_drawing_repairs_it(self):
        figures = self.root / "figures"
        (figures / "turn.svg").unlink()
        svg = (figures / "pairs.svg").read_text(encoding="utf-8")
        (figures / "pairs.svg").write_text(svg.replace("520", "521", 1), encoding="utf-8")
        shutil.copy(figures / "wavelengths.svg", figures / "old.svg")
        lines = [
            "figures/pairs.svg is not what its script draws; run figures/draw.py",
            "figures/turn.svg is missing: draw it with figures/draw.py",
            "figures/old.svg: there is no figures/old.py that draws it",
        ]
        self.assertEqual(run_draw(self.root, "check"), (1, "\n".join(lines) + "\n", ""))
        self.assertEqual(run_draw(self.root), (0, "figures/pairs.svg\nfigures/turn.svg\n", ""))
        (figures / "old.svg").unlink()
        self.assertEqual(run_draw(self.root, "check"), (0, "", ""))

    @unittest.skipUnless(HAS_MATPLOTLIB, "matplotlib is not installed")
    def test_bad_texts_are_refused(self):
        for what, line in (
            ("is too small", 'style.label(axes, 200, 40, "one", 8)'),
            ("leaves the picture", 'style.label(axes, 515, 40, "a word")'),
            ("overlap", 'style.label(axes, 200, 40, "one"); style.label(axes, 205, 44, "two")'),
        ):
            with self.subTest(what):
                code = f'figure, axes = style.sheet(80); {line}; return style.Drawing(figure, "t", "c")'
                (self.root / "figures/bad.py").write_text(f"import style\nDATA = ()\ndef draw():\n    {code}\n", encoding="utf-8")
                status, out, error = run_draw(self.root, "bad")
                self.assertEqual((status, out), (1, ""))
                self.assertRegex(error, rf"^draw.py: bad: the texts? .* {what}\n$")
                self.assertFalse((self.root / "figures/bad.svg").exists())

    @unittest.skipUnless(HAS_MATPLOTLIB, "matplotlib is not installed")
    def test_bandwidth_wants_each_variant_once_and_knows_all(self):
        name = "chapters/04_shared_memory/results/h200.csv"
        rows = (self.root / name).read_text(encoding="utf-8").splitlines(keepends=True)
        staged = next(row for row in rows if ",token_staged,A," in row)
        other = staged.replace(",token_staged,", ",token_other,")
        at = rows.index(staged)
        for change, reason in (
            ([staged, other], "has the variant token_other, which figures/bandwidth.py has no group for"),
            ([], "lacks the variant token_staged of case A"),
            ([staged, staged], "has not one row per variant of case A, all of the same device, tokens and dtype"),
            ([staged.replace("H200", "H100")], "has not one row per variant of case A, all of the same device, tokens and dtype"),
        ):
            with self.subTest(reason):
                (self.root / name).write_text("".join(rows[:at] + change + rows[at + 1 :]), encoding="utf-8")
                self.assertEqual(run_draw(self.root, "bandwidth"), (1, "", f"draw.py: {name} {reason}\n"))

    @unittest.skipUnless(HAS_MATPLOTLIB, "matplotlib is not installed")
    def test_a_table_with_other_columns_is_refused(self):
        page = self.root / "chapters/02_cpu_reference/README.md"
        page.write_text(page.read_text(encoding="utf-8").replace("     table     angles", "     angles     table"), encoding="utf-8")
        status, _, error = run_draw(self.root, "error_by_position")
        self.assertEqual(status, 1)
        self.assertRegex(error, "^draw.py: chapters/02_cpu_reference/README.md#.* has other columns than position, table, .*\n$")


if __name__ == "__main__":
    unittest.main()
