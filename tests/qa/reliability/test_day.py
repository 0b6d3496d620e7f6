"""What is held against a day: the slow OSD is found in time, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from reliability.day.part import PROMISED_SECONDS, SLOW, found, told_apart


def _seen(code: str, kind: str, name: str, minute: float = 32.0) -> Any:
    return {"minute": minute, "finding": {"code": code, "target": {"kind": kind, "id": name}}}


def test_only_a_finding_about_the_slow_osd_is_true() -> None:
    true = _seen(SLOW, "osd", "7")
    others = [
        _seen(SLOW, "osd", "17"),
        _seen("PERF_BENCH_SLOW_HOST", "host", "7"),
        _seen("PERF_BENCH_OSD_FLAPPING", "osd", "7"),
    ]
    assert told_apart([others[0], true, *others[1:]], 7) == ([true], others)


@pytest.mark.parametrize(
    ("minute", "fault"),
    [
        (30.0 + PROMISED_SECONDS / 60, None),
        (30.1 + PROMISED_SECONDS / 60, "found after 366 s, not within 360"),
        (29.9, "found after -6 s, not within 360"),
        (None, "not found"),
    ],
)
def test_the_slow_osd_is_found_in_time(minute: float | None, fault: str | None) -> None:
    true = [] if minute is None else [_seen(SLOW, "osd", "7", minute)]
    assert list(found(true, 30.0, 37.5).faults) == ([fault] if fault else [])


def test_an_osd_that_was_slow_for_a_moment_is_not_judged() -> None:
    trial = found([], 30.0, 29.9 + PROMISED_SECONDS / 60)
    assert (list(trial.faults), trial.note) == ([], "not slow for long enough to be found")
