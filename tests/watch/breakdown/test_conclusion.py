"""What is said of an OSD, from recordings of real ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from operations import ERASURE_CODED, LAGGY, RELEASES, STALLED, answers
from perf_bench.model.verdict import (
    Answers,
    OsdWhy,
    OsdWhyBehind,
    OsdWhyCounter,
    OsdWhyMean,
    OsdWhySampled,
    OsdWhyWait,
    Stage,
    Total,
)
from perf_bench.watch.breakdown import conclusion
from perf_bench.watch.breakdown.conclusion import PEER, SUSPECT, Asked, breakdown
from perf_bench.watch.breakdown.parsing import PARTS, totals_of


def _breakdown(release: str, scene: str, osd: int, *others: tuple[int, str]) -> OsdWhy:
    asked = {
        other: Asked(f"host-{other % 3}", role, answers(release, scene, other))
        for other, role in ((osd, ""), *others)
    }
    return breakdown(osd, asked, "now", "soon", is_complete=True)


def _of(target: Answers, others: Sequence[Answers] = (), role: str = PEER) -> OsdWhy:
    asked = {
        target.osd: Asked("a", "", target),
        **{one.osd: Asked("b", role, one) for one in others},
    }
    return breakdown(target.osd, asked, "now", "soon", is_complete=True)


@pytest.mark.parametrize("release", RELEASES)
def test_a_primary_names_the_stalled_replica(release: str) -> None:
    found = _breakdown(release, STALLED, 1, (2, PEER), (5, PEER), (3, SUSPECT))
    assert found.sentences[0] == "The slowest operations of osd.1 are held up by osd.3."
    assert found.waits_for[0].osd == 3
    assert found.waits_for[0].share > 0.9
    assert found.operations[Stage.SUB_OPERATIONS.value] > 0.8
    assert sum(found.operations.values()) == pytest.approx(1.0, abs=0.001)
    assert any("osd.3 stands out in: " in one for one in found.sentences), found.sentences
    assert found.counter_seconds == 30.0


@pytest.mark.parametrize("release", RELEASES)
def test_the_stalled_osd_is_at_fault_itself(release: str) -> None:
    """Its own operations seem to wait for others: they pass while it stands still."""
    found = _breakdown(release, STALLED, 3, (1, PEER), (2, PEER))
    expected = "osd.3 is at fault itself: osd.1 and osd.2 wait for it more than for any other OSD."
    assert found.sentences[0] == expected
    assert [wait.osd for wait in found.waited_for_by] == [1, 2]
    assert any("transaction until commit" in one for one in found.sentences), found.sentences
    assert found.sub_operations[Stage.COMMIT.value] > 0.9
    assert conclusion.culprit(found) is None


@pytest.mark.parametrize("release", RELEASES)
def test_a_primary_that_the_stalled_osd_waits_for_is_not_blamed(release: str) -> None:
    """osd.3 seems to wait for it, too; all of them wait longer for osd.3."""
    found = _breakdown(release, STALLED, 5, (1, PEER), (3, PEER))
    assert found.sentences[0] == "The slowest operations of osd.5 are held up by osd.3."
    assert found.behind[0].osd == 3


@pytest.mark.parametrize("release", RELEASES)
def test_laggy_groups_are_told(release: str) -> None:
    found = _breakdown(release, LAGGY, 1)
    assert found.sentences[0].endswith(" % of its operations' time in 'waiting for readable'.")
    assert found.sampled.in_flight > 0
    assert any("laggy ls" in one for one in found.sentences)
    assert found.counter_seconds is None


@pytest.mark.parametrize("release", ["pacific", "tentacle"])
def test_waits_of_erasure_coded_pools_have_no_name(release: str) -> None:
    found = _breakdown(release, ERASURE_CODED, 4)
    assert found.operations[Stage.SUB_OPERATIONS.value] > 0.5
    assert found.waits_for == []
    assert any("erasure-coded" in one for one in found.not_told)


def test_nothing_is_made_up_without_answers() -> None:
    found = _of(Answers(7))
    assert (found.operations, found.sub_operations, found.counters) == ({}, {}, [])
    assert found.sentences == [
        "No operations of osd.7 are known, neither slow ones nor any in flight."
    ]
    silent = _of(Answers(7, problems=["osd.7 did not answer."]))
    assert silent.sentences == silent.not_told == ["osd.7 did not answer."]


def test_a_restart_between_two_answers_gives_totals_since_the_start() -> None:
    whole = answers("pacific", STALLED, 1)
    found = _of(replace(whole, first=whole.last, last=whole.first))
    assert found.counter_seconds is None


# --- the limits of what is named ----------------------------------------------------------------


def _with(share: float, operations: int, waiting: float) -> OsdWhy:
    found = _of(Answers(1))
    return replace(
        found,
        operations={stage.value: 0.0 for stage in Stage}
        | {Stage.SUB_OPERATIONS.value: waiting, Stage.QUEUED.value: 1 - waiting},
        waits_for=[OsdWhyWait(3, 1.0, share, operations)],
    )


@pytest.mark.parametrize(
    ("share", "operations", "waiting", "named"),
    [
        (0.51, 3, 0.34, True),
        (0.50, 3, 0.34, False),  # two that are always together
        (0.51, 2, 0.34, False),
        (0.51, 3, 0.33, False),
    ],
)
def test_when_a_replica_is_named(
    share: float, operations: int, waiting: float, named: bool
) -> None:
    assert (conclusion.culprit(_with(share, operations, waiting)) is not None) is named


@pytest.mark.parametrize(
    ("mine", "its", "share", "named"),
    [
        (5.0, 5.0, 0.9, False),  # others wait for this OSD as long as for the replica
        (4.9, 5.0, 0.9, True),  # both wait for each other, and longer for the replica
        (5.0, 5.0, 0.4, True),  # others wait for this OSD, but mostly for others
    ],
)
def test_of_two_that_wait_for_each_other(
    mine: float, its: float, share: float, named: bool
) -> None:
    found = replace(
        _with(1.0, 20, 0.9),
        waited_for_by=[OsdWhyWait(3, 1.0, share, 5)],
        behind=[OsdWhyBehind(1, mine), OsdWhyBehind(3, its)],
    )
    assert (conclusion.culprit(found) is not None) is named
    assert bool(conclusion.holders(found)) is not named


def test_a_replica_that_is_quick_itself_is_told_so() -> None:
    """Its network, or a process that stands still: its own counters do not see these."""
    counter = OsdWhyCounter("sub_write", "write as a replica", 10.0, 100, [OsdWhyMean(3, 10.0)])
    quick_now = replace(_with(1.0, 20, 0.9), counters=[counter], counter_seconds=6.0)
    told = conclusion.sentences(quick_now, "")
    assert any("slow only at times" in one for one in told), told
    unknown = (
        replace(quick_now, counters=[]),
        replace(quick_now, counters=[replace(counter, counter="kv_commit")]),
        replace(quick_now, counters=[replace(counter, others=[OsdWhyMean(2, 10.0)])]),
        replace(quick_now, counter_seconds=None),  # it may have been quick for a long time before
    )
    for one in unknown:
        assert not any("slow only at times" in text for text in conclusion.sentences(one, ""))


@pytest.mark.parametrize(
    ("ms", "operations", "stands_out"),
    [(20.0, 10, True), (19.9, 10, False), (20.0, 9, False)],
)
def test_when_a_figure_stands_out(ms: float, operations: int, stands_out: bool) -> None:
    mine = {"kv_commit": Total(operations, operations * ms / 1000)}
    theirs = {"kv_commit": Total(100, 1.0)}
    found = _of(Answers(1, last=mine), [Answers(osd, last=theirs) for osd in (2, 3)])
    assert any("osd.1 stands out in: kv commit" in one for one in found.sentences) is stands_out


def test_a_time_that_nobody_feels_is_no_cause() -> None:
    """An idle OSD: its deferred writes took 1.1 ms, those of the others 0.3 ms."""
    mine, theirs = ({"deferred_write": Total(50, 50 * each)} for each in (0.0011, 0.00032))
    found = _of(Answers(1, last=mine), [Answers(osd, last=theirs) for osd in (2, 3)])
    assert not any("stands out" in one for one in found.sentences), found.sentences
    stages = {stage.value: 0.0 for stage in Stage} | {Stage.COMMIT.value: 1.0}
    quick = replace(found, operations=stages, sampled=OsdWhySampled(20, 0, 0.03, 0.0025))
    assert conclusion.sentences(quick, "") == [
        "The slowest operation of osd.1 in the last minutes took 2.5 ms: nobody felt it."
    ]
    slow = replace(quick, sampled=OsdWhySampled(20, 0, 0.3, conclusion.FELT_SECONDS))
    assert "in 'own commit'" in conclusion.sentences(slow, "")[0]


def test_who_is_waited_for_is_no_measure_of_what_is_usual() -> None:
    mine = {"kv_commit": Total(100, 10.0)}
    found = _of(Answers(1, last=mine), [Answers(3, last={"kv_commit": Total(100, 1.0)})], SUSPECT)
    assert not any("stands out" in one for one in found.sentences)


@pytest.mark.parametrize(
    ("stage", "totals", "told"),
    [
        (
            Stage.THROTTLED,
            {"throttle_store_bytes": Total(124, 1.24)},
            "'throttled': 100 % wait for bluestore_throttle_bytes (since its start).",
        ),
        # BlueStore counts a wait for its throttles in the state PREPARE, too.
        (
            Stage.COMMIT,
            {"store_throttle": Total(1000, 9.0), "prepare": Total(1000, 9.05)},
            "'own commit': 99 % throttled by BlueStore (since its start).",
        ),
        (
            Stage.READ,
            {"read": Total(10, 2.0), "read_device": Total(10, 1.5)},
            "'data read': 75 % reading from the device (since its start).",
        ),
        (Stage.QUEUED, {"op_queue": Total(10, 2.0)}, "'queued'."),
    ],
)
def test_the_conclusion_has_what_the_counters_say_of_its_stage(
    stage: Stage, totals: dict[str, Total], told: str
) -> None:
    found = replace(_of(Answers(1, last=totals)), operations={stage.value: 0.9})
    expected = f"osd.1 spends 90 % of its operations' time in {told}"
    assert conclusion.sentences(found, "")[0] == expected


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("osd", [1])
def test_the_parts_of_a_transaction_are_no_more_than_the_whole(release: str, osd: int) -> None:
    totals, _ = totals_of(Answers(osd, last=answers(release, STALLED, osd).last))
    parts = sum(totals[name].seconds for name in PARTS[Stage.COMMIT])
    assert parts <= 1.0005 * totals["transaction"].seconds
