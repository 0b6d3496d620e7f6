"""Rounds as they are read: what follows from their samples is computed once they have ended."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Optional

import pytest

from asked import asking
from perf_bench.answers import export
from perf_bench.bench import stored_rounds
from perf_bench.bench.stored_rounds import StoredRounds, Wanted
from perf_bench.errors import InvalidValue
from perf_bench.model.plan import Request
from stage import Stage


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    made = Stage(tmp_path / "main.db")
    made.wake()
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
    assert [part.name for part in page.parts] == ["before", "together", "after"]
    assert page.hosts == {0: "host-0", 3: "host-0"}
    whole = rounds.read(1, Wanted())
    assert len(whole.samples) == len(stage.store_thread.call(lambda store: store.samples(1)))
    assert whole.parts is page.parts
    assert whole.contexts is page.contexts


def test_the_distribution_is_of_all_osds(
    stage: Stage, rounds: StoredRounds, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored_rounds, "PIECE", 4)  # the six OSDs are two pieces
    stage.bench.start(Request("osd-throughput", repeats=2))
    stage.ended()
    found = rounds.distribution(1)
    whole = rounds.read(1, Wanted())
    assert found.osds == 6
    counted = found.histograms["bytes_per_second"]
    assert counted is not None
    assert (counted.count, sum(counted.counts)) == (6, 6)
    waves = {(sample.repeat, sample.wave) for sample in whole.samples}
    assert {(point.repeat, point.wave) for point in found.waves} == waves
    assert rounds.distribution(1) is found  # it never changes


@pytest.mark.parametrize("words", [("json", False), ("csv", False), (None, True)], ids=str)
def test_a_file_is_the_same_in_parts(
    words: tuple[Optional[str], bool],
    stage: Stage,
    rounds: StoredRounds,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stage.bench.start(Request("osd-throughput", repeats=2))
    stage.ended()
    api = asking(stored=rounds, store_thread=stage.store_thread, clock=stage.clock)
    whole = export.text(api, 1, *words)
    monkeypatch.setattr(stored_rounds, "PIECE", 4)
    monkeypatch.setattr(export, "_RAW_ROWS", 4)
    count = export.file(api, 1, *words, 0).parts
    parts = [export.file(api, 1, *words, number) for number in range(count)]
    assert all((one.part, one.parts) == (at, count) for at, one in enumerate(parts))
    assert max(len(one.text) for one in parts) < len(whole)
    text = "".join(one.text for one in parts)
    assert len(text) == len(whole), "the same rows in another order"
    if words[0] == "csv":
        assert sorted(text.splitlines()) == sorted(whole.splitlines())
        return
    found, expected = json.loads(text), json.loads(whole)
    assert len(found["samples"]) == 12
    for one in found, expected:
        one["samples"].sort(key=str)
        one.get("per_osd", []).sort(key=str)
    assert found == expected
    for number in (-1, count):
        with pytest.raises(InvalidValue, match=f"part {number} is not within 0 to {count - 1}"):
            export.file(api, 1, *words, number)
