"""The part `mutants`: which tests a mutant meets, and how it is put into what was imported."""

from __future__ import annotations

import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reliability.mutants import child
from reliability.mutants.kinds import MODULE, SAMPLES, Mutant
from reliability.mutants.part import (
    EQUIVALENT,
    _trial,
    known,
    statement,
)

SOURCE = """\
LIMIT = 3

@decorated
def above(value, limit=LIMIT):
    inner = [one for one in value
             if one > limit]

    def most():
        return max(inner)
    return most()

class Box:
    size = 1
    doubled = [2 * one for one in (1, 2)]

    def volume(self):
        return self.size ** 3
"""


def _mutant(line: int, **fields: Any) -> Mutant:
    made = Mutant("store", "store/a.py", line, line, "NumberReplacer", "a = 1", "a = 2", 1, "")
    return made._replace(**fields)


@pytest.mark.parametrize(
    ("line", "lines"),
    [(1, (1, 1)), (3, (3, 4)), (4, (3, 4)), (5, (5, 6)), (6, (5, 6)), (8, (8, 8)), (9, (9, 9))],
)
def test_the_statement_of_a_line(line: int, lines: tuple[int, int]) -> None:
    assert statement(SOURCE, line, line) == lines


def _run(source: str) -> dict[str, Any]:
    names: dict[str, Any] = {"decorated": _decorated}
    exec(compile(source, "a.py", "exec"), names)  # noqa: S102
    return names


def _decorated(function: Callable[..., Any]) -> Callable[..., Any]:
    def called(*words: object) -> object:
        return function(*words)

    return called


@pytest.mark.parametrize(
    ("before", "after", "ask", "answer"),
    [
        ("one > limit", "one < limit", lambda names: names["above"]([1, 5, 7]), 1),
        ("max(inner)", "min(inner)", lambda names: names["above"]([1, 5, 7]), 5),
        ("** 3", "** 2", lambda names: names["made"].volume(), 4),
    ],
)
def test_a_change_is_put_into_functions_that_exist(
    before: str, after: str, ask: Callable[[dict[str, Any]], object], answer: object
) -> None:
    names = _run(SOURCE)
    names["made"] = names["Box"]()
    names["made"].size = 2
    held = names["above"], names["Box"].volume
    child._put_in("a.py", SOURCE, SOURCE.replace(before, after))
    assert ask(names) == answer
    assert (names["above"], names["Box"].volume) == held
    assert isinstance(held[0], types.FunctionType)


def test_a_survivor_is_a_fault_unless_it_is_listed() -> None:
    lived = {"by": "", "tests": 7, "seconds": 1.0}
    trial = _trial(_mutant(5), lived, {})
    assert trial.faults == ("store/a.py:5 NumberReplacer: survived 7 tests",)
    assert trial.what == "store/a.py: a = 1 → a = 2"
    assert _trial(_mutant(5), {**lived, "by": "tests/a.py::x"}, {}).faults == ()
    listed = {("store/a.py", "a = 1", "a = 2"): "nobody reads it"}
    assert "nobody reads it" in _trial(_mutant(5), lived, listed).note
    assert _trial(_mutant(5, nth=2), lived, {}).what == "store/a.py: a = 1 → a = 2 (2)"


def test_every_listed_mutant_is_of_code_that_exists(root: Path) -> None:
    for (file, before, after), why in known(EQUIVALENT).items():
        assert file.startswith(tuple(folder for folder, _ in SAMPLES))
        lines = [line.strip() for line in (root / MODULE / file).read_text().splitlines()]
        assert before in " ".join(lines), f"{file} has no {before!r} any more"
        assert before != after
        assert why
