"""What may be compared with what, a row a decision."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from nouns import SMALL_STEP, STEP, a_plan, a_result, a_round
from perf_bench.bench.compare.comparable import noisy_notes, obstacles, pairs
from perf_bench.model.plan import MIB, Step, writes
from perf_bench.model.round import MeasuredRound, Round, RoundState, Verdict

DONE = RoundState.DONE


def _round(number: int = 2, step: Step = STEP, **named: Any) -> Round:
    named.setdefault("state", DONE)
    return a_round(a_plan([[0, 1]], step=step), id=number, **named)


BEFORE = _round(1)


def test_obstacles() -> None:
    for after, why in [
        # --- what is allowed
        (_round(), ()),
        (_round(verdict=Verdict.NOISY), ()),
        (_round(label="another label"), ()),
        # shortened by osd_bench options, but not to a half
        (_round(step=replace(STEP, total_bytes=512 * MIB)), ()),
        # not known is not different
        (_round(environment={"fsid": None}), ()),
        # --- nothing to compare
        (_round(1), ("both are round 1",)),
        (_round(state=RoundState.RUNNING), ("round 2 is still running",)),
        (_round(state=RoundState.QUEUED), ("round 2 is still queued",)),
        # --- figures that mean nothing, or not what they say
        (
            _round(
                state=RoundState.ABORTED, verdict=Verdict.ABORTED, reasons=("aborted by admin",)
            ),
            ("round 2 is aborted: aborted by admin",),
        ),
        # an OSD died on the way
        (
            _round(verdict=Verdict.FAILED, reasons=("osd.1 is down", "more")),
            ("round 2 is failed: osd.1 is down",),
        ),
        (_round(verdict=Verdict.TOO_SHORT), ("round 2 is too-short",)),
        (_round(state=RoundState.FAILED, verdict=None), ("round 2 is failed",)),
        # --- it measures something else
        (_round(kind="rados"), ("round 1 is of kind osd, round 2 of kind rados",)),
        (_round(profile="osd-iops"), ("round 1 ran osd-throughput, round 2 osd-iops",)),
        (
            _round(step=replace(STEP, operation="read")),
            ("the one measured write, the other read",),
        ),
        (
            _round(step=writes(MIB, 1024 * MIB)),
            ("block sizes differ: 4194304 and 1048576 bytes",),
        ),
        (
            _round(step=replace(STEP, object_size=4 * MIB, object_count=100)),
            ("objects differ: fresh ones and 100 prefilled ones of 4194304 bytes",),
        ),
        # a cache that takes the one does not take the other
        (
            _round(step=replace(STEP, total_bytes=508 * MIB)),
            ("samples differ: 1073741824 and 532676608 bytes",),
        ),
        # every reason is told
        (
            _round(verdict=Verdict.TOO_SHORT, step=replace(SMALL_STEP, operation="read")),
            (
                "round 2 is too-short",
                "the one measured write, the other read",
                "block sizes differ: 4194304 and 4096 bytes",
            ),
        ),
    ]:
        assert obstacles(BEFORE, after) == tuple(why)


def test_another_cluster() -> None:
    a, b = (_round(n, environment={"fsid": fsid}) for n, fsid in ((1, "x"), (2, "y")))
    assert obstacles(a, b) == ("they were measured on different clusters",)
    assert obstacles(a, replace(b, environment={"fsid": "x"})) == ()


def test_pairs() -> None:
    for before, after, shared, notes in [
        ([a_result(0), a_result(1)], [a_result(1), a_result(0)], [0, 1], []),
        ([a_result(0), a_result(1)], [a_result(1)], [1], ["measured in round 1 only: osd.0"]),
        ([a_result(0)], [a_result(0), a_result(7)], [0], ["measured in round 2 only: osd.7"]),
        # an OSD without a figure was not measured
        ([a_result(0), a_result(1)], [a_result(0), a_result(1, None)], [0],
         ["measured in round 1 only: osd.1"]),
        # the number stayed, the drive did not
        ([a_result(0, model="A")], [a_result(0, model="B")], [],
         ["left out because the device or the OSD was replaced: osd.0"]),
        # what is not known is not another
        ([a_result(0, model="A")], [a_result(0)], [0], []),
        ([a_result(0, device_class=None)], [a_result(0)], [0], []),
        # without models the class tells
        ([a_result(0)], [a_result(0, device_class="ssd")], [],
         ["left out because the device or the OSD was replaced: osd.0"]),
        # a drive that was only relabelled, or moved to another host, is the same
        ([a_result(0, model="A")], [a_result(0, model="A", device_class="slow")], [0], []),
        ([a_result(0)], [replace(a_result(0), host="elsewhere")], [0], []),
        # disjoint rounds; five are named
        ([a_result(n) for n in range(7)], [a_result(9)], [],
         ["measured in round 1 only: osd.0, osd.1, osd.2, osd.3 and 3 more",
          "measured in round 2 only: osd.9"]),
    ]:  # fmt: skip
        found, said = pairs(
            MeasuredRound(BEFORE, before, ()), MeasuredRound(_round(), after, ()), {}
        )
        assert [row.osd for row, _ in found] == shared
        assert all(a.osd == b.osd for a, b in found)
        assert said == notes


def test_noisy_rounds_are_named() -> None:
    noisy = _round(verdict=Verdict.NOISY, reasons=("repeats differ by 14 %",))
    assert list(noisy_notes((BEFORE, noisy))) == ["round 2 is noisy: repeats differ by 14 %"]
    assert list(noisy_notes((_round(verdict=Verdict.NOISY),))) == ["round 2 is noisy"]
