"""Texts that are compared with files of the repository.

To write them anew: set WRITE_GOLDEN in the environment, run the tests, of which one fails as a
reminder, and read the difference before it is committed.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from unicodedata import east_asian_width

import pytest

FOLDER = Path(__file__).resolve().parents[1] / "golden"
_FIGURE = re.compile(r"-?\d+\.\d+(?:e[-+]\d+)?")


def writing() -> bool:
    """Whether the files are written instead of compared."""
    return bool(os.environ.get("WRITE_GOLDEN"))


def compare(name: str, text: str) -> None:
    """Fail unless ``text`` is what the file of that name holds."""
    assert text == _text_of(name, text)


def printed(name: str, text: str) -> None:
    """The same of what a command prints, whose lines fit into a terminal."""
    compare(f"{name}.txt", text + "\n")
    for line in text.splitlines():
        width = sum(2 if east_asian_width(letter) in "WF" else 1 for letter in line)
        assert 0 < width <= 80, line  # ceph-mgr 16 drops empty lines


def compare_figures(name: str, text: str) -> None:
    """The same; figures may differ in the last digits, where machines' logarithms do."""
    golden = _text_of(name, text)
    assert _FIGURE.sub("#", text) == _FIGURE.sub("#", golden)
    figures = [[float(figure) for figure in _FIGURE.findall(side)] for side in (text, golden)]
    assert figures[0] == pytest.approx(figures[1], rel=1e-9)


def _text_of(name: str, text: str) -> str:
    file = FOLDER / name
    if writing():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    assert file.exists(), f"there is no golden file {name}"
    return file.read_text(encoding="utf-8")
