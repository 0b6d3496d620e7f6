"""Creates all parts of the active module once, and passes them to each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from functools import partial
from typing import Callable, Optional

from mgr_module import MgrModule

from .answers import metrics
from .answers.api import Api
from .answers.metrics_server import MetricsServer
from .bench.context import Leftovers, OsdsUnderBench, RoundContext
from .bench.held import Access
from .bench.held_kinds import ClusterSettings
from .bench.safety import RoundSafety
from .bench.schedules import RoundScheduler
from .bench.service import Bench
from .ceph.admission_snapshot import MgrAdmissionSource
from .ceph.cluster import MgrCluster, MgrCohortSetups, fsid_of, release_of
from .ceph.commands import Connections, OsdQueries
from .ceph.config_log import MonConfigLog
from .ceph.database import MgrStorePlace, backend_of
from .ceph.doctor_snapshot import MgrDoctorSource
from .ceph.inventory import InventoryReader
from .ceph.mons import InstallationMark, MapOfMgrs, MgrAuthority, MonLeftovers, Mons
from .ceph.notifier import MgrNotifier, MgrOrchestrator, MgrProgress
from .ceph.options import MgrOptions, OptionResets, module_options
from .ceph.osd_map import MonClock, OsdMapReader
from .ceph.osd_options import MgrOpThreads, option_of
from .ceph.osd_up_down import MgrDownTimes, MgrUpDown
from .ceph.pools import MgrPools
from .ceph.reports import MgrCephAlerts, MgrCounters, MgrOsdHealth, MgrPgStates
from .clients.loader import ClientLoader
from .core.clock import SystemClock
from .core.failing_parts import SERVE, FailingParts
from .core.loop import Loop, Task, reply
from .core.reconcile import Reconciler, Reconcilers
from .core.workers import Stop, Workers
from .doctor.on_request import MclockTuning, OsdRelief
from .doctor.service import Doctor
from .errors import InvalidValue, PerfBenchError
from .hardware.checksums import ChecksumMonitor, OsdSources
from .hardware.enclosures import EnclosureInventory, MembersWithEnclosures
from .hardware.host_facts import HostFactsRegistry
from .hardware.orchestrator_facts import OrchestratorFacts
from .hardware.osd_asker import EVERY as ASKED_EVERY
from .hardware.osd_asker import OsdAsker
from .model.admission import Threshold
from .model.finding import Detector
from .store.care import Care
from .store.sqlite import Store, StoreThread
from .watch.collect.collector import Collector
from .watch.detect.cohort_drift.detector import CohortDriftDetector
from .watch.detect.osd_flapping import OsdFlappingDetector
from .watch.detect.standby_mgrs import StandbyMgrDetector
from .watch.detectors import OtherPart, WatchContext, at_once
from .watch.osd_breakdown import OsdBreakdowns, answers_of, background_work, choose
from .watch.service import Watch
from .watch.slow_osd.thresholds import Thresholds

# More than there are reconcilers that wait at the same time, and commands beside them.
_MOST_WORKERS = 16
# Time limit in seconds of commands to the monitors, and of questions to OSDs.
_LIMIT = 10
# Those that ask OSDs why they are slow: each asking takes up to four, an OSD that hangs has one for
# 10 s.
_MOST_ASKING = 16
_CLOSE_LIMIT = 5.0
_LEAVE_LIMIT = 10.0
# Seconds between two looks of the guard, within which a harmful round is ended.
_GUARD_SECONDS = 2.0
_LEFTOVERS_SECONDS = 60.0
_SCHEDULES_SECONDS = 15.0
_JOURNAL_SECONDS = 60.0
# After this time without the database, settings that an earlier round changed are restored.
_ROUND_PATIENCE = 60.0


class SharedServices:
    """The parts that both journeys use, made once.

    Only the store thread, and the one in which clients connect, run by themselves.
    """

    def __init__(self, mgr: MgrModule) -> None:
        self.mgr = mgr
        self.log = mgr.log
        self.clock = clock = SystemClock()
        # It owns all that decides; the workers run what waits for monitors and processes.
        self.loop = Loop(clock.monotonic, self.log)
        self.workers = Workers("perf-bench-work", _MOST_WORKERS)
        # All parts of the module tell here that they fail; the watch shows it.
        self.failing = FailingParts(clock.monotonic, self.log)
        self.options = MgrOptions(mgr)
        self.osd_map = OsdMapReader(mgr)
        self.access = Connections(mgr)
        self.mons = Mons(lambda: self.access.client(_LIMIT))
        self.authority = MgrAuthority(mgr, self.mons)
        self.notifier = MgrNotifier(mgr)
        place = MgrStorePlace(mgr, self.mons)
        mons = MonClock(mgr, self.osd_map, clock)
        self.store_thread = StoreThread(Store(place, backend_of(mgr), mons.now), self.log)
        self.counters = MgrCounters(mgr)
        self.health = MgrOsdHealth(mgr, clock)
        self.osds = InventoryReader(mgr, clock, self.osd_map)
        self.outlook = MgrAdmissionSource(
            mgr, clock, self.osds, self.osd_map, self.health, self.mons
        )
        self.hosts = HostFactsRegistry(self.store_thread, clock, self.log, self.failing)
        maps = MgrCluster(mgr, self.osds, self.osd_map)
        falls = MgrDownTimes(self.osd_map, self.osds, self.mons, clock)
        self.inventory = EnclosureInventory(self.hosts, maps, falls.fell, clock)
        self.members = MembersWithEnclosures(self.osds, self.inventory)
        self.cluster = MgrCluster(mgr, self.osds, self.osd_map, self.members)
        # The OSDs that rounds measure now: the watch ignores their data.
        self.benched = OsdsUnderBench()
        self.settings_workers: list[Workers] = []

    def settings_access(self) -> Access:
        """What one user of the cluster's settings changes them with, on a thread of its own."""
        worker, beside = Workers("perf-bench-settings", 1), Workers("perf-bench-setting", 4)
        self.settings_workers += (worker, beside)
        settings = ClusterSettings(self.mons, self.clock)
        return Access(self.mons, settings, self.authority, self.clock, self.log, worker, beside)


class RoundParts:
    """Round safety, bench and round scheduler."""

    def __init__(
        self, services: SharedServices, client_seconds: Callable[[], Optional[float]]
    ) -> None:
        """``client_seconds`` returns the mean seconds of client operations; None if unknown."""
        mgr, mons, options = services.mgr, services.mons, services.options
        access = services.settings_access()
        self.round_safety = RoundSafety(services.outlook, access, client_seconds, options.care)
        pools = MgrPools(mgr, mons, services.osd_map)
        loader = ClientLoader(services.access.credentials, pools.flags, services.clock)
        context = RoundContext(
            cluster=services.cluster,
            open_commands=lambda: services.access.commands(options.bench_timeout),
            loop=services.loop,
            workers=services.workers,
            store_thread=services.store_thread,
            progress=MgrProgress(mgr, services.clock),
            clock=services.clock,
            log=services.log,
            round_safety=self.round_safety,
            loader=loader,
            pools=pools,
            leftovers=Leftovers(MonLeftovers(mons), loader, services.workers, services.log),
            benched=services.benched,
        )
        self.bench = Bench(context, lambda: options.max_parallel)
        self.round_scheduler = RoundScheduler(
            self.bench,
            services.loop,
            services.store_thread,
            services.notifier,
            services.clock,
            services.log,
        )

    def reread(self) -> None:
        """Read everything again, because another database is in use."""
        self.round_scheduler.forget()
        self.bench.reread()

    def running(self) -> Optional[int]:
        """Return the ID of the running round."""
        active = self.bench.active
        return None if active is None else active.round.id


def detectors(services: SharedServices, checksums: ChecksumMonitor) -> Sequence[Detector]:
    """Return the detectors in addition to the watch's own for slow OSDs and laggy PGs."""
    return (
        services.inventory,
        checksums,
        OsdFlappingDetector(MgrUpDown(services.osd_map, services.clock)),
        StandbyMgrDetector(MapOfMgrs(services.mgr)),
        CohortDriftDetector(
            services.store_thread,
            MgrCohortSetups(services.mgr, services.members, services.health),
        ),
    )


class WatchParts:
    """The watch, and what asks OSDs beside it."""

    def __init__(
        self,
        services: SharedServices,
        rounds: RoundParts,
        others: Callable[[], Sequence[OtherPart]],
    ) -> None:
        """``others`` returns the parts that the watch does not tick."""
        clock, benched = services.clock, services.benched
        self._loop = services.loop
        self._thread = Workers("perf-bench-watch", 1, idle_seconds=None)
        queries = OsdQueries(services.mons.client)
        self.crc = ChecksumMonitor(
            OsdSources(services.members, MgrOpThreads(services.mgr, clock.monotonic), benched),
            services.hosts,
            services.inventory,
            clock,
            lambda: services.options.watch().crc_hot_share,
        )
        work = background_work(
            MgrPgStates(services.mgr),
            lambda osd: option_of(services.mgr, osd, "osd_op_queue"),
            clock.monotonic,
        )
        self._askers = Workers("perf-bench-why", _MOST_ASKING)
        self.breakdowns = OsdBreakdowns(
            services.loop,
            self._askers,
            partial(answers_of, queries, benched, clock),
            partial(choose, services.cluster, work),
            clock,
            services.failing,
        )
        self.thresholds = _settings(services)
        self.watch = Watch(
            WatchContext(
                loop=services.loop,
                thread=self._thread,
                store_thread=services.store_thread,
                notifier=services.notifier,
                clock=clock,
                failing=services.failing,
                settings=self.thresholds,
                options=services.options.watch,
                running_round=rounds.running,
                collector=Collector(services.counters, services.members, clock, benched),
                pgs=MgrPgStates(services.mgr),
                health=services.health,
                detectors=detectors(services, self.crc),
                others=others,
                ceph_alerts=MgrCephAlerts(services.mgr, services.health),
                breakdowns=self.breakdowns,
            )
        )
        self.asker = OsdAsker(
            queries,
            self.crc,
            lambda: services.options.crc_asked,
            clock,
            services.loop,
            services.workers,
        )
        self._running: Optional[Task[None]] = None

    def begin(self) -> None:
        """Begin to tick; call it on the loop."""
        self._running = self._loop.spawn(self.watch.run())

    async def leave(self) -> None:
        """End the ticks and save the state of the watch."""
        self._askers.close()
        if self._running is not None:
            self._running.cancel("the module leaves")
            await self.watch.leave()
        self._thread.close()


def _settings(services: SharedServices) -> Thresholds:
    try:
        return Thresholds.of(services.options.detector)
    except InvalidValue as error:
        services.log.warning("mgr/perf_bench/detector is left aside: %s", error)
        return Thresholds()


def _shown(thresholds: Thresholds) -> Sequence[Threshold]:
    """The thresholds in effect, with their defaults."""
    defaults = Thresholds()
    return [
        Threshold(one.name, getattr(thresholds, one.name), getattr(defaults, one.name))
        for one in fields(thresholds)
    ]


class Application:
    """The shared services, the parts of the watch and of rounds, and the parts that use both."""

    def __init__(self, mgr: MgrModule) -> None:
        self.services = services = SharedServices(mgr)
        # When it began to serve (monotonic).
        self._began: Optional[float] = None
        self._left = False
        self.rounds = rounds = RoundParts(services, self._client_seconds)
        self._watching = WatchParts(services, rounds, self._others)
        self._doctor = Doctor(
            MgrDoctorSource(
                mgr,
                services.cluster,
                services.osds,
                services.osd_map,
                services.mons,
            ),
            rounds.bench,
            services.hosts,
            services.clock,
            self._watch_tick,
            self._watching.watch.cluster_minutes,
        )
        orchestrator = MgrOrchestrator(mgr, services.log)
        orchestrated = OrchestratorFacts(
            orchestrator.facts,
            services.hosts,
            services.cluster,
            services.clock,
            services.log,
        )
        defaults = OptionResets(mgr, services.mons, services.clock, services.log)
        self._care = Care(
            services.store_thread,
            lambda: rounds.bench.occupied,
            rounds.reread,
            services.clock,
            services.failing,
            services.options.retention,
        )
        self._relief = OsdRelief(services.settings_access())
        self._metrics = MetricsServer(
            lambda: services.options.metrics_at,
            lambda: metrics.served(self.api, services.options.metrics_per_osd),
            services.log,
        )
        mark = InstallationMark(services.mons, services.clock, services.log)
        self._reconcilers = Reconcilers(services.loop, services.clock, services.failing)
        bench, safety = rounds.bench, rounds.round_safety
        self._parts = (
            Reconciler("serve", _GUARD_SECONDS, self._show_life),
            Reconciler("guard", _GUARD_SECONDS, safety.guard),
            Reconciler("safety", _GUARD_SECONDS, self._settings),
            Reconciler("bench", _GUARD_SECONDS, bench.step),
            Reconciler("regressions", _GUARD_SECONDS, bench.regressions.step),
            Reconciler("leftovers", _LEFTOVERS_SECONDS, bench.sweep),
            Reconciler("schedules", _SCHEDULES_SECONDS, rounds.round_scheduler.step),
            Reconciler("store", _GUARD_SECONDS, self._care.step),
            Reconciler("relief", _JOURNAL_SECONDS, self._relief.step),
            Reconciler("poller", ASKED_EVERY, self._watching.asker.step),
            self._waiting("doctor", self._doctor.tick),
            self._waiting("options", defaults.tick),
            self._waiting("orchestrator-facts", orchestrated.tick),
            self._waiting("installation-mark", mark.tick),
            self._waiting("metrics", self._metrics.tick),
        )
        self.api = Api(
            round_scheduler=rounds.round_scheduler,
            watch=self._watching.watch,
            hosts=services.hosts,
            doctor=self._doctor,
            inventory=services.inventory,
            crc=self._watching.crc,
            breakdowns=self._watching.breakdowns,
            mclock_tuning=MclockTuning(self._doctor, services.settings_access()),
            relief=self._relief,
            options=partial(module_options, mgr),
            thresholds=partial(_shown, self._watching.thresholds),
            cluster=services.cluster,
            store_thread=services.store_thread,
            care=self._care,
            clock=services.clock,
            release=lambda: release_of(mgr),
            fsid=lambda: fsid_of(mgr),
            orchestrator=orchestrator.backend,
            config_log=MonConfigLog(services.mons, services.clock).read,
            passes=lambda: self._reconcilers.passes,
            ask_crc=lambda: services.loop.ask(self._watching.asker.ask_checksums),
        )

    def serve(self, stopped: Stop) -> None:
        """Run the watch and the loop until the module leaves."""
        if stopped.is_set():
            return
        self._began = self.services.clock.monotonic()
        self.services.loop.post(self._watching.begin)
        self.services.loop.post(lambda: self._reconcilers.begin(self._parts))
        self.services.loop.run()

    def leave(self) -> None:
        """Leave a running round to the next active mgr and close the database.

        Returns within seconds.
        """
        services = self.services
        if self._left:
            return
        self._left = True
        if self._began is not None:
            leaving = (self._watching, self.rounds.bench, self.rounds.round_safety)
            for leave in (one.leave for one in leaving):
                try:
                    services.loop.ask(leave, _LEAVE_LIMIT)
                except PerfBenchError as error:
                    services.log.warning("a round may not be left in order: %s", error)
        services.loop.stop()  # also where it is about to begin
        self._metrics.leave()
        for workers in (services.workers, *services.settings_workers):
            workers.close(_CLOSE_LIMIT)
        services.mons.close()
        services.access.close()
        services.store_thread.close(_CLOSE_LIMIT)

    def _waiting(self, name: str, tick: Callable[[], None]) -> Reconciler:
        """A part that decides itself whether its work is due, and may wait: it has a worker."""

        async def step() -> None:
            await reply(self.services.workers.submit(tick))

        return Reconciler(name, _GUARD_SECONDS, step)

    async def _show_life(self) -> None:
        self.services.failing.alive(SERVE)

    async def _settings(self) -> None:
        """Put back settings that no round holds.

        Not before it is known which round this mgr carries on; without the database none can be.
        """
        waited = self.services.clock.monotonic() - (self._began or 0.0)
        if self.rounds.bench.ready or waited > _ROUND_PATIENCE:
            await self.rounds.round_safety.put_back()

    def _others(self) -> Sequence[OtherPart]:
        """Return the parts that the watch does not tick."""
        safety, schedules = self.rounds.round_safety, self.rounds.round_scheduler
        profiles = self.rounds.bench.regressions
        return (
            OtherPart("regressions", profiles.claims, profiles.looks, profiles.knows),
            OtherPart("doctor", self._doctor.claims, self._doctor.looks),
            OtherPart("schedules", schedules.claims, schedules.looks, at_once),
            OtherPart("safety", safety.held.claims, safety.held.looks, at_once),
            OtherPart("store", self._care.claims, self._care.looks),
        )

    def _watch_tick(self) -> Optional[tuple[float, float]]:
        """Return the duration of the watch's newest tick and its interval, in seconds."""
        watch = self._watching.watch
        took = watch.tick_stats.seconds
        return None if took is None else (took, watch.options().tick_seconds)

    def _client_seconds(self) -> Optional[float]:
        return self._watching.watch.client_seconds()
