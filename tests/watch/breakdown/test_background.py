"""What Ceph itself does on an OSD's placement groups, and what bounds it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Optional

import pytest

from fakes.clock import FakeClock
from fakes.senses import FakePgs
from perf_bench.model.verdict import OsdWhyBackground
from perf_bench.watch.breakdown.conclusion import MCLOCK, background, background_sentence
from perf_bench.watch.osd_breakdown import background_work

CLEAN = "active+clean"


def _of(states: Mapping[str, int], scheduler: Optional[str] = "wpq") -> list[tuple[str, int, str]]:
    found = background({7: states, 8: {CLEAN: 9}}, 7, scheduler)
    return [(one.kind, one.pgs, one.option) for one in found]


@pytest.mark.parametrize(
    ("states", "kind", "wpq", "mclock"),
    [
        ({"active+clean+snaptrim": 3}, "snaptrim", "osd_snap_trim_sleep", "osd_mclock_profile"),
        ({"active+clean+scrubbing+deep": 3}, "deep_scrub", "osd_max_scrubs", "osd_max_scrubs"),
        ({"active+clean+scrubbing": 3}, "scrub", "osd_max_scrubs", "osd_max_scrubs"),
        (
            {"active+recovering+degraded": 2, "active+recovering+undersized+remapped": 1},
            "recovery",
            "osd_recovery_sleep",
            "osd_mclock_profile",
        ),
        ({"active+remapped+backfilling": 3}, "backfill", "osd_max_backfills", "osd_mclock_profile"),
    ],
)
def test_which_option_bounds_it(states: dict[str, int], kind: str, wpq: str, mclock: str) -> None:
    assert _of({CLEAN: 90, **states}) == [(kind, 3, wpq)]
    assert _of({CLEAN: 90, **states}, MCLOCK) == [(kind, 3, mclock)]


@pytest.mark.parametrize(
    "states",
    [
        {CLEAN: 97},
        {"active+clean+snaptrim_wait": 9},  # it only waits
        {"stale+active+clean+scrubbing+deep": 9},  # what it did before its OSDs went down
    ],
)
def test_what_does_not_run_is_not_told(states: dict[str, int]) -> None:
    assert _of(states) == []


def test_the_sentence_says_how_it_is_elsewhere_and_what_bounds_it() -> None:
    trims = {"active+clean+snaptrim": 8, "active+clean+snaptrim_wait": 12}
    by_osd = {
        7: {**trims, "active+clean+scrubbing+deep": 1},
        8: {CLEAN: 90},
        9: {"active+clean+snaptrim": 1},
    }
    assert background_sentence(background(by_osd, 7, "wpq")) == (
        "Meanwhile snapshots are trimmed on 8 of its PGs, 12 more wait (median of other OSDs: "
        "0.5), bounded by osd_snap_trim_sleep; deep scrubs run on 1 of its PGs (median of other "
        "OSDs: 0), bounded by osd_max_scrubs."
    )
    alone = background({7: {"active+clean+scrubbing": 1}}, 7, None)
    assert background_sentence(alone) == (
        "Meanwhile scrubs run on 1 of its PGs, bounded by osd_max_scrubs."
    )
    assert background_sentence(()) == ""


def test_the_counts_by_osd_are_read_only_while_something_runs_and_not_for_each_osd() -> None:
    pgs, clock = FakePgs(), FakeClock()
    work = background_work(pgs, lambda _osd: "wpq", clock.monotonic)
    assert list(work(7)) == []
    assert pgs.asked == 0
    pgs.states = {CLEAN: 89, "active+clean+snaptrim": 1}
    pgs.osds = {7: {"active+clean+snaptrim": 1}}
    trimmed = OsdWhyBackground(
        "snaptrim", "snapshots are trimmed", 1, 0, None, "osd_snap_trim_sleep"
    )
    assert list(work(7)) == [trimmed]
    assert list(work(8)) == []
    assert pgs.asked == 1
    clock.advance(11.0)
    work(8)
    assert pgs.asked == 2
