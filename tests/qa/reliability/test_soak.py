"""What is held against hours of figures, and against times with the module and without."""

from __future__ import annotations

import random
from typing import Any

import pytest

from reliability.soak.growth import LIMITS
from reliability.soak.part import judged
from reliability.soak.slope import slope

MEMORY = "memory of the mgr, MiB"


def _line(each_hour: float, noise: float = 0.0) -> list[tuple[float, float]]:
    chance = random.Random(7)  # noqa: S311
    return [
        (10.0 * n, 100 + each_hour * n / 360 + chance.gauss(0, noise) if noise else
         100 + each_hour * n / 360)
        for n in range(600)
    ]  # fmt: skip


def test_the_slope_of_a_line_is_its_growth_in_an_hour() -> None:
    found = slope(_line(3.0))
    assert found.each_hour == pytest.approx(3.0)
    assert found.low == pytest.approx(3.0)
    assert found.high == pytest.approx(3.0)


def test_noise_widens_the_interval_which_has_the_growth_inside() -> None:
    found = slope(_line(3.0, noise=2.0))
    assert found.low < 3.0 < found.high
    assert 0.1 < found.high - found.low < 2.0


def _found(**changes: Any) -> Any:
    samples = {what: [(0.0, 5.0), (7200.0, 6.0)] for what in LIMITS}
    return {
        "samples": samples,
        "slopes": dict.fromkeys(LIMITS, (0.1, -0.1, 0.15)),
        "health": {},
        "findings": {},
        "faults": {},
        "waits": {},
        "took": {"perf-bench status": [(2.0, 0.02), (1.0, 0.01)]},
        "client": {"took": [0.004] * 10, "errors": []},
        "rounds": [{"state": "done"}] * 7 + [{"state": "aborted"}],
        **changes,
    }


def _faults(found: Any) -> list[str]:
    return [fault for trial in judged(found, 7200.0) for fault in trial.faults]


def test_hours_without_growth_and_findings_pass() -> None:
    assert _faults(_found()) == []


def test_growth_is_a_fault_when_its_least_is_over_the_limit() -> None:
    slopes = dict.fromkeys(LIMITS, (0.1, -0.1, 0.15))
    limit = LIMITS[MEMORY]
    assert _faults(_found(slopes={**slopes, MEMORY: (limit + 1, limit, limit + 2)})) == []
    (fault,) = _faults(_found(slopes={**slopes, MEMORY: (9.0, limit + 1, 10.0)}))
    assert fault == f"grows by {limit + 1:.2f} an hour at least, over {limit:g}"


def test_what_is_found_on_a_sound_cluster_is_a_fault() -> None:
    finding = {"code": "PERF_BENCH_SLOW_OSD", "target": "osd.3"}
    check = {"summary": {"message": "1 slow"}}
    found = _found(
        findings={"4": {"minute": 12.5, "finding": finding}},
        health={
            "PERF_BENCH_SLOW_OSD": {"minute": 13.0, "check": check},
            "OSDMAP_FLAGS": {"minute": 3.0, "check": {"summary": {"message": "noscrub"}}},
        },
    )
    assert _faults(found) == [
        "minute 12.5: PERF_BENCH_SLOW_OSD osd.3",
        "minute 13.0: PERF_BENCH_SLOW_OSD: 1 slow",
    ]
    notes = [trial.note for trial in judged(found, 7200.0)]
    assert "minute 3.0: OSDMAP_FLAGS: noscrub" in notes


def test_answers_and_writes_that_fail_are_faults() -> None:
    client = {"took": [0.004], "errors": ["timed out"]}
    assert _faults(_found(faults={"GET /osd: status 500": 2}, client=client)) == [
        "2 times: GET /osd: status 500",
        "timed out",
    ]


@pytest.mark.parametrize(
    ("states", "fault"),
    [
        (["done"] * 8, None),
        (["done"] * 7, None),  # the last is due at the very end
        (["done"] * 6, "6 were made, not 7"),
        (["done"] * 7 + ["failed"], "1 are failed"),
    ],
)
def test_every_round_of_the_schedule_is_made_and_ends(states: list[str], fault: Any) -> None:
    found = _faults(_found(rounds=[{"state": state} for state in states]))
    assert found == ([fault] if fault else [])
