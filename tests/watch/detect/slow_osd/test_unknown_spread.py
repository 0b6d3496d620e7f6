"""Where it is not known how much OSDs differ, none is judged by it."""

from __future__ import annotations

import math
import random
from collections.abc import Collection

import pytest

from latencies import a_frame, a_roster
from perf_bench.model.frame import Roster, Watched
from perf_bench.model.verdict import OsdState
from perf_bench.watch.detect.slow_osd.detector import SlowDetector
from perf_bench.watch.detect.slow_osd.thresholds import Thresholds

# Healthy drives that differ by a factor of 1.4 (one standard deviation), as idle HDDs do.
USUAL = [0.42, -0.3, 0.5, -0.55, 0.1, 0.35, -0.4, 0.0, -0.15, 0.3, -0.45, 0.2]
BUSY, IDLE = 50.0, 1.0  # operations in a frame


def _busy_in_turn(frame: int) -> Collection[int]:
    """osd.0 all the time, two others for a quarter of an hour."""
    turn = frame // 60 % 5
    return 0, 1 + 2 * turn, 2 + 2 * turn


@pytest.mark.parametrize("in_turn", [False, True])
def test_idle_peers_make_no_drive_slow(in_turn: bool) -> None:
    noise, detector = random.Random(3), SlowDetector(Thresholds())  # noqa: S311
    osds = range(len(USUAL))
    roster = Roster(tuple(Watched(osd, f"osd.{osd}", f"host-{osd // 4}", "hdd") for osd in osds))
    for frame in range(3 * 240):  # 3 h
        busy = _busy_in_turn(frame) if in_turn else osds
        latency = [0.01 * math.exp(usual + noise.gauss(0, 0.05)) for usual in USUAL]
        ops = [BUSY if osd in busy else IDLE for osd in osds]
        detector.step(a_frame(roster, frame, latency, ops=ops))
    assert detector.claims() == []


def test_no_drive_is_ok_by_an_unknown_spread() -> None:
    """One minute in five has operations: no two in a row, from which the spread is known."""
    detector, roster = SlowDetector(Thresholds()), a_roster([0, 1, 2])
    for frame in range(4 * 60 + 4):
        ops = [BUSY if frame // 4 % 5 == 0 else IDLE] * 3
        detector.step(a_frame(roster, frame, [0.08, 0.011, 0.012], ops=ops))
    found = detector.verdicts()[0]
    assert (found.state, found.robust_z) == (OsdState.NO_DATA, None)
    assert detector.no_data(0) is not None
