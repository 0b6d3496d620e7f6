"""A whole bench on fakes: real rounds on scripted OSDs, into a real store on a file."""

from __future__ import annotations

import logging
from contextlib import suppress
from pathlib import Path
from typing import Callable, Optional

import threads
from fakes.charts import FakeDoctorSource, FakeDownTimes
from fakes.checksums import FakeOpThreads
from fakes.clock import FakeClock
from fakes.cluster import FakeCluster
from fakes.commands import FakeCommands
from fakes.counters import FakeCounters
from fakes.database import Faults, file_store
from fakes.loads import FakeLoader, FakePools, FakeTraces
from fakes.loop import RunningLoop
from fakes.members import FakeMembers
from fakes.outlook import FakeAdmissionSource
from fakes.progress import FakeProgress
from fakes.senses import FakeVoice
from fakes.settings import FakeAuthority, FakeKeys, FakeSettings, an_access
from fakes.store_thread import ImpatientStoreThread
from nouns import some_osds
from perf_bench.bench.context import Commands, Leftovers, OsdsUnderBench, RoundContext
from perf_bench.bench.safety import RoundSafety
from perf_bench.bench.schedules import RoundScheduler
from perf_bench.bench.service import Bench
from perf_bench.core.failing_parts import FailingParts
from perf_bench.core.loop import Loop
from perf_bench.core.workers import Workers
from perf_bench.doctor.on_request import MclockTuning, OsdRelief
from perf_bench.doctor.service import Doctor
from perf_bench.errors import StoreUnavailable
from perf_bench.hardware.checksums import ChecksumMonitor, OsdSources
from perf_bench.hardware.enclosures import EnclosureInventory
from perf_bench.hardware.host_facts import HostFactsRegistry
from perf_bench.model.admission import Rules
from perf_bench.model.osd import Member
from perf_bench.model.round import Round
from perf_bench.store.care import Care
from perf_bench.store.sqlite import Store

LOG = logging.getLogger("stage")


class Stage:
    """One mgr's life: a second stage on the same path is the mgr that takes over."""

    max_parallel = 64

    def __init__(self, path: Path, cluster: Optional[FakeCluster] = None) -> None:
        self.clock = FakeClock()
        self.failing = FailingParts(self.clock.monotonic, LOG)
        self.cluster = cluster or FakeCluster(some_osds(6))
        self.progress = FakeProgress()
        self.faults = Faults()
        self.commands = FakeCommands()
        # What opening the commands raises.
        self.no_way: Optional[Exception] = None
        self.opened = 0
        self.store_thread = ImpatientStoreThread(
            file_store(path, self.faults), patience=threads.PATIENCE
        )
        self.benched = OsdsUnderBench()
        self.outlook = FakeAdmissionSource(self.cluster, self.clock)
        self.admission = Rules()
        self.settings = FakeSettings()
        self.client_seconds: Optional[float] = None
        self.keys = FakeKeys()
        self.authority = FakeAuthority()
        self._running = RunningLoop(LOG)
        access = an_access(
            self.settings, self.keys, self.clock, self.authority, Workers("settings", 1)
        )
        self.round_safety = RoundSafety(
            self.outlook, access, lambda: self.client_seconds, lambda: self.admission
        )
        self.loader = FakeLoader()
        self.pools = FakePools()
        self.traces = FakeTraces()
        world = RoundContext(
            cluster=self.cluster,
            open_commands=self._open_commands,
            loop=self.loop,
            workers=self.workers,
            store_thread=self.store_thread,
            progress=self.progress,
            clock=self.clock,
            log=LOG,
            round_safety=self.round_safety,
            loader=self.loader,
            pools=self.pools,
            leftovers=Leftovers(self.traces, self.loader, self.workers, LOG),
            benched=self.benched,
        )
        self.bench = Bench(world, lambda: self.max_parallel)
        self.hosts = HostFactsRegistry(self.store_thread, self.clock, LOG, self.failing)
        self.falls = FakeDownTimes()
        self.inventory = EnclosureInventory(self.hosts, self.cluster, self.falls.fell, self.clock)
        self.counters = FakeCounters()
        self.op_threads = FakeOpThreads()
        self.members = FakeMembers(Member(osd, "16.2.15") for osd in self.cluster.osds())
        self.crc = ChecksumMonitor(
            OsdSources(self.members, self.op_threads, self.benched),
            self.hosts,
            self.inventory,
            self.clock,
        )
        self.charts = FakeDoctorSource(self.cluster)
        self.doctor = Doctor(
            self.charts, self.bench, self.hosts, self.clock, lambda: None, lambda *_: ()
        )
        self.mclock_tuning = MclockTuning(self.doctor, access)
        self.relief = OsdRelief(access)
        self.notifier = FakeVoice()
        self.care = Care(
            self.store_thread,
            lambda: self.bench.occupied,
            self._reread,
            self.clock,
            self.failing,
        )
        self.round_scheduler = RoundScheduler(
            self.bench, self.loop, self.store_thread, self.notifier, self.clock, LOG
        )

    def _reread(self) -> None:
        self.round_scheduler.forget()
        self.bench.reread()

    @property
    def loop(self) -> Loop:
        return self._running.loop

    @property
    def workers(self) -> Workers:
        return self._running.workers

    def wake(self) -> None:
        """Read the database, as a new active mgr does."""
        self.loop.ask(self.bench.step, threads.PATIENCE)
        self.settle()

    def ended(self) -> None:
        """Wait until no round runs, and until its results and its profile's past are known."""
        threads.until(lambda: not self.bench.occupied or self._left())
        self.settle()

    def _left(self) -> bool:
        """Whether the round was left to the next mgr."""
        active = self.bench.active
        return active is not None and active.task is not None and active.task.done.done()

    def settle(self) -> None:
        """Wait until what is there is in the store, and was looked at."""
        for _ in range(3):  # samples that came while others were written are written after them
            self.store_thread.call(lambda _store: None)
            self.loop.ask(_turn, threads.PATIENCE)
        self.store_thread.call(lambda _store: None)
        with suppress(StoreUnavailable):
            self.loop.ask(self.bench.step, threads.PATIENCE)
            self.loop.ask(self.bench.regressions.step, threads.PATIENCE)

    def leave(self) -> None:
        """Leave the round to the next mgr."""
        self.loop.ask(self.bench.leave, threads.PATIENCE)

    def sweep(self) -> None:
        """Remove what rounds of clients have left."""
        self.loop.ask(self.bench.sweep, threads.PATIENCE)

    def guard(self) -> None:
        """Let the guard look, and what no round holds be put back."""
        self.loop.ask(self.round_safety.guard, threads.PATIENCE)
        self.loop.ask(self.round_safety.put_back, threads.PATIENCE)

    def schedule(self) -> None:
        """Let the schedules start what is due."""
        self.loop.ask(self.round_scheduler.step, threads.PATIENCE)

    def round(self, number: int = 1) -> Round:
        """A round as it is stored."""
        return self.store_thread.call(lambda store: store.round(number))

    def whys(self, number: int = 1) -> dict[tuple[int, int], Optional[str]]:
        """By (repeat, OSD) why a stored sample is invalid, None where it is valid."""
        samples = self.store_thread.call(lambda store: store.samples(number))
        return {(sample.repeat, sample.osd): sample.why for sample in samples}

    def stored(self, change: Callable[[Store], object]) -> None:
        """Change what is stored, past the bench."""
        self.store_thread.call(lambda store: change(store) and None)

    def crash(self) -> None:
        """The mgr is gone at once: what is not in the store now never will be."""
        self.settle()
        self.faults.failing = -1
        self.close()

    def close(self) -> None:
        """Let all threads go."""
        self.clock.tick = 10.0
        self.commands.free()
        self.faults.unblock()
        self._running.close(self.bench.leave, threads.PATIENCE)
        self.store_thread.close(threads.PATIENCE)

    def _open_commands(self) -> Commands:
        if self.no_way is not None:
            raise self.no_way
        self.opened += 1
        if self.commands.closed:
            before, self.commands = self.commands, FakeCommands(self.commands.script)
            self.commands.options = before.options
        return self.commands


async def _turn() -> None:
    """One turn of the loop, after those that are due."""
