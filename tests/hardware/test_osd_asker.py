"""Which OSDs are asked for what they do not send, and when."""

from __future__ import annotations

import errno
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from fakes.charts import FakeDownTimes
from fakes.checksums import FakeAsker, FakeOpThreads
from fakes.clock import FakeClock
from fakes.cluster import FakeCluster
from fakes.database import file_store
from fakes.loop import FakeLoop, Soon
from fakes.members import FakeMembers, member
from perf_bench.bench.context import OsdsUnderBench
from perf_bench.errors import CommandFailed
from perf_bench.hardware.checksums import ChecksumMonitor, OsdSources
from perf_bench.hardware.enclosures import EnclosureInventory
from perf_bench.hardware.host_facts import HostFactsRegistry
from perf_bench.hardware.osd_asker import EVERY, OsdAsker
from perf_bench.model.finding import WatchTick
from perf_bench.model.hardware import ChecksumAnswer
from perf_bench.store.sqlite import StoreThread

LOG = logging.getLogger("test")


class Counting(FakeAsker):
    """OSDs that spend 0.2 of their 16 threads on checksums, but those that are silent."""

    def __init__(self, clock: FakeClock) -> None:
        super().__init__()
        self._clock = clock
        self.silent: set[int] = set()

    def ask(self, osd: int) -> ChecksumAnswer:
        self.asked.append(osd)
        if osd in self.silent:
            raise CommandFailed(errno.ETIMEDOUT, "no answer")
        now = self._clock.now()
        return ChecksumAnswer(osd, now, now * 3.2, int(now) << 30, retries=0, errors=0)


class Scene:
    """OSDs that send no checksum times."""

    def __init__(self, store_thread: StoreThread, count: int = 4) -> None:
        self.loop = FakeLoop()
        self.clock = self.loop.clock
        self.members = FakeMembers([member(osd, release="16.2.15") for osd in range(count)])
        self.benched = OsdsUnderBench()
        cluster = FakeCluster([one.osd for one in self.members.members()])
        hosts = HostFactsRegistry(store_thread, self.clock, LOG)
        self.monitor = ChecksumMonitor(
            OsdSources(self.members, FakeOpThreads(), self.benched),
            hosts,
            EnclosureInventory(hosts, cluster, FakeDownTimes().fell, self.clock),
            self.clock,
        )
        self.query = Counting(self.clock)
        self.budget = 2
        self.asker = OsdAsker(
            self.query,
            self.monitor,
            lambda: self.budget,
            self.clock,
            self.loop,
            Soon(self.loop),
        )
        self.ticks()

    def ticks(self) -> None:
        self.monitor.tick(WatchTick(self.clock.now()))

    def steps(self) -> list[int]:
        """Whom the next step asks."""
        self.query.asked.clear()
        self.loop.complete(self.asker.step())
        self.clock.advance(EVERY)
        return list(self.query.asked)


@pytest.fixture
def store_thread(tmp_path: Path) -> Iterator[StoreThread]:
    made = StoreThread(file_store(tmp_path / "main.db"))
    yield made
    made.close(1.0)


@pytest.fixture
def scene(store_thread: StoreThread) -> Scene:
    return Scene(store_thread)


def test_turns_go_round(scene: Scene) -> None:
    assert [scene.steps() for _ in range(4)] == [[0, 1], [2, 3], [], [0, 1]]


def test_who_does_not_answer_is_left_alone_for_five_minutes(scene: Scene) -> None:
    scene.query.silent = {1}
    asked = [osd for _ in range(60) for osd in scene.steps()]
    assert asked.count(1) == 1
    assert asked.count(0) > 10
    assert 1 in [osd for _ in range(4) for osd in scene.steps()]


def test_who_is_not_asked(scene: Scene) -> None:
    scene.members.change(0, up=False)
    scene.benched.began(1, scene.clock.now())
    scene.clock.advance(20)
    scene.ticks()
    assert scene.steps() == [2, 3]
    scene.budget = 0
    assert scene.steps() == []
    scene.budget = 2
    scene.monitor.tick(WatchTick(scene.clock.now(), on=False))
    assert scene.steps() == []


def test_no_connection_is_told(scene: Scene) -> None:
    scene.query.no_way = CommandFailed(errno.ENOTCONN, "no way")
    with pytest.raises(CommandFailed, match="no way"):
        scene.loop.complete(scene.asker.step())


def test_checksums_are_asked_for_when_somebody_wants_them(scene: Scene) -> None:
    scene.budget = 0
    scene.query.silent = {3}
    began = scene.clock.now()
    until = scene.loop.complete(scene.asker.ask_checksums())
    assert until == began + 30
    scene.loop.run_for(5)
    assert sorted(scene.query.asked) == [0, 1, 2, 3]
    assert scene.loop.complete(scene.asker.ask_checksums()) == until, "it goes on"
    scene.loop.run_for(24)
    assert len(scene.query.asked) == 8
    scene.ticks()
    osds = scene.monitor.read().osds
    assert [one.share and round(one.share, 6) for one in osds] == [0.2, 0.2, 0.2, None]
    assert (osds[0].seconds, osds[0].threads, osds[0].asked) == (10.0, 16, True)
    scene.query.asked.clear()
    scene.clock.advance(1)
    scene.loop.complete(scene.asker.ask_checksums())
    scene.loop.run_for(15)
    assert set(scene.query.asked) == {3}, "of the others it is known"
    assert scene.monitor.unknown() == [3]


def test_two_answers_close_to_each_other_are_no_measure(scene: Scene) -> None:
    scene.budget = 0
    for pause in (0, 8, 4):
        scene.clock.advance(pause)
        scene.monitor.take_answer(scene.query.ask(0))
        scene.ticks()
    scene.clock.advance(15)
    scene.ticks()
    told = scene.monitor.read().osds[0]
    assert told.seconds == 12.0
    assert told.rate == pytest.approx((1 << 30) / 3.2)


def test_our_own_bench_is_no_share(scene: Scene) -> None:
    scene.monitor.take_answer(scene.query.ask(0))
    scene.ticks()
    scene.clock.advance(15)
    scene.benched.began(0, scene.clock.now() - 3)
    scene.monitor.take_answer(scene.query.ask(0))
    scene.ticks()
    scene.clock.advance(15)
    scene.ticks()
    assert scene.monitor.read().osds[0].share is None
