"""The newest figures of each OSD: of the last round that has any, also when rounds go."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from fakes.database import memory_store
from nouns import put_round
from perf_bench.model.bench import Step
from perf_bench.model.plan import Phase, Plan
from perf_bench.model.round import OsdResult, Round, RoundState
from perf_bench.store.sqlite import Store

PLAN = Plan("p", (Phase(Step("write", 4096, 4096), ((0, 1),)),), 1, 1.0, "limits")


def end(
    store: Store,
    rates: dict[int, float | None],
    profile: str = "p",
    state: RoundState = RoundState.DONE,
) -> int:
    """A round with these figures in it; its ID."""
    rows = [OsdResult(osd, "h") for osd in rates]
    draft = Round(0, profile, "osd", RoundState.RUNNING, PLAN, token=str(store.rounds()[1] + 1))
    round_ = put_round(store, draft, rows)
    figures = [replace(row, median_bytes_per_second=rates[row.osd]) for row in rows]
    store.end_round(replace(round_, state=state), figures)
    return round_.id


def newest(store: Store) -> dict[tuple[int, str], tuple[int, float | None]]:
    """(OSD, profile) -> (round, figure)."""
    return {
        key: (round_.id, result.median_bytes_per_second)
        for key, (round_, result) in store.latest().items()
    }


@pytest.fixture
def store() -> Iterator[Store]:
    store = memory_store()
    yield store
    store.close()


def test_the_last_round_with_a_figure_counts_profile_by_profile(store: Store) -> None:
    end(store, {0: 10.0, 1: 11.0, 2: None})
    end(store, {0: 20.0, 1: None})
    end(store, {1: 31.0}, profile="q", state=RoundState.ABORTED)
    assert newest(store) == {(0, "p"): (2, 20.0), (1, "p"): (1, 11.0), (1, "q"): (3, 31.0)}


def test_a_round_that_runs_does_not_count_yet(store: Store) -> None:
    end(store, {0: 10.0}, state=RoundState.RUNNING)
    assert newest(store) == {}


def test_an_older_round_that_ends_later_does_not_come_before(store: Store) -> None:
    old = end(store, {0: 10.0}, state=RoundState.RUNNING)
    end(store, {0: 20.0})
    store.end_round(
        replace(store.round(old), state=RoundState.DONE),
        [OsdResult(0, "h", median_bytes_per_second=11.0)],
    )
    assert newest(store) == {(0, "p"): (2, 20.0)}


def test_when_the_newest_is_removed_the_one_before_is_it_again(store: Store) -> None:
    end(store, {0: 10.0, 1: 11.0})
    end(store, {0: None, 1: 21.0})
    end(store, {0: 30.0, 1: 31.0, 2: 32.0})
    end(store, {0: 99.0}, profile="q")
    store.remove_round(2)
    assert newest(store)[(1, "p")] == (3, 31.0)
    store.remove_round(3)
    assert newest(store) == {(0, "p"): (1, 10.0), (1, "p"): (1, 11.0), (0, "q"): (4, 99.0)}
    store.remove_round(1)
    store.remove_round(4)
    assert newest(store) == {}
