"""Rounds as they are read: what follows from their samples is computed once they have ended."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from perf_bench.bench.stored_rounds import StoredRounds, Wanted
from perf_bench.errors import NotFound
from perf_bench.model.request import Request
from stage import Stage


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    made = Stage(tmp_path / "main.db")
    made.bench.wake()
    yield made
    made.close()


@pytest.fixture
def rounds(stage: Stage) -> StoredRounds:
    return StoredRounds(
        stage.bench, stage.store_thread, stage.clock, lambda: stage.cluster.osds(0.0)
    )


def test_what_follows_from_an_ended_round_is_computed_once(
    stage: Stage, rounds: StoredRounds
) -> None:
    stage.bench.start(Request("osd-sandwich", osds="host=host-0", rests=0))
    stage.ended()
    page = rounds.read(1, Wanted(limit=1, samples=False))
    assert (len(page.results), page.osds, page.samples) == (1, 2, ())
    # Of all OSDs, whichever are on the page.
    assert [part.name for part in page.parts.parts] == ["before", "together", "after"]
    assert page.parts.hosts == {0: "host-0", 3: "host-0"}
    whole = rounds.read(1, Wanted())
    assert len(whole.samples) == len(stage.store_thread.call(lambda store: store.samples(1)))
    assert whole.parts is page.parts
    assert whole.contexts is page.contexts


def test_what_follows_from_a_running_round_is_computed_again(
    stage: Stage, rounds: StoredRounds
) -> None:
    stage.commands.script[0] = [stage.commands.hangs]
    stage.bench.start(Request("osd-sandwich", osds="host=host-0", rests=0))
    before = rounds.read(1, Wanted())
    assert before.contexts == ()
    assert rounds.read(1, Wanted()).parts is not before.parts


def test_one_osd(stage: Stage, rounds: StoredRounds) -> None:
    stage.bench.start(Request("osd-throughput"))
    stage.ended()
    found = rounds.read(1, Wanted(osd=4))
    assert [row.osd for row in found.results] == [sample.osd for sample in found.samples][:1] == [4]
    assert found.osds == 1
    assert (found.parts.parts, found.search) == ((), None)
    with pytest.raises(NotFound):
        rounds.read(2, Wanted(osd=4))
