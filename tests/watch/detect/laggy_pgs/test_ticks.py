"""Laggy PGs tick by tick: what is summed, when an episode ends, and when it is stuck."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Optional

import pytest

from perf_bench.model.verdict import EPISODES_KEPT, Episode, OsdLaggy, PoolLaggy, Suspect
from perf_bench.watch.detect.laggy_pgs.claims import claims_of
from perf_bench.watch.detect.laggy_pgs.detector import LaggyTracker, count, wants_by_osd
from perf_bench.watch.detect.laggy_pgs.episode import (
    LaggyTotals,
    OpenEpisode,
    suspects,
)

Osds = Mapping[int, Mapping[str, int]]


def tick(
    tracker: LaggyTracker,
    at: float,
    laggy: int,
    *,
    osds: Optional[Osds] = None,
    pools: Optional[Mapping[str, Mapping[str, int]]] = None,
    stale: Sequence[int] = (),
    round_id: Optional[int] = None,
) -> None:
    states = {"active+clean": 60 - laggy, "active+clean+laggy": laggy}
    by_pool = {"rbd": states} if pools is None else pools
    tracker.step(at, states, by_pool, osds, stale, {}, round_id)


# --- counts ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("states", "laggy", "wait", "read"),
    [
        ({}, 0, 0, False),
        ({"active+clean": 5}, 0, 0, False),
        ({"active+laggy": 1}, 1, 0, True),
        ({"active+clean+laggy": 2, "active+clean+wait": 3}, 2, 3, True),
        ({"active+wait": 1}, 0, 1, True),
        ({"active+recovery_wait": 4, "backfill_wait": 2}, 0, 0, False),
    ],
)
def test_states_are_counted_by_whole_words(
    states: Mapping[str, int], laggy: int, wait: int, read: bool
) -> None:
    assert (count(states, "laggy"), count(states, "wait")) == (laggy, wait)
    assert wants_by_osd(states) is read


@pytest.mark.parametrize(
    ("second", "seconds"), [(105.0, 5.0), (115.0, 15.0), (116.0, 15.0), (100.0, 0.0), (90.0, 0.0)]
)
def test_a_tick_counts_for_the_time_since_the_one_before(second: float, seconds: float) -> None:
    tracker = LaggyTracker()
    tick(tracker, 100.0, 4)
    tick(tracker, second, 6)
    assert tracker.laggy_pg_seconds == 6 * seconds
    assert tracker.episodes()[0].laggy_pg_seconds == 6 * seconds
    assert [one.laggy_pg_seconds for one in tracker.pools()] == [6 * seconds]
    now = tracker.now()
    assert (now.laggy, now.wait, now.pgs, now.at) == (6, 0, 60, second)


@pytest.mark.parametrize(("gap", "ends"), [(29.0, []), (30.0, []), (30.5, [110.0])])
def test_half_a_minute_without_ends_an_episode(gap: float, ends: Sequence[float]) -> None:
    tracker = LaggyTracker()
    for at in (100.0, 105.0, 110.0):
        tick(tracker, at, 3)
    tick(tracker, 110.0 + gap, 3)
    assert [one.end for one in tracker.episodes()[1:]] == ends
    assert tracker.episodes()[0].start == (110.0 + gap if ends else 100.0)
    assert tracker.episodes()[0].peak == 3


def test_pools_are_listed_from_the_first_laggy_pg_on() -> None:
    tracker = LaggyTracker()
    calm, waits = {"active": 5}, {"active+wait": 2, "active": 3}
    lags = {"active+laggy": 2, "active": 3}
    tick(tracker, 100.0, 2, pools={"a": lags, "b": waits, "c": calm})
    assert tracker.pools() == [PoolLaggy("a", 2, 0, 0.0), PoolLaggy("b", 0, 2, 0.0)]
    tick(tracker, 105.0, 2, pools={"a": lags, "b": calm, "c": calm})
    assert tracker.pools() == [PoolLaggy("a", 2, 0, 10.0)]  # b only had waiting ones
    tick(tracker, 110.0, 0, pools={})  # not read: nothing is laggy
    assert tracker.pools() == [PoolLaggy("a", 0, 0, 10.0)]
    tick(tracker, 115.0, 4, pools={"b": {"active+laggy": 4}})
    assert tracker.pools() == [PoolLaggy("b", 4, 0, 20.0)]  # a was deleted


# --- episodes --------------------------------------------------------------------------------


@pytest.mark.parametrize(("seconds", "stuck"), [(299.0, False), (300.0, True), (301.0, True)])
def test_five_minutes_without_any_change_are_stuck(seconds: float, stuck: bool) -> None:
    episode = OpenEpisode(100.0)
    for at in (100.0, 250.0, 100.0 + seconds):
        episode.grow(at, 5.0, 3, {1: (3, 10), 2: (1, 10)}, (), {})
    found = episode.frozen(None)
    assert (found.stuck, bool(found.suspects)) == (stuck, not stuck)
    assert (found.peak, found.laggy_pg_seconds) == (3, 45.0)


@pytest.mark.parametrize(
    ("change", "stuck"),
    [
        ({}, True),
        ({"laggy": 4}, False),
        ({"by_osd": {1: (2, 10), 2: (1, 10)}}, False),
        ({"by_osd": {1: (3, 11), 2: (1, 10), 3: (0, 9)}}, True),  # as many laggy ones
        ({"by_osd": None}, True),
        ({"stale": [1]}, False),
        ({"stale": [3]}, True),  # it has none of them
        ({"slow_ops": {2: 5}}, False),
        ({"slow_ops": {9: 5}}, True),
        ({"by_osd": None, "stale": [9]}, False),  # nobody knows whether it has
    ],
)
def test_what_changes_is_not_stuck(change: Mapping[str, Any], stuck: bool) -> None:
    usual: dict[str, Any] = {
        "laggy": 3, "by_osd": {1: (3, 10), 2: (1, 10)}, "stale": (), "slow_ops": {},
    }  # fmt: skip
    episode = OpenEpisode(0.0)
    episode.grow(0.0, 5.0, **usual)
    episode.grow(100.0, 5.0, **{**usual, **change})
    episode.grow(399.0, 5.0, **{**usual, **change, "stale": (), "slow_ops": {}})
    assert episode.frozen(None).stuck is stuck


def test_the_first_round_of_an_episode_is_told() -> None:
    tracker = LaggyTracker()
    for number, round_id in enumerate((None, 7, 8)):
        tick(tracker, 100.0 + 5 * number, 2, round_id=round_id)
    assert tracker.episodes()[0].round_id == 7


def test_eight_pools_and_32_osds_of_an_episode_are_kept() -> None:
    tracker = LaggyTracker()
    osds = {osd: {"active+laggy": 40 - osd, "active": 100} for osd in range(40)}
    pools = {f"p{number:02}": {"active+laggy": 1 + number} for number in range(12)}
    for at in (0.0, 5.0):
        tick(tracker, at, 50, osds=osds, pools=pools)
    (found,) = tracker.episodes()
    assert found.pools == tuple(f"p{number:02}" for number in range(11, 3, -1))
    assert [one.osd for one in found.osds] == list(range(32))
    assert found.osds[0] == OsdLaggy(0, 200.0, 700.0)


def test_ended_episodes_of_the_store_are_added_once_and_the_newest_kept() -> None:
    tracker = LaggyTracker()
    tick(tracker, 1e6, 2)
    past = [Episode(10.0 * number, 10.0 * number + 5, 1, 5.0) for number in range(EPISODES_KEPT)]
    tracker.add_past([*past[50:], Episode(5e5, None, 1, 1.0), Episode(1e6, 2e6, 1, 1.0)])
    tracker.add_past(past)
    starts = [one.start for one in tracker.episodes()]
    assert starts == [1e6, *(one.start for one in reversed(past))]
    tracker.add_past([Episode(9e5, 9.1e5, 1, 1.0)])
    starts = [one.start for one in tracker.episodes()]
    assert (len(starts), starts[1], starts[-1]) == (EPISODES_KEPT + 1, 9e5, 10.0)


# --- suspects --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("laggy", "stale", "found"),
    [
        ({1: 90.0, 2: 30.0}, {}, [1]),
        ({1: 90.0, 2: 61.0}, {2: 5.0}, [1, 2]),  # the one, and one that stopped reporting
        ({1: 90.0, 2: 61.0}, {1: 5.0}, [1]),
        ({1: 90.0, 2: 61.0}, {1: 5.0, 2: 5.0}, [1, 2]),
        ({1: 70.0, 2: 35.0, 3: 30.0}, {2: 5.0, 3: 5.0}, [2, 3]),  # together
        ({1: 70.0, 2: 65.0}, {2: 0.0}, []),
        ({1: 0.0, 2: 0.0}, {}, []),
    ],
)
def test_who_stopped_reporting_is_named_beside_the_one(
    laggy: Mapping[int, float], stale: Mapping[int, float], found: Sequence[int]
) -> None:
    tally = LaggyTotals(100.0, dict(laggy), dict.fromkeys(laggy, 1000.0), dict(stale), {1: 4})
    named = suspects(tally)
    assert [one.osd for one in named] == found
    for one in named:
        assert (one.laggy_pg_seconds, one.part) == (laggy[one.osd], laggy[one.osd] / 100)
        assert (one.share, one.stale_seconds) == (laggy[one.osd] / 1000, stale.get(one.osd, 0.0))
        assert one.slow_ops == (4 if one.osd == 1 else 0)


def test_of_two_in_as_many_the_one_with_the_larger_share_of_its_own_comes_first() -> None:
    tally = LaggyTotals(100.0, dict.fromkeys((1, 2, 3), 70.0), {1: 900.0, 2: 300.0, 3: 300.0})
    tally.stale = {1: 5.0, 2: 5.0, 3: 5.0}
    assert [one.osd for one in suspects(tally)] == [2, 3, 1]


@pytest.mark.parametrize("kind", ["several", "stale"])
def test_all_that_stand_out_together_are_suspects(kind: str) -> None:
    """Others have a small share of their PGs."""
    osds = dict.fromkeys(range(20), 60.0)
    tally = LaggyTotals(100.0, {**osds, **dict.fromkeys(range(50, 90), 1.0)})
    tally.held = dict.fromkeys(tally.laggy, 1000.0)
    tally.stale = dict.fromkeys(osds, 5.0) if kind == "stale" else {}
    assert [one.osd for one in suspects(tally)] == list(range(20))


@pytest.mark.parametrize(("hosts", "target"), [(["a", "a"], "a"), (["a", "b"], "osd.1"),
                                               (["a", None], "osd.1")])  # fmt: skip
def test_a_host_is_named_if_all_suspects_are_on_it(
    hosts: Sequence[Optional[str]], target: str
) -> None:
    two = tuple(Suspect(osd, 10.0, 0.9, 0.5) for osd in (1, 2))
    newest = Episode(50.0, None, 3, 30.04, two, (), ("rbd",), False, 9)
    older = Episode(10.0, 20.0, 8, 11.11, two, (), ("x",), False, 4)
    tracker = LaggyTracker()
    tick(tracker, 100.0, 3)
    for episodes, lasted, started in (([newest], 20.0, 50.0), ([newest, older, older], 0.0, 10.0)):
        claims = claims_of(episodes, lasted, tracker.now(), dict(zip((1, 2), hosts)).get)
        assert str(claims[0].target) == target
        assert len(claims) == (1 if target == "a" else 2)
        assert {claim.since for claim in claims} == {started}
        evidence = claims[0].evidence
        assert (evidence["episodes"], evidence["pools"]) == (len(episodes), ["rbd"])
        assert evidence["rounds"] == ([9] if len(episodes) == 1 else [4, 9])
        assert (evidence["peak"], evidence["laggy_pg_seconds"]) == (
            (3, 30.0) if len(episodes) == 1 else (8, 52.3)
        )
