"""The part `mutants`: which tests a mutant meets, and how it is put into what was imported."""

from __future__ import annotations

import types
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reliability.mutants import child
from reliability.mutants.kinds import MODULE, SAMPLES, Mutant
from reliability.mutants.part import (
    EQUIVALENT,
    Reach,
    _trial,
    known,
    statement,
    to_try,
    wanted_folders,
)
from reliability.trials import Order

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


def test_the_shortest_tests_that_reach_a_line_come_first() -> None:
    lines = {"1": [""], "5": ["t/b.py::slow", "t/b.py::fast"], "6": ["t/a.py::x"], "9": ["t/b.py"]}
    seconds = {"t/b.py::slow": 2.0, "t/b.py::fast": 0.1, "t/a.py::x": 0.5, "t/b.py::other": 0.3}
    seconds["t/c.py::far"] = 0.01
    reach = Reach({"store/a.py": lines}, seconds)
    assert reach.tests(_mutant(5), SOURCE) == (["t/a.py::x", "t/b.py::fast", "t/b.py::slow"], False)
    # What a fixture of a module reaches counts for all its tests.
    all_of_b = ["t/b.py::fast", "t/b.py::other", "t/b.py::slow"]
    assert reach.tests(_mutant(9), SOURCE) == (all_of_b, False)
    # What imports run may be used anywhere, but is most likely used in its file.
    assert reach.tests(_mutant(1), SOURCE) == (["t/a.py::x", *all_of_b, "t/c.py::far"], True)
    assert reach.tests(_mutant(13), SOURCE) == ([], False)


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


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("LIMIT = 3", "LIMIT = 4"),
        ("limit=LIMIT", "limit=2"),
        ("size = 1", "size = 2"),
        ("2 * one", "3 * one"),
        ("@decorated\n", ""),
    ],
)
def test_what_was_made_at_import_needs_another_interpreter(before: str, after: str) -> None:
    _run(SOURCE)
    with pytest.raises(child._Elsewhere):
        child._put_in("a.py", SOURCE, SOURCE.replace(before, after))


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
        assert file.startswith(tuple(f"{folder}/" for folder, _ in SAMPLES))
        lines = [line.strip() for line in (root / MODULE / file).read_text().splitlines()]
        assert before in " ".join(lines), f"{file} has no {before!r} any more"
        assert before != after
        assert why


def test_an_order_may_name_folders() -> None:
    order = Order(1, 1.0, Path(), Path())
    assert wanted_folders(order) == [folder for folder, _ in SAMPLES]
    only = replace(order, folders=frozenset(["watch/detect", "hardware/rules"]))
    assert wanted_folders(only) == ["hardware/rules", "watch/detect"]
    with pytest.raises(ValueError, match="no sample of store/none"):
        wanted_folders(replace(order, folders=frozenset(["store/none"])))


def test_every_folder_has_tests(root: Path) -> None:
    for folder, count in SAMPLES:
        assert count >= 100
        assert list((root / MODULE / folder).rglob("*.py"))
        assert list((root / "tests" / folder).rglob("test_*.py"))
    assert sum(count for _, count in SAMPLES) >= 1500


def test_what_survived_is_tried_first_and_what_was_killed_not_again() -> None:
    new, killed, lived, newer = drawn = [_mutant(1, nth=nth) for nth in (1, 2, 3, 4)]
    held, failing = frozenset([killed.name]), frozenset([lived.name])
    order = replace(Order(1, 1.0, Path(), Path()), held=held, failing=failing)
    assert to_try(drawn, order) == [lived, new, newer]
