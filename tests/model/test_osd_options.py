"""Options of OSDs are set where what was before is kept."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest


def literals(folder: Path) -> Iterator[tuple[str, str]]:
    """Each text in the code that is no docstring, with its file."""
    for file in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield file.relative_to(folder).as_posix(), node.value


@pytest.fixture(scope="module")
def texts(root: Path) -> list[tuple[str, str]]:
    return list(literals(root / "mgr_module" / "perf_bench"))


def test_options_are_set_in_one_place(texts: list[tuple[str, str]]) -> None:
    # what is set elsewhere would be in no journal
    orders = {"config set", "config rm", "config assimilate-conf", "injectargs"}
    places = {file for file, text in texts if text in orders}
    assert places == {"bench/held_kinds.py"}
