"""The part `mutants`: which tests a mutant meets, and how it is put into what was imported."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from reliability.mutants.kinds import MODULE, SAMPLES, Mutant
from reliability.mutants.part import (
    EQUIVALENT,
    _trial,
    known,
)


def _mutant(line: int, **fields: Any) -> Mutant:
    made = Mutant("store", "store/a.py", line, line, "NumberReplacer", "a = 1", "a = 2", 1, "")
    return made._replace(**fields)


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
