"""Laggy PGs tick by tick: what is summed, when an episode ends, and when it is stuck."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Optional

import pytest

from perf_bench.model.verdict import EPISODES_KEPT, Episode, PoolLaggy
from perf_bench.watch.detect.laggy_pgs.detector import LaggyTracker
from perf_bench.watch.detect.laggy_pgs.episode import (
    OpenEpisode,
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
