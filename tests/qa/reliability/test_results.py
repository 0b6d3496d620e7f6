"""How trials of `make reliability` are kept, counted and told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from reliability import results
from reliability.results import Kept
from reliability.trials import Trial

FIRST = Kept("crash", "native", "r1", 7, "2026-01-01T00:00:00Z", Trial("a, x", 1, 3600.0))
FAILED = replace(FIRST, trial=Trial("a, y", 1, 1800.0, ("lost",), row="a"))


def _row(*kept: Kept) -> list[tuple[str, ...]]:
    return results.rows(kept)[1:]


def test_what_was_kept_is_read_back_and_a_cut_line_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    for one in (FIRST, FAILED):
        results.keep(one, path)
    with path.open("a", encoding="utf-8") as file:
        file.write('{"part": "cra')
    assert results.read(path) == [FIRST, FAILED]
    results.keep(FIRST, path)
    assert results.read(path) == [FIRST, FAILED, FIRST]
    assert results.read(tmp_path / "none") == []


def test_what_is_committed_is_no_longer_kept_beside_it(tmp_path: Path) -> None:
    kept, committed = tmp_path / "kept", tmp_path / "committed"
    long = replace(FAILED, trial=replace(FAILED.trial, faults=("x" * 1000, "told\nTraceback")))
    for one in (FIRST, long):
        results.keep(one, kept)
    for _ in range(2):
        results.commit(kept, committed)
        first, second = results.read(committed, kept)
        assert first == FIRST
        assert second.trial.faults == ("x" * 300, "told")


def test_the_committed_results_can_be_read() -> None:
    lines = results.COMMITTED.read_text(encoding="utf-8").splitlines()
    assert len(results.read(results.COMMITTED)) == len(lines) > 0


def test_trials_of_a_part_are_added_up() -> None:
    assert _row(FIRST, FAILED) == [("crash", "native 2", "1", "1", "1.5")]


def test_a_failure_that_is_mended_is_still_counted_and_fails_no_more() -> None:
    again = replace(FAILED, seed=8, trial=replace(FAILED.trial, faults=()))
    assert _row(FAILED, again, replace(FIRST, release="reef")) == [
        ("crash", "native 2, reef 1", "1", "0", "2.0")
    ]


def test_a_step_that_was_not_met_is_no_trial() -> None:
    missed = replace(FIRST, trial=replace(FIRST.trial, count=0))
    assert _row(missed) == []
    assert results.held([missed], "crash", "native") == frozenset()


def test_only_what_passed_last_has_held() -> None:
    broken = replace(FIRST, trial=replace(FIRST.trial, faults=("lost",)))
    other = replace(FIRST, release="reef")
    assert results.held([broken, FIRST], "crash", "native") == {"a, x"}
    assert results.held([FIRST, broken, other], "crash", "native") == frozenset()
    assert results.failing([FIRST, broken, other], "crash", "native") == {"a, x"}
    assert results.failing([broken, FIRST], "crash", "native") == frozenset()


def test_a_row_is_tried_once_a_trial_of_it_was_made() -> None:
    missed = replace(FIRST, trial=replace(FIRST.trial, count=0))
    assert results.tried([FAILED, missed], "crash", "native") == {"a"}
    assert results.tried([FIRST], "crash", "reef") == frozenset()
