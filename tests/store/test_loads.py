"""The repeats of rounds of clients as they are stored."""

from __future__ import annotations

import pytest

from fakes.database import memory_store
from fakes.loads import steady
from nouns import a_round
from perf_bench.errors import NotFound
from perf_bench.model.plan import MIB
from perf_bench.model.rados import LoadPlan, LoadSample

LOAD = LoadPlan("perf_bench", "write", 4, 2, 8, 4 * MIB, 100, 800 * MIB)


def sample(repeat: int, rate: float = 100.0) -> LoadSample:
    return LoadSample(repeat, 1000.0, tuple(steady(rate)(LOAD.order("n"), lambda: False)))


def test_repeats_come_back_whole_and_in_order() -> None:
    store = memory_store()
    round_ = store.add_round(a_round(), [])
    lost = LoadSample(3, 5.0, why="no operation ended for 10 s")
    for one in (lost, sample(2, 7.0), sample(1)):
        store.add_load(round_.id, one)
    assert store.loads(round_.id) == [sample(1), sample(2, 7.0), lost]


def test_the_first_of_a_repeat_is_kept() -> None:
    store = memory_store()
    round_ = store.add_round(a_round(), [])
    store.add_load(round_.id, sample(1))
    store.add_load(round_.id, sample(1, 7.0))
    assert store.loads(round_.id) == [sample(1)]


def test_they_go_with_their_round_and_none_comes_without_one() -> None:
    store = memory_store()
    round_ = store.add_round(a_round(), [])
    store.add_load(round_.id, sample(1))
    store.remove_round(round_.id)
    store.add_load(round_.id, sample(2))
    assert store.loads(round_.id) == []
    with pytest.raises(NotFound):
        store.round(round_.id)
