"""Whole sandwiches on scripted OSDs: ended, aborted, carried on, and what they leave."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from fakes.cluster import FakeCluster
from fakes.commands import answers
from nouns import some_osds
from perf_bench.bench import osd_benches
from perf_bench.bench.context import RESTING
from perf_bench.core.loop import reply, sleep
from perf_bench.model.plan import MIB, Request
from perf_bench.model.round import RoundState, Verdict
from stage import Stage

pytestmark = pytest.mark.usefixtures("quick")

# host-0 has osd.0, osd.2 and osd.4.
REQUEST = Request("osd-sandwich", osds="host=host-0", repeats=1, rests=1, rest="1h")
PARTS = ("before", "together", "after", "rested-1")


def _stage(path: Path) -> Stage:
    made = Stage(path, FakeCluster(some_osds(6, hosts=2)))
    made.wake()
    made.settle()
    return made


@pytest.fixture
def stage(path: Path) -> Iterator[Stage]:
    made = _stage(path)
    yield made
    made.close()


def _rests_pass(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """A rest takes no time but that of the clock."""

    async def sleep(seconds: float) -> None:
        for _ in range(2):  # or the samples of before would have waited for hours to be saved
            await reply(stage.store_thread.ask(lambda _store: None))
        stage.clock.advance(seconds)

    monkeypatch.setattr(osd_benches, "sleep", sleep)


def _rests_follow(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """A rest lasts until the stage's clock says so."""

    async def wait(seconds: float) -> None:
        until = stage.clock.monotonic() + seconds
        while stage.clock.monotonic() < until:
            await sleep(0.002)

    monkeypatch.setattr(osd_benches, "sleep", wait)


def _until_it_rests(stage: Stage) -> None:
    active = stage.bench.active
    assert active is not None
    while active.phase != RESTING:
        stage.settle()


def test_a_sandwich_from_its_start_to_its_conclusions(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    fast, usual, slow = (answers(rate * MIB) for rate in (150.0, 100.0, 30.0))
    # a write and a read before, together, after, and after the rest
    stage.commands.script[0] = [fast, fast, usual, fast, fast, slow, fast, fast]
    _rests_pass(stage, monkeypatch)
    stage.bench.start(REQUEST)
    stage.ended()
    round_ = stage.round()
    assert (round_.state, round_.verdict) == (RoundState.DONE, Verdict.VALID), round_.reasons
    assert [c.code for c in round_.conclusions] == [
        "collapse-together",
        "degraded-after-load",
        "recovered-after",
    ]
    assert stage.commands.closed
    assert stage.commands.objects == {}
    samples = stage.store_thread.call(lambda store: store.samples(1))
    named = {f"{part}-{what}" for part in PARTS for what in ("write", "read")}
    assert {sample.phase for sample in samples} == named
    assert len(samples) == 6 + 6
    # reads wrote their objects once, three copies of each
    written = stage.store_thread.call(lambda store: store.wear()).written(stage.clock.now())
    read_by = 3 * 256 * MIB
    assert written == {
        0: 4 * 1024 * MIB + read_by,
        2: 1024 * MIB + read_by,
        4: 1024 * MIB + read_by,
    }


def test_an_abort_in_the_rest_ends_it_and_removes_the_objects(stage: Stage) -> None:
    stage.bench.start(REQUEST)
    _until_it_rests(stage)
    assert stage.commands.objects.keys() == {0, 2, 4}
    stage.bench.abort(1)
    stage.ended()
    assert (stage.round().state, stage.round().conclusions) == (RoundState.ABORTED, ())
    assert stage.commands.objects == {}


def test_it_is_carried_on_after_the_rest_of_the_rest(
    stage: Stage, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage.bench.start(REQUEST)
    _until_it_rests(stage)
    stage.settle()
    stage.leave()
    # the next mgr makes them anew; a sandwich that goes on elsewhere removes nothing
    assert stage.commands.objects.keys() == {0, 2, 4}
    stage.close()
    again = _stage_later(path, stage.clock.now() + 1800.0)
    _rests_follow(again, monkeypatch)
    again.wake()
    try:
        active = again.bench.active
        assert active is not None
        while active.resting is None:
            again.settle()
        assert active.resting[1] == pytest.approx(1800, abs=60)
        again.clock.advance(1800.0)
        again.ended()
        assert (again.round().state, again.round().resumed) == (RoundState.DONE, 1)
        assert sorted(set(again.commands.asked)) == [0]
        assert len(again.commands.asked) == 2
        assert again.commands.objects == {}
    finally:
        again.close()


def _stage_later(path: Path, now: float) -> Stage:
    made = Stage(path, FakeCluster(some_osds(6, hosts=2)))
    made.clock.advance(now - made.clock.now())
    return made
