"""OSDs that are made anew under the ID of another one, as the whole watch sees them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import threads
from fakes.clock import FakeClock
from fakes.database import Faults, file_store
from fakes.store_thread import ImpatientStoreThread
from lookout import Lookout, hosts
from perf_bench.model.finding import Acknowledgement, Detector, FindingState, WatchTick

MINUTE, DAY = 60.0, 86400.0


class Notes(Detector):
    """Notes which OSDs it is told to be others."""

    name = "notes"

    def __init__(self) -> None:
        self.told: list[Collection[int]] = []

    def tick(self, tick: WatchTick) -> None:
        if tick.replaced:
            self.told.append(sorted(tick.replaced))

    def claims(self) -> list[Any]:
        return []


class Place:
    """A cluster that was made a month ago; ``lookout`` is the mgr that is active."""

    def __init__(self, path: Path) -> None:
        self.notes = Notes()
        self.store_thread = ImpatientStoreThread(
            file_store(path, Faults()), patience=threads.PATIENCE
        )
        clock = FakeClock()
        made = clock.now() - 30 * DAY
        members = [replace(one, created_at=made) for one in hosts(6, 4)]
        self.lookout = Lookout(self.store_thread, clock, members, detectors=[self.notes])

    def fails_over(self) -> None:
        self.lookout.leave()
        self.lookout.watch = self.lookout.another()

    @property
    def open(self) -> list[str]:
        return [
            str(one.target)
            for one in self.lookout.watch.findings()
            if one.state is not FindingState.CLOSED
        ]


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    made = Place(tmp_path / "main.db")
    yield made
    made.store_thread.close(threads.PATIENCE)


def test_a_finding_closes_when_the_drive_is_another_one_and_is_not_reopened(place: Place) -> None:
    lookout = place.lookout
    lookout.passes(10 * MINUTE)
    place.lookout.slow_down(7, 5.0)
    lookout.passes(8 * MINUTE)
    (first,) = lookout.watch.findings()
    lookout.watch.acknowledge(first.id, Acknowledgement("eve", lookout.clock.now(), "ordered"))
    lookout.members.change(7, up=False)
    lookout.passes(5 * MINUTE)
    assert place.open == ["osd.7"]
    lookout.members.change(7, up=True, created_at=lookout.clock.now())
    lookout.passes(MINUTE)
    assert place.open == []
    lookout.passes(8 * MINUTE)
    before, after = sorted(lookout.watch.findings(), key=lambda one: one.id)
    assert (before.id, before.state) == (first.id, FindingState.CLOSED)
    assert (after.target, after.acknowledged) == (first.target, None)
    assert after.first_seen >= lookout.clock.now() - 10 * MINUTE


@pytest.mark.parametrize(
    "fields",
    [
        {"data_device": "sdb"},
        {"created_at": None},
    ],
)
def test_nothing_else_makes_it_another_one(place: Place, fields: Mapping[str, Any]) -> None:
    lookout = place.lookout
    lookout.passes(MINUTE)
    was = next(one for one in lookout.members.members() if one.osd.id == 7)
    made = was.created_at
    lookout.members.change(7, **fields)
    lookout.passes(MINUTE)
    lookout.members.change(7, created_at=made)
    lookout.passes(MINUTE)
    place.fails_over()
    lookout.passes(MINUTE)
    assert place.notes.told == []


def test_it_is_another_one_also_after_it_had_no_metadata_and_no_id(place: Place) -> None:
    lookout = place.lookout
    lookout.passes(MINUTE)
    lookout.members.change(7, created_at=None)
    lookout.members.set([one for one in lookout.members.members() if one.osd.id != 8])
    lookout.passes(MINUTE)
    now = lookout.clock.now()
    lookout.members.change(7, created_at=now)
    lookout.members.set([*lookout.members.members(), *hosts(6, 4)[8:9]])
    lookout.members.change(8, created_at=now)
    lookout.passes(MINUTE)
    assert place.notes.told == [[7, 8]]


def test_one_whose_time_of_making_was_never_told_is_another_one_when_it_is(place: Place) -> None:
    """An OSD has it since Ceph 16.2.11 and 17.2.6."""
    lookout = place.lookout
    lookout.members.change(7, created_at=None)
    lookout.passes(MINUTE)
    lookout.members.change(7, created_at=lookout.clock.now())
    lookout.passes(MINUTE)
    assert place.notes.told == [[7]]


def test_it_is_another_one_for_the_next_mgr_too(place: Place) -> None:
    lookout = place.lookout
    lookout.passes(10 * MINUTE)
    place.lookout.slow_down(7, 5.0)
    lookout.passes(8 * MINUTE)
    assert place.open == ["osd.7"]
    place.lookout.slow_down(7, 1 / 5.0)
    lookout.leave()
    lookout.clock.advance(MINUTE)
    lookout.members.change(7, created_at=lookout.clock.now())
    lookout.clock.advance(MINUTE)
    lookout.watch = lookout.another()
    lookout.passes(MINUTE)
    assert place.notes.told == [[7]]
    assert lookout.watch.detectors.slow.claims() == []


def test_a_clock_that_was_behind_makes_no_osd_another_one(place: Place) -> None:
    """What an OSD was made at is not known while that seems to be in the future."""
    lookout = place.lookout
    made = lookout.clock.now() - 10 * DAY
    lookout.clock.set_by(-30 * DAY)
    lookout.watch = lookout.another()
    lookout.members.change(7, created_at=None)
    lookout.passes(MINUTE)
    lookout.clock.set_by(30 * DAY)
    lookout.passes(MINUTE)
    lookout.members.change(7, created_at=made)
    lookout.passes(MINUTE)
    assert place.notes.told == []
