"""Figures: the text that belongs to them, and whether they are as their scripts would draw them.

An SVG carries all of it: <title> is the alternative text, <desc> the caption, and a comment names every file that it was drawn from.
figures/inputs.py knows that comment; nothing is drawn here."""
import functools
import importlib.util
import os
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from .problems import Problem

INPUTS = Path(__file__).resolve().parents[3] / 'figures' / 'inputs.py'


@functools.cache
def inputs():
    """figures/inputs.py as a module; it is no package of ours, so it is loaded by its path."""
    spec = importlib.util.spec_from_file_location('figure_inputs', INPUTS)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def figure(root, folder, name):
    """The lines of the block: the picture and its caption."""
    if '/' in name or not name.endswith('.svg'):
        raise Problem('a figure is "NAME.svg", a file in figures/')
    wrong = problems(root, name)
    if wrong:
        raise Problem('; '.join(wrong))
    alternative, caption = texts(root / 'figures' / name)
    target = os.path.relpath(root / 'figures' / name, folder).replace(os.sep, '/')
    return [f'![{escaped(alternative, "[]")}]({target})', '', f'*{escaped(caption, "*")}*']


def escaped(text, characters):
    return ''.join('\\' + c if c in characters else c for c in text)


def problems(root, name):
    """What is wrong with a figure, a line for each: it is stale, or it lacks its text."""
    wrong = inputs().problems(name.removesuffix('.svg'), root)
    if not wrong:
        try:
            missing = [tag for tag, text in zip(('title', 'desc'), texts(root / 'figures' / name)) if not text]
            wrong = [f'figures/{name} has no <{tag}>' for tag in missing]
        except ElementTree.ParseError as error:
            wrong = [f'figures/{name} is no SVG: {error}']
    return wrong


def texts(path):
    """Alternative text and caption."""
    return tuple(' '.join(text.split()) for text in inputs().title_and_description(path.read_text(encoding='utf-8')))
