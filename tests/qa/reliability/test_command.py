"""What `make reliability` runs again, and what it keeps of a run that breaks off."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from reliability import command, results
from reliability.results import Kept
from reliability.trials import Order, Part, Trial

KEPT = Kept("p", "native", "r", 7, "now", "2026-01-01T00:00:00Z", Trial("a", 1, 1.0))


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Kept]:
    """The file of results, as a list that a test fills."""
    found: list[Kept] = []
    monkeypatch.setattr(command, "FOLDER", tmp_path)
    monkeypatch.setattr(results, "read", lambda: found)
    monkeypatch.setattr(results, "keep", found.append)
    return found


def _part(*trials: Trial, in_pieces: bool = False, breaks: bool = False) -> Part:
    def run(order: Order) -> Iterator[Trial]:
        yield from (one for one in trials if one.what not in order.held)
        if breaks:
            raise KeyboardInterrupt

    return Part("p", "tries", run, in_pieces)


def test_a_part_that_passed_with_these_sources_is_passed_over(kept: list[Kept]) -> None:
    kept.append(KEPT)
    assert command._passed(_part(), "native", "now", again=False) == [KEPT]
    assert command._passed(_part(), "native", "now", again=True) == ()
    assert command._passed(_part(), "native", "others", again=False) == ()
    assert command._passed(_part(), "reef", "now", again=False) == ()
    assert command._passed(_part(in_pieces=True), "native", "now", again=False) == ()
    kept.append(replace(KEPT, trial=replace(KEPT.trial, faults=("lost",))))
    assert command._passed(_part(), "native", "now", again=False) == ()


def _order(part: Part, *words: str) -> Order:
    return command._order(part, 8, 1.0, command._parser().parse_args(words))


def test_a_run_that_breaks_off_keeps_its_trials_and_goes_on_after_them(kept: list[Kept]) -> None:
    first, second = Trial("a", 1, 1.0), Trial("b", 1, 1.0)
    part = _part(first, in_pieces=True, breaks=True)
    with pytest.raises(KeyboardInterrupt):
        command._run(part, _order(part), "now")
    assert [one.trial for one in kept] == [first]
    part = _part(first, second, in_pieces=True)
    assert [one.trial for one in command._run(part, _order(part), "now")] == [second]
    assert _order(part, "--again").held == frozenset()
