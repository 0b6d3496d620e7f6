"""What is said of an OSD, from recordings of real ones."""

from __future__ import annotations

from dataclasses import replace

import pytest

from operations import ERASURE_CODED, LAGGY, RELEASES, STALLED, answers
from perf_bench.model.breakdown import Answers, Breakdown, Stage, Total, Wait
from perf_bench.watch.breakdown import counters, sentences
from perf_bench.watch.breakdown.assemble import PEER, SUSPECT, Asked, breakdown, suspect


def _breakdown(release: str, scene: str, osd: int, *others: tuple[int, str]) -> Breakdown:
    asked = [
        Asked(other, f"host-{other % 3}", role, answers(release, scene, other))
        for other, role in others
    ]
    return breakdown(answers(release, scene, osd), asked, 100.0, 3, 0)


@pytest.mark.parametrize("release", RELEASES)
def test_a_primary_names_the_stalled_replica(release: str) -> None:
    found = _breakdown(release, STALLED, 1, (2, PEER), (5, PEER), (3, SUSPECT))
    assert found.sentences[0] == "The slowest operations of osd.1 are held up by osd.3."
    assert found.waits_for[0].osd == 3
    assert found.waits_for[0].share > 0.9
    assert found.operations[Stage.SUB_OPERATIONS.value] > 0.8
    assert sum(found.operations.values()) == pytest.approx(1.0)
    confirmed = [one for one in found.sentences if one.startswith("osd.3 itself takes")]
    assert confirmed, found.sentences
    assert "slow only at times" not in confirmed[0]
    assert found.counter_seconds == 30.0


@pytest.mark.parametrize("release", RELEASES)
def test_the_stalled_osd_is_at_fault_itself(release: str) -> None:
    """Its own operations seem to wait for others: they pass while it stands still."""
    found = _breakdown(release, STALLED, 3, (1, PEER), (2, PEER))
    expected = "osd.3 is at fault itself: osd.1 and osd.2 wait for it more than for any other OSD."
    assert found.sentences[0] == expected
    assert [wait.osd for wait in found.waited_for_by] == [1, 2]
    assert not any("waited for sub-operations of" in one for one in found.sentences)
    assert any("transaction until commit" in one for one in found.sentences), found.sentences
    assert found.sub_operations[Stage.COMMIT.value] > 0.9
    assert sentences.culprit(found) is None


@pytest.mark.parametrize("release", RELEASES)
def test_a_primary_that_the_stalled_osd_waits_for_is_not_blamed(release: str) -> None:
    """osd.3 seems to wait for it, too; all of them wait longer for osd.3."""
    found = _breakdown(release, STALLED, 5, (1, PEER), (3, PEER))
    assert found.sentences[0] == "The slowest operations of osd.5 are held up by osd.3."
    assert max(found.behind, key=lambda osd: found.behind[osd]) == 3


@pytest.mark.parametrize("release", RELEASES)
def test_laggy_groups_are_told(release: str) -> None:
    found = _breakdown(release, LAGGY, 1)
    assert found.sentences[0] == ("osd.1 spends most of its operations' time waiting for readable.")
    assert found.sampled.in_flight > 0
    assert any("laggy ls" in one for one in found.sentences)
    assert found.counter_seconds is None
    assert any("(since its start)" in one for one in found.sentences)
    assert any("compared with none" in one for one in found.not_told)


@pytest.mark.parametrize("release", ["pacific", "tentacle"])
def test_waits_of_erasure_coded_pools_have_no_name(release: str) -> None:
    found = _breakdown(release, ERASURE_CODED, 4)
    assert found.operations[Stage.SUB_OPERATIONS.value] > 0.5
    assert found.waits_for == ()
    assert any("erasure-coded" in one for one in found.not_told)


def test_the_one_to_ask_too_is_that_which_is_waited_for() -> None:
    assert suspect(answers("pacific", STALLED, 1)) == 3
    assert suspect(Answers(1)) is None


def test_nothing_is_made_up_without_answers() -> None:
    found = breakdown(Answers(7), [], 0.0, 1, 0)
    assert (found.operations, found.sub_operations, found.commit, found.read) == ({}, {}, {}, {})
    assert found.sentences == [
        "No operations of osd.7 are known, neither slow ones nor any in flight."
    ]
    silent = breakdown(Answers(7, problems=["osd.7 did not answer."]), [], 0.0, 1, 0)
    assert silent.sentences == silent.not_told == ["osd.7 did not answer."]


def test_a_release_that_lacks_a_counter_says_so() -> None:
    whole = answers("pacific", STALLED, 1)
    less = {name: total for name, total in whole.last.items() if name != "checksum"}
    found = breakdown(replace(whole, first=less, last=less), [], 0.0, 1, 0)
    assert any("no counter for: verifying checksums" in one for one in found.not_told)
    assert "checksum" not in found.read


def test_a_restart_between_two_answers_gives_totals_since_the_start() -> None:
    whole = answers("pacific", STALLED, 1)
    found = breakdown(replace(whole, first=whole.last, last=whole.first), [], 0.0, 2, 0)
    assert found.counter_seconds is None


# --- the limits of what is named ----------------------------------------------------------------


def _with(share: float, operations: int, waiting: float) -> Breakdown:
    found = breakdown(Answers(1), [], 0.0, 1, 0)
    return replace(
        found,
        operations={stage.value: 0.0 for stage in Stage}
        | {Stage.SUB_OPERATIONS.value: waiting, Stage.QUEUED.value: 1 - waiting},
        waits_for=[Wait(3, 1.0, share, operations)],
    )


@pytest.mark.parametrize(
    ("share", "operations", "waiting", "named"),
    [
        (0.51, 3, 0.34, True),
        (0.50, 3, 0.34, False),  # two that are always together
        (0.51, 2, 0.34, False),
        (0.51, 3, 0.33, False),
        (1.00, 20, 0.97, True),
    ],
)
def test_when_a_replica_is_named(
    share: float, operations: int, waiting: float, named: bool
) -> None:
    assert (sentences.culprit(_with(share, operations, waiting)) is not None) is named


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
        _with(1.0, 20, 0.9), waited_for_by=[Wait(3, 1.0, share, 5)], behind={1: mine, 3: its}
    )
    assert (sentences.culprit(found) is not None) is named
    assert bool(sentences.holders(found)) is not named


def test_a_replica_that_is_quick_itself_is_told_so() -> None:
    """Its network, or a process that stands still: its own counters do not see these."""
    primary, quick = Answers(1), Answers(3)
    totals = {"sub_write": Total(100, 1.0)}
    asked = Asked(3, "b", SUSPECT, replace(quick, last=totals))
    found = breakdown(replace(primary, last=totals), [asked], 0.0, 1, 0)
    quick_now = replace(_with(1.0, 20, 0.9), figures=found.figures, counter_seconds=6.0)
    told = sentences.told(quick_now, 600)
    assert any("slow only at times" in one for one in told.sentences), told.sentences
    # Since its start it may have been quick for a long time before.
    told = sentences.told(replace(quick_now, counter_seconds=None), 600)
    assert not any("slow only at times" in one for one in told.sentences), told.sentences


@pytest.mark.parametrize(
    ("ms", "operations", "stands_out"),
    [(20.0, 10, True), (19.9, 10, False), (20.0, 9, False), (200.0, 1000, True)],
)
def test_when_a_figure_stands_out(ms: float, operations: int, stands_out: bool) -> None:
    mine = {"kv_commit": Total(operations, operations * ms / 1000)}
    theirs = {"kv_commit": Total(100, 1.0)}
    asked = [Asked(osd, "b", PEER, Answers(osd, last=theirs)) for osd in (2, 3)]
    found = breakdown(Answers(1, last=mine), asked, 0.0, 1, 0)
    assert any("stand out: kv commit" in one for one in found.sentences) is stands_out


def test_a_throttle_is_told() -> None:
    totals = {"throttle_store_bytes": Total(124, 1.24)}
    found = breakdown(Answers(1, last=totals), [], 0.0, 1, 0)
    assert (
        "It was throttled: 124 times 10 ms each in a wait for bluestore_throttle_bytes (since its "
        "start)."
    ) in found.sentences


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("osd", [1, 2, 5])
def test_the_parts_of_a_transaction_are_no_more_than_the_whole(release: str, osd: int) -> None:
    """BlueStore counts a wait for its throttles in the state PREPARE, too."""
    totals = counters.disjoint(answers(release, STALLED, osd).first)
    parts = sum(totals[name].seconds for name in counters.COMMIT_PARTS)
    assert parts <= 1.0005 * totals[counters.TRANSACTION].seconds


def test_an_osd_that_waits_for_a_throttle_is_not_said_to_prepare() -> None:
    last = {
        counters.TRANSACTION: Total(1000, 11.0),
        counters.STORE_THROTTLE: Total(1000, 9.0),
        counters.PREPARE: Total(1000, 9.1),
        counters.DATA_WRITE: Total(1000, 1.9),
    }
    found = breakdown(Answers(1, last=last), [], 100.0, 1, 0)
    assert found.commit[counters.STORE_THROTTLE] == pytest.approx(9.0 / 11.0)
    assert found.commit[counters.PREPARE] == pytest.approx(0.1 / 11.0)
