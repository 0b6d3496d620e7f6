"""Rounds as they are read: what follows from their samples is computed once they have ended."""

from __future__ import annotations

import pytest

from perf_bench.bench.stored_rounds import StoredRounds, Wanted
from perf_bench.model.plan import Request
from stage import Stage


@pytest.fixture
def rounds(stage: Stage) -> StoredRounds:
    return StoredRounds(stage.bench, stage.store_thread, stage.clock)


def test_what_follows_from_an_ended_round_is_computed_once(
    stage: Stage, rounds: StoredRounds
) -> None:
    stage.bench.start(Request("osd-sandwich", osds="host=host-0", rests=0))
    stage.ended()
    page = rounds.read(1, Wanted(limit=1, samples=False))
    assert (len(page.results), page.osds, page.samples) == (1, 2, ())
    # Of all OSDs, whichever are on the page.
    assert [part.name for part in page.parts] == ["before", "together", "after"]
    whole = rounds.read(1, Wanted())
    assert len(whole.samples) == len(stage.store_thread.call(lambda store: store.samples(1)))
    assert whole.parts is page.parts


def test_the_distribution_is_of_all_osds(stage: Stage, rounds: StoredRounds) -> None:
    stage.bench.start(Request("osd-throughput", repeats=2))
    stage.ended()
    found = rounds.distribution(1)
    assert found.osds == 6
    counted = found.histograms.bytes_per_second
    assert counted is not None
    assert (counted.count, sum(counted.counts)) == (6, 6)
