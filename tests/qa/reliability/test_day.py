"""What is held against a day: the slow OSD is found in time, and nothing else."""

from __future__ import annotations

import contextlib
import json
import sys
import types
from typing import Any

import pytest

from reliability.day.hours import AFTERNOON, FAIL_OVER, MORNING, RATES
from reliability.day.part import PROMISED_SECONDS, SLOW, found, told_apart
from reliability.soak import client


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


def test_hours_are_in_order_and_a_rate_is_for_each() -> None:
    hours = [one.at for one in (*MORNING, FAIL_OVER, *AFTERNOON)]
    assert hours == sorted(set(hours))
    assert 0 < hours[0] < hours[-1] < len(RATES) == 24


class _Clock:
    """Time passes only while somebody sleeps."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def test_each_rate_is_for_an_equal_part_of_the_time(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = _Clock()
    written: list[float] = []
    objects = types.SimpleNamespace(write_full=lambda _name, _data: written.append(clock.now))

    class Rados:
        def __init__(self, **_named: object) -> None:
            pass

        def connect(self, timeout: float) -> None:
            pass

        def open_ioctx(self, _pool: str) -> Any:
            return contextlib.nullcontext(objects)

    fake = types.SimpleNamespace(Rados=Rados, Error=OSError)
    monkeypatch.setitem(sys.modules, "rados", fake)
    monkeypatch.setattr(client, "time", clock)
    client.main("ceph.conf", "pool", 20.0, 2.0, 4.0)
    assert sum(at < 10 for at in written) == 20
    assert sum(10 <= at < 20 for at in written) == 40
    assert len(json.loads(capsys.readouterr().out)["took"]) == len(written)
